/** Reads the header `traceparent` of W3C Trace Context. */
import { boundedText } from '../contract/index.ts';
import type { CallerSpan } from '../http/requestTracer.ts';

const HEADER =
  /^(?<version>[0-9a-f]{2})-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?$/;
const SAMPLED = 1;
const NOTHING = /^0+$/;

/** Returns undefined for anything malformed, as the standard asks: the trace then begins here. */
export function readTraceparent(header: string | string[] | undefined): CallerSpan | undefined {
  const groups = typeof header === 'string' ? HEADER.exec(header)?.groups : undefined;
  if (groups === undefined) return undefined;
  const { version, traceId = '', spanId = '', flags = '', more } = groups;
  // Later versions may add to the header, but keep what it begins with.
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined;
  return {
    traceId: boundedText(traceId),
    spanId: boundedText(spanId),
    isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0,
  };
}
