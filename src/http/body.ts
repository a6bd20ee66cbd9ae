import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import bodyParser from 'koa-bodyparser';
import type { Context } from 'koa';
import { createGunzip } from 'node:zlib';
import { parseJson } from './json.ts';
import { BODY_LIMIT_BYTES } from './limits.ts';

export type BodyRead = { readonly value: unknown } | { readonly status: 400 | 413; readonly problem: string };

/** Takes the bytes as they are (`encoding: null`), so that broken UTF-8 is seen and not replaced. */
const readBytes = bodyParser({
  enableTypes: ['text'],
  extendTypes: { text: ['application/json'] },
  textLimit: `${BODY_LIMIT_BYTES}b`,
  encoding: null,
} as bodyParser.Options);

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*("?)([^\s;"]+)\1\s*)?;?$/i;
const CODINGS: readonly string[] = ['identity', 'gzip'];
const BYTE_ORDER_MARK = '\ufeff';

/** Reads the JSON body of a request; a problem is a sentence for the sender. */
export async function readBody(ctx: Context): Promise<BodyRead> {
  const unreadable = headerProblem(ctx);
  if (unreadable !== null) return { status: 400, problem: unreadable };

  const source = codingOf(ctx.req.headers) === 'gzip' ? decompressed(ctx) : ctx;
  try {
    await readBytes(source, async () => {});
  } catch (error) {
    if (source !== ctx) source.req.destroy();
    // The rest of the body is read and thrown away (bounded by the request timeout): closing the connection
    // on a sender that is still sending would lose the answer.
    ctx.req.unpipe();
    ctx.req.resume();
    return readingProblem(error);
  }
  const bytes = ctx.request.rawBody;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0)
    return { status: 400, problem: 'The request body is empty.' };
  if (!isUtf8(bytes)) return { status: 400, problem: 'The request body is not valid UTF-8.' };
  const text = bytes.toString('utf8');
  const parsed = parseJson(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  return 'value' in parsed ? parsed : { status: 400, problem: parsed.problem };
}

/** The content coding; its name is read in any case (RFC 9110, 8.4.1). */
function codingOf(headers: IncomingHttpHeaders): string {
  return (headers['content-encoding'] ?? 'identity').toLowerCase();
}

function headerProblem({ req: { headers } }: Context): string | null {
  const type = headers['content-type'];
  if (type !== 'application/json') {
    const match = JSON_TYPE.exec(type ?? '');
    if (match === null)
      return 'Send the request body as JSON, with the header content-type: application/json.';
    if (match[2] !== undefined && !/^utf-?8$/i.test(match[2])) {
      return 'Send the request body in UTF-8; no other charset is read.';
    }
  }
  if (!CODINGS.includes(codingOf(headers))) {
    return 'Send the request body without a content-encoding, or with content-encoding: gzip.';
  }
  return null;
}

/**
 * The request with its body decompressed. koa-bodyparser could do this too, but then a sender that breaks off
 * leaves the reading waiting, and data that turns out corrupt after the limit was passed ends the process.
 */
function decompressed(ctx: Context): Context {
  const { req } = ctx;
  const plain = createGunzip();
  plain.on('error', () => {});
  req.once('close', () => {
    if (!req.complete) plain.destroy(new Error('the sender broke off'));
  });
  let receivedBytes = 0;
  req.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (receivedBytes > BODY_LIMIT_BYTES)
      plain.destroy(Object.assign(new Error('too large'), { status: 413 }));
  });
  req.pipe(plain);
  return Object.create(ctx, { req: { value: Object.assign(plain, { headers: {} }) } }) as Context;
}

function readingProblem(error: unknown): BodyRead {
  const { status, code } = error as { status?: number; code?: string };
  if (status === 413) {
    return { status, problem: `The request body is larger than ${BODY_LIMIT_BYTES} bytes.` };
  }
  if (code?.startsWith('Z_')) return { status: 400, problem: 'The request body is not valid gzip.' };
  return { status: 400, problem: 'The request body broke off before its end.' };
}
