import type { IncomingMessage } from 'node:http';
import Koa from 'koa';
import type { Handlers } from '../contract/index.ts';
import type { Log } from '../log/log.ts';
import { createCountedConnections } from '../net/countedConnections.ts';
import { OPEN_ADMISSION, type Admission } from './admission.ts';
import { createAnswering } from './answering.ts';
import { readArrival, type Arrived } from './arrival.ts';
import { createBodies } from './bodies.ts';
import { DIRECT_CLIENTS, type ClientAddresses } from './clientAddresses.ts';
import type { App } from './connections.ts';
import { createContract } from './contract.ts';
import { createCors } from './cors.ts';
import { HTTP_LIMITS, type HttpLimits } from './limits.ts';
import { UNOBSERVED, type HttpObserver } from './observer.ts';
import { createPlaces } from './places.ts';
import { UNTRACED_REQUESTS, type RequestTracer } from './requestTracer.ts';
import { createSending } from './sending.ts';
import { createServing } from './serving.ts';

export interface AppDeps {
  handlers: Handlers;
  /** Serves everybody if not given. */
  admission?: Admission | undefined;
  /** Counts each request for the address of its connection if not given. */
  clients?: ClientAddresses | undefined;
  /** The origins of the web pages that may verify and settle; none if not given. */
  corsOrigins?: readonly string[] | undefined;
  /** The configured network. A refused settle names it if its request names none. */
  network: string;
  observer?: HttpObserver | undefined;
  log: Log;
  /** Shows nothing if not given. */
  tracer?: RequestTracer | undefined;
  limits?: Partial<HttpLimits>;
}

/** Builds the HTTP surface: route, body, envelope, query, handler, answer, log line. */
export async function createApp({
  handlers,
  admission = OPEN_ADMISSION,
  clients = DIRECT_CLIENTS,
  corsOrigins = [],
  network,
  observer = UNOBSERVED,
  log,
  tracer = UNTRACED_REQUESTS,
  ...deps
}: AppDeps): Promise<App> {
  const limits = { ...HTTP_LIMITS, ...deps.limits };
  const contract = await createContract(handlers);
  const bodies = createBodies(limits);
  const places = createPlaces(limits.places);
  const answerTo = createAnswering({ contract, admission, network, places, log, limits });
  const send = createSending(log, limits);
  const serve = createServing({ routes: contract.routes, answerTo, send, observer, log });
  const arrived = new WeakMap<IncomingMessage, Arrived>();
  const arrival = {
    contract,
    bodies,
    admission,
    clients,
    cors: createCors(corsOrigins),
    keyConnections: createCountedConnections(),
    tracer,
  };

  const app = new Koa();
  // This is a failure after the answer was made, mostly of the connection. A client that left is not a failure.
  app.on('error', (err: NodeJS.ErrnoException) => {
    if (err.code !== 'ERR_STREAM_PREMATURE_CLOSE') log.warn({ err }, 'answer not delivered');
  });
  app.use((ctx) => {
    const request = arrived.get(ctx.req)!;
    const { requestId, path, operation, callerSpan } = request;
    const traced = { requestId, method: ctx.method, path, route: operation?.path, callerSpan };
    return tracer.request(traced, () => serve(ctx, request));
  });

  const answer = app.callback();
  return {
    arrive(request) {
      const one = readArrival(request, arrival);
      arrived.set(request, one);
      return one.countsForKey;
    },
    answer(request, response) {
      const body = arrived.get(request)?.body;
      // Wait for the body first: thousands of requests may be arriving, and Koa needs much more memory for a request
      // than its connection does.
      if (body === undefined) void answer(request, response);
      else void body.over.then(() => answer(request, response));
    },
    places: places.state,
    leave: (request) => arrived.get(request)?.body?.leave(),
  };
}
