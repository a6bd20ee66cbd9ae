import type { IncomingMessage } from 'node:http';
import Koa from 'koa';
import type { Handlers } from '../contract/index.ts';
import type { Log } from '../log/log.ts';
import { logAccess } from './accessLog.ts';
import { createAnswering } from './answering.ts';
import { readArrival, type Arrived } from './arrival.ts';
import { createBodies } from './bodies.ts';
import type { App } from './connections.ts';
import { createContract } from './contract.ts';
import { HTTP_LIMITS, type HttpLimits } from './limits.ts';
import { unknownRoute } from './refusal.ts';
import { createSending, encode } from './sending.ts';

export interface AppDeps {
  handlers: Handlers;
  /** The configured network. A refused settle names it if its request names none. */
  network: string;
  log: Log;
  limits?: Partial<HttpLimits>;
}

/** Builds the HTTP surface: route, body, envelope, query, handler, answer, log line. */
export async function createApp({ handlers, network, log, ...deps }: AppDeps): Promise<App> {
  const limits = { ...HTTP_LIMITS, ...deps.limits };
  const contract = await createContract(handlers);
  const bodies = createBodies(limits);
  const answerTo = createAnswering({ contract, network, log, limits });
  const send = createSending(log, limits);
  const arrived = new WeakMap<IncomingMessage, Arrived>();

  const app = new Koa();
  // This is a failure after the answer was made, mostly of the connection. A client that left is not a failure.
  app.on('error', (err: NodeJS.ErrnoException) => {
    if (err.code !== 'ERR_STREAM_PREMATURE_CLOSE') log.warn({ err }, 'answer not delivered');
  });
  app.use(async (ctx) => {
    const startedAtMs = performance.now();
    const request = arrived.get(ctx.req)!;
    const { requestId, path, operation } = request;
    const answer = operation
      ? await answerTo({ ...request, operation }, ctx)
      : encode(unknownRoute(ctx.method, path, contract.routes));
    send(ctx, requestId, answer);
    const aborted = ctx.res.destroyed;
    logAccess(log, { requestId, method: ctx.method, path, startedAtMs, aborted }, answer);
  });
  const answer = app.callback();
  return {
    arrive: (request) => void arrived.set(request, readArrival(request, contract, bodies)),
    answer(request, response) {
      const body = arrived.get(request)?.body;
      // Wait for the body first: thousands of requests may be arriving, and Koa needs much more memory for a request
      // than its connection does.
      if (body === undefined) void answer(request, response);
      else void body.over.then(() => answer(request, response));
    },
    leave: (request) => arrived.get(request)?.body?.leave(),
  };
}
