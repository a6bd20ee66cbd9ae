import { MAX_TEMPLATE_DECODE_PASSES } from './limits.ts';

const CHARACTERS = /^\/[A-Za-z0-9_/:.\-~%]+$/;
/** Where another reader of the path may leave it, or stop reading. */
const ESCAPE = /^\/\/|\.\.|:\/\/|\\|\p{Cc}/u;

/** Whether a value is a path with named parts, such as `/weather/:city`, in every way of reading it (4.6 rule 6). */
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
