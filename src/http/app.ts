import type { RequestListener } from 'node:http';
import Koa from 'koa';
import type { Context } from 'koa';
import type { Encoded, Handlers } from '../contract/index.ts';
import type { Log } from '../log.ts';
import { logAccess } from './accessLog.ts';
import { readBody } from './body.ts';
import { createContract } from './contract.ts';
import type { Operation } from './contract.ts';
import { envelopeRefusal, requestedNetwork } from './envelope.ts';
import { pathOf, queryOf, shownPath } from './path.ts';
import { malformed, refusal, renderRefusal, unknownRoute } from './refusal.ts';
import type { Refusal, Reply } from './refusal.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './requestId.ts';
import { createSending } from './sending.ts';

export interface AppDeps {
  handlers: Handlers;
  /** The configured network, which a refused settle names when its request names none. */
  network: string;
  log: Log;
}

/** The HTTP surface: route, body, envelope, query, handler, answer, log line. */
export async function createApp({ handlers, network, log }: AppDeps): Promise<RequestListener> {
  const contract = await createContract(handlers);

  const sending = createSending();
  const app = new Koa();
  // What fails after the answer was made: the connection, mostly.
  app.on('error', (err: unknown) => log.warn({ err }, 'answer not delivered'));
  app.use(async (ctx) => {
    const startedAtMs = performance.now();
    sending.begin(ctx.req);
    const requestId = requestIdOf(ctx.req.headers[REQUEST_ID_HEADER]);
    const path = pathOf(ctx.req.url);
    const operation = contract.operationAt(ctx.method, path);
    const answer = operation
      ? await answerTo(operation, ctx, requestId)
      : encode(unknownRoute(ctx.method, shownPath(path), contract.routes));
    sending.end(ctx.res, Buffer.byteLength(answer.json));
    send(ctx, requestId, answer);
    const aborted = ctx.res.destroyed;
    logAccess(log, { requestId, method: ctx.method, path: shownPath(path), startedAtMs, aborted }, answer);
  });
  return app.callback();

  /** The one place where what is thrown becomes an answer: the text is public, the cause goes to the log only. */
  async function answerTo(operation: Operation, ctx: Context, requestId: string): Promise<Answer> {
    let body: unknown;
    const refused = (why: Refusal): Answer =>
      encode(renderRefusal(operation.operationId, why, requestedNetwork(body) ?? network));
    try {
      if (operation.method === 'post') {
        const read = await readBody(ctx);
        if ('problem' in read) return refused(malformed(read.problem, read.status));
        body = read.value;
        const wrong = envelopeRefusal(body);
        if (wrong !== null) return refused(wrong);
      }
      const handled = await contract.handle(operation, body, queryOf(ctx.req.url));
      if ('refusal' in handled) return refused(handled.refusal);
      const answer = encode(handled);
      // Only what the catalog answers: a settled payment is told of, whatever other clients leave lying here.
      if (isEncoded(handled.body) && !sending.hasRoomFor(Buffer.byteLength(answer.json)))
        throw new Error('too many answers lie here that their clients do not take');
      return answer;
    } catch (err) {
      log.error({ requestId, operation: operation.operationId, err }, 'fault');
      return refused(refusal(500, 'svc_internal_error'));
    }
  }
}

type Answer = Reply & { readonly json: string | Buffer };

function encode(reply: Reply): Answer {
  const { body } = reply;
  return { ...reply, json: isEncoded(body) ? bytesOf(body) : JSON.stringify(body) };
}

/** No other body holds bytes: they are no JSON. */
function isEncoded(body: unknown): body is Encoded<unknown> {
  return (body as Partial<Encoded<unknown>>).json instanceof Uint8Array;
}

/** The same memory, as what Koa sends as it is. */
function bytesOf({ json: { buffer, byteOffset, byteLength } }: Encoded<unknown>): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function send(ctx: Context, requestId: string, { status, headers, json }: Answer): void {
  if (headers) ctx.set(headers);
  ctx.set(REQUEST_ID_HEADER, requestId);
  ctx.set('content-type', 'application/json; charset=utf-8');
  ctx.status = status;
  ctx.body = json;
}
