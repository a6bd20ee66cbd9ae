import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { parseJson } from './json.ts';
import type { HttpLimits } from './limits.ts';
import { malformed, overloaded, tooLarge, type HttpRefusal } from './refusal.ts';
import { createTurns } from './turns.ts';

/** The JSON value in a body, and the size of its decompressed text. */
export interface BodyRead {
  readonly value: unknown;
  readonly bytes: number;
}

/** Reads the JSON in a body that came from a caller. */
export type ReadBody = (
  bytes: Buffer,
  headers: IncomingHttpHeaders,
  caller: string,
) => Promise<BodyRead | HttpRefusal>;

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*("?)([^\s;"]+)\1\s*)?;?$/i;
const CODINGS: readonly string[] = ['identity', 'gzip'];
const BYTE_ORDER_MARK = '\ufeff';

/** Returns the refusal of a body with these headers; undefined if the body can be read. */
export function headerRefusal(headers: IncomingHttpHeaders): HttpRefusal | undefined {
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
  return undefined;
}

/**
 * Creates a reader. A body that is large, as sent or decompressed, waits for its turn, and is refused if it gets none.
 */
export function createBodyReader(limits: HttpLimits): ReadBody {
  const { maxBodyBytes, largeBodyBytes } = limits;
  const largeBodies = createTurns(limits.maxWaitingLargeBodies);

  function readText(bytes: Buffer | HttpRefusal): BodyRead | HttpRefusal {
    if (!Buffer.isBuffer(bytes)) return bytes;
    if (bytes.length === 0) return malformed('The request body is empty.');
    if (!isUtf8(bytes)) return malformed('The request body is not valid UTF-8.');
    const text = bytes.toString('utf8');
    const parsed = parseJson(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text, limits);
    return 'code' in parsed ? parsed : { ...parsed, bytes: bytes.length };
  }

  return async (bytes, headers, caller) => {
    const isPlain = codingOf(headers) !== 'gzip';
    if (bytes.length <= largeBodyBytes) {
      const small = isPlain ? bytes : decompressed(bytes, largeBodyBytes);
      if (small !== undefined) return readText(small);
    }
    if (!(await largeBodies.next(caller))) return overloaded();
    const large = isPlain ? bytes : decompressed(bytes, maxBodyBytes);
    return large === undefined ? tooLarge(maxBodyBytes) : readText(large);
  };
}

/** Returns the content coding. Its name is case-insensitive (RFC 9110, 8.4.1). */
function codingOf(headers: IncomingHttpHeaders): string {
  return (headers['content-encoding'] ?? 'identity').toLowerCase();
}

/** Returns undefined if the decompressed text is larger than the limit. */
function decompressed(bytes: Buffer, limitBytes: number): Buffer | HttpRefusal | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: limitBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    return malformed('The request body is not valid gzip.');
  }
}
