import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Encoded, Page } from '../contract/index.ts';
import type { Log } from '../log/log.ts';
import { PAGE_HEADERS } from '../net/pageHeaders.ts';
import type { Arrived } from './arrival.ts';
import { RETRY_AFTER_SECONDS, type HttpLimits } from './limits.ts';
import type { Reply } from './refusal.ts';
import type { PaymentFacts } from './requested.ts';
import { REQUEST_ID_HEADER } from './requestId.ts';
import { createUnsent, type Unsent } from './unsent.ts';

/** An answer that is ready to send. Only reading `rest` can still fail. */
export interface Answer extends Reply {
  readonly text: string | Buffer;
  readonly contentType: string;
  /** The parts that follow `text`. */
  readonly rest?: AsyncIterable<Uint8Array> | undefined;
  /** The payment that was asked about, for the log. */
  readonly payment?: PaymentFacts | undefined;
}

const JSON_TYPE = 'application/json; charset=utf-8';

export function encode(reply: Reply): Answer {
  const { body } = reply;
  if (isPage(body)) return { ...reply, ...body, headers: { ...PAGE_HEADERS, ...reply.headers } };
  if (!isEncoded(body)) return { ...reply, text: JSON.stringify(body), contentType: JSON_TYPE };
  return { ...reply, text: bytesOf(body.json), contentType: JSON_TYPE, rest: body.rest };
}

export type Send = (
  ctx: Context,
  request: Pick<Arrived, 'requestId' | 'name' | 'cors'>,
  answer: Answer,
) => void;

/** Sends answers, each as fast as its client takes it. */
export function createSending(log: Log, limits: HttpLimits): Send {
  const { pieceBytes } = limits;
  const unsentOf = createUnsent(log, limits);

  return (ctx, { requestId, name, cors }, { status, headers, contentType, text, rest }) => {
    if (cors) ctx.set(cors);
    if (headers) ctx.set(headers);
    if (status === 503) ctx.set('retry-after', String(RETRY_AFTER_SECONDS));
    ctx.set(REQUEST_ID_HEADER, requestId);
    ctx.set('content-type', contentType);
    ctx.status = status;
    const { socket } = ctx.req;
    // If the client has gone, count nothing: its response does not close a second time.
    const unsent = socket.destroyed ? undefined : unsentOf(ctx.res, name);
    const bytes = Buffer.byteLength(text);
    unsent?.holds(bytes);
    if (unsent !== undefined && (rest !== undefined || bytes > pieceBytes)) {
      ctx.body = inPieces(text, rest, unsent, pieceBytes);
      if (rest === undefined) ctx.length = bytes;
    } else {
      unsent?.given(bytes);
      ctx.body = text;
    }
  };
}

/** Gives each piece once the one before has been taken, and asks for the next part once all pieces have been taken. */
function inPieces(
  first: string | Buffer,
  rest: Answer['rest'],
  unsent: Unsent,
  pieceBytes: number,
): Readable {
  const parts = rest?.[Symbol.asyncIterator]();
  let left: Buffer | undefined = typeof first === 'string' ? Buffer.from(first) : first;
  return new Readable({
    // Read nothing ahead.
    highWaterMark: 0,
    read() {
      unsent.taken();
      give(this).catch((error: unknown) => this.destroy(error as Error));
    },
  });

  async function give(pieces: Readable): Promise<void> {
    while (left?.length === 0) left = await nextPart();
    const piece = left?.subarray(0, pieceBytes) ?? null;
    left = left?.subarray(pieceBytes);
    unsent.given(piece?.length ?? 0);
    pieces.push(piece);
  }

  async function nextPart(): Promise<Buffer | undefined> {
    const next = await parts?.next();
    if (next === undefined || next.done) return undefined;
    unsent.holds(next.value.length);
    return bytesOf(next.value);
  }
}

/** True for a page. No other body says its content type. */
function isPage(body: unknown): body is Page {
  return typeof (body as Partial<Page>).contentType === 'string';
}

/** True for an encoded body. No other body holds bytes, since bytes are not JSON. */
function isEncoded(body: unknown): body is Encoded<unknown> {
  return (body as Partial<Encoded<unknown>>).json instanceof Uint8Array;
}

/** Returns a Buffer on the same memory, which Koa sends as it is. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
