import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import type { Context } from 'koa';
import type { Caller, Handlers } from '../contract/index.ts';
import type { Log } from '../log/log.ts';
import { logAccess } from './accessLog.ts';
import { addressOf } from './address.ts';
import { createBodies } from './bodies.ts';
import type { ArrivingBody } from './bodies.ts';
import { headerRefusal, readBody } from './body.ts';
import type { App } from './connections.ts';
import { createContract } from './contract.ts';
import type { Operation } from './contract.ts';
import { envelopeRefusal, requestedNetwork } from './envelope.ts';
import { LARGE_BODIES_LIMIT } from './limits.ts';
import { pathOf, queryOf, shownPath } from './path.ts';
import { createPlaces } from './places.ts';
import { overloaded, refusal, renderRefusal, unknownRoute } from './refusal.ts';
import type { Refusal, Reply } from './refusal.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './requestId.ts';
import { createSending, encode } from './sending.ts';
import type { Answer } from './sending.ts';
import { createTurns } from './turns.ts';
import { createWork } from './work.ts';

export interface AppDeps {
  handlers: Handlers;
  /** The configured network. A refused settle names it if its request names none. */
  network: string;
  log: Log;
}

/** Builds the HTTP surface: route, body, envelope, query, handler, answer, log line. */
export async function createApp({ handlers, network, log }: AppDeps): Promise<App> {
  const contract = await createContract(handlers);
  const bodies = createBodies();
  const largeBodies = createTurns(LARGE_BODIES_LIMIT);
  const places = createPlaces();
  const work = createWork();
  const arrived = new WeakMap<IncomingMessage, Arrived>();

  const send = createSending(log);
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
    arrive(request) {
      const requestId = requestIdOf(request.headers[REQUEST_ID_HEADER]);
      const sentPath = pathOf(request.url);
      const operation = contract.operationAt(request.method ?? '', sentPath);
      const path = operation?.path ?? copyOf(shownPath(sentPath));
      forgetMost(request, operation?.method === 'get' ? request.url : path);
      const hasBody = operation?.method === 'post' && headerRefusal(request.headers) === null;
      const body = hasBody ? bodies.receive(request) : undefined;
      arrived.set(request, { requestId, path, operation, body, address: addressOf(request.socket) });
    },
    answer(request, response) {
      const body = arrived.get(request)?.body;
      // Wait for the body first: thousands of requests may be arriving, and Koa needs much more memory for a request
      // than its connection does.
      if (body === undefined) void answer(request, response);
      else void body.over.then(() => answer(request, response));
    },
    leave: (request) => arrived.get(request)?.body?.leave(),
  };

  /** Answers a request. Errors become answers only here: their text is public, their cause goes to the log only. */
  async function answerTo(request: Served, ctx: Context): Promise<Answer> {
    const { requestId, body, address } = request;
    const { operationId } = request.operation;
    let named = network;
    const refused = (why: Refusal): Answer => encode(renderRefusal(operationId, why, named));
    // A request without a body costs little here: the catalog has its own queue for questions.
    if (body !== undefined) await work.turn(address);
    const leave = places.take(operationId, address);
    try {
      if (leave === null) return refused(overloaded());
      const begun = await begin(request, ctx);
      named = begun.network;
      // While a payment waits for the network, the scheme keeps what it needs of the body, and bounds it.
      body?.release();
      const handled = await begun.handled;
      return 'refusal' in handled ? refused(handled.refusal) : encode(handled);
    } catch (err) {
      log.error({ requestId, operation: operationId, err }, 'fault');
      return refused(refusal(500, 'svc_internal_error'));
    } finally {
      leave?.();
      body?.release();
    }
  }

  /**
   * Hands a request to its handler. Nothing here holds the body after that, since a parsed body is much larger. Only
   * its network is kept, which a refusal of settle repeats.
   */
  async function begin({ operation, body, address }: Served, { req, res }: Context): Promise<Begun> {
    const query = queryOf(req.url);
    const caller = callerOf(address, res);
    if (operation.method !== 'post')
      return { network, handled: contract.handle(operation, undefined, query, caller) };
    const { headers } = req;
    const bytes = body?.take() ?? headerRefusal(headers) ?? Buffer.alloc(0);
    if (!Buffer.isBuffer(bytes)) return { network, handled: { refusal: bytes } };
    const read = await readBody(bytes, headers, () => largeBodies.next(address));
    if ('refusal' in read) return { network, handled: read };
    const wrong = body?.grow(read.bytes) ?? envelopeRefusal(read.value);
    return {
      network: requestedNetwork(read.value) ?? network,
      handled: wrong ? { refusal: wrong } : contract.handle(operation, read.value, query, caller),
    };
  }
}

/** Returns a copy: a slice of a string keeps the whole string in memory. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

/** Drops what nobody reads: a request may wait for long, and its URL and headers take much memory. */
function forgetMost(request: IncomingMessage, url: string | undefined): void {
  const { headers } = request;
  request.url = url;
  request.headers = {
    'content-type': headers['content-type'],
    'content-encoding': headers['content-encoding'],
    'content-length': headers['content-length'],
  };
  request.rawHeaders = [];
}

/** The parts of a request that are read when it arrives, before its turn. */
interface Arrived {
  readonly requestId: string;
  /** As logs and answers show it. */
  readonly path: string;
  /** Undefined if there is no such route. */
  readonly operation: Operation | undefined;
  readonly body: ArrivingBody | undefined;
  readonly address: string;
}

type Served = Arrived & { readonly operation: Operation };

interface Begun {
  /** The network that a refusal of settle names. */
  readonly network: string;
  readonly handled: Handled | Promise<Handled>;
}

type Handled = Reply | { readonly refusal: Refusal };

/** Creates the signal only on demand, since it is costly and most operations do not ask for it. */
function callerOf(address: string, res: ServerResponse): Caller {
  let gone: AbortController | undefined;
  return {
    address,
    get gone() {
      if (gone !== undefined) return gone.signal;
      const controller = (gone = new AbortController());
      // Give a reason: otherwise Node makes a stack trace for each request.
      const abort = (): void => controller.abort('gone');
      if (res.closed) abort();
      else res.once('close', abort);
      return controller.signal;
    },
  };
}
