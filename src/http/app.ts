import type { RequestListener } from 'node:http';
import Koa from 'koa';
import type { Context } from 'koa';
import type { Caller, Handlers } from '../contract/index.ts';
import type { Log } from '../log.ts';
import { logAccess } from './accessLog.ts';
import { addressOf } from './address.ts';
import { readBody } from './body.ts';
import { createContract } from './contract.ts';
import type { Operation } from './contract.ts';
import { envelopeRefusal, requestedNetwork } from './envelope.ts';
import { pathOf, queryOf, shownPath } from './path.ts';
import { malformed, refusal, renderRefusal, unknownRoute } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './requestId.ts';
import { createSending, encode } from './sending.ts';
import type { Answer } from './sending.ts';

export interface AppDeps {
  handlers: Handlers;
  /** The configured network, which a refused settle names when its request names none. */
  network: string;
  log: Log;
}

/** The HTTP surface: route, body, envelope, query, handler, answer, log line. */
export async function createApp({ handlers, network, log }: AppDeps): Promise<RequestListener> {
  const contract = await createContract(handlers);

  const send = createSending(log);
  const app = new Koa();
  // What fails after the answer was made: the connection, mostly. That a client left is no failure.
  app.on('error', (err: NodeJS.ErrnoException) => {
    if (err.code !== 'ERR_STREAM_PREMATURE_CLOSE') log.warn({ err }, 'answer not delivered');
  });
  app.use(async (ctx) => {
    const startedAtMs = performance.now();
    const requestId = requestIdOf(ctx.req.headers[REQUEST_ID_HEADER]);
    const path = pathOf(ctx.req.url);
    const operation = contract.operationAt(ctx.method, path);
    const answer = operation
      ? await answerTo(operation, ctx, requestId)
      : encode(unknownRoute(ctx.method, shownPath(path), contract.routes));
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
      const handled = await contract.handle(operation, body, queryOf(ctx.req.url), callerOf(ctx));
      return 'refusal' in handled ? refused(handled.refusal) : encode(handled);
    } catch (err) {
      log.error({ requestId, operation: operation.operationId, err }, 'fault');
      return refused(refusal(500, 'svc_internal_error'));
    }
  }
}

function callerOf({ req, res }: Context): Caller {
  const gone = new AbortController();
  // With a reason: else a stack trace is made for each request.
  res.once('close', () => gone.abort('gone'));
  return { address: addressOf(req.socket), gone: gone.signal };
}
