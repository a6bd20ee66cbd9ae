import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { tooLarge } from './bodies.ts';
import { parseJson } from './json.ts';
import { BODY_LIMIT_BYTES, LARGE_BODY_BYTES } from './limits.ts';
import { malformed, overloaded } from './refusal.ts';
import type { Refusal } from './refusal.ts';

export type BodyRead =
  | { readonly value: unknown; /** Size of the decompressed text. */ readonly bytes: number }
  | { readonly refusal: Refusal };

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*("?)([^\s;"]+)\1\s*)?;?$/i;
const CODINGS: readonly string[] = ['identity', 'gzip'];
const BYTE_ORDER_MARK = '\ufeff';

/** Returns the refusal of a body with these headers; null if the body can be read. */
export function headerRefusal(headers: IncomingHttpHeaders): Refusal | null {
  const type = headers['content-type'];
  if (type !== 'application/json') {
    const match = JSON_TYPE.exec(type ?? '');
    if (match === null)
      return malformed('Send the request body as JSON, with the header content-type: application/json.');
    if (match[2] !== undefined && !/^utf-?8$/i.test(match[2])) {
      return malformed('Send the request body in UTF-8; no other charset is read.');
    }
  }
  if (!CODINGS.includes(codingOf(headers))) {
    return malformed('Send the request body without a content-encoding, or with content-encoding: gzip.');
  }
  return null;
}

/**
 * Reads the JSON in a body. A large body, as sent or decompressed, waits for its turn, and is refused if it gets none.
 */
export async function readBody(
  bytes: Buffer,
  headers: IncomingHttpHeaders,
  largeTurn: () => Promise<boolean>,
): Promise<BodyRead> {
  const isPlain = codingOf(headers) !== 'gzip';
  if (bytes.length <= LARGE_BODY_BYTES) {
    const small = isPlain ? bytes : decompressed(bytes, LARGE_BODY_BYTES);
    if (small !== 'too large') return textRead(small);
  }
  if (!(await largeTurn())) return { refusal: overloaded() };
  const large = isPlain ? bytes : decompressed(bytes, BODY_LIMIT_BYTES);
  return large === 'too large' ? { refusal: tooLarge() } : textRead(large);
}

/** Returns the content coding. Its name is case-insensitive (RFC 9110, 8.4.1). */
function codingOf(headers: IncomingHttpHeaders): string {
  return (headers['content-encoding'] ?? 'identity').toLowerCase();
}

function decompressed(bytes: Buffer, limitBytes: number): Buffer | Refusal | 'too large' {
  try {
    return gunzipSync(bytes, { maxOutputLength: limitBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return 'too large';
    return malformed('The request body is not valid gzip.');
  }
}

function textRead(bytes: Buffer | Refusal): BodyRead {
  if (!Buffer.isBuffer(bytes)) return { refusal: bytes };
  if (bytes.length === 0) return { refusal: malformed('The request body is empty.') };
  if (!isUtf8(bytes)) return { refusal: malformed('The request body is not valid UTF-8.') };
  const text = bytes.toString('utf8');
  const parsed = parseJson(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  return 'value' in parsed ? { ...parsed, bytes: bytes.length } : { refusal: malformed(parsed.problem) };
}
