import { MAX_TEMPLATE_DECODE_PASSES } from './limits.ts';

const CHARACTERS = /^\/[A-Za-z0-9_/:.\-~%]+$/;
/** Matches text at which another parser may leave the path, or stop reading. */
const ESCAPE = /^\/\/|\.\.|:\/\/|\\|\p{Cc}/u;

/** True when a value is a path with named parts, such as `/weather/:city`, at every level of decoding. */
export function isRouteTemplate(value: unknown): value is string {
  return typeof value === 'string' && CHARACTERS.test(value) && isSafeInEveryLayer(value);
}

function isSafeInEveryLayer(template: string): boolean {
  let layer = template;
  for (let pass = 0; pass < MAX_TEMPLATE_DECODE_PASSES; pass += 1) {
    if (ESCAPE.test(layer)) return false;
    const decoded = decode(layer);
    if (decoded === layer) return true;
    if (decoded === undefined) return false;
    layer = decoded;
  }
  return false;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
