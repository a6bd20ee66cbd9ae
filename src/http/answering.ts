import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { Caller } from '../contract/index.ts';
import type { Log } from '../log/log.ts';
import type { Arrived } from './arrival.ts';
import { createBodyReader, headerRefusal } from './body.ts';
import type { Contract, Operation } from './contract.ts';
import { envelopeRefusal, requestedNetwork } from './envelope.ts';
import type { HttpLimits } from './limits.ts';
import { queryOf } from './path.ts';
import { createPlaces } from './places.ts';
import { overloaded, refuse, renderRefusal, type HttpRefusal, type Reply } from './refusal.ts';
import { encode, type Answer } from './sending.ts';
import { createWork } from './work.ts';

/** A request for an operation of the contract. */
export type Served = Arrived & { readonly operation: Operation };

export interface AnsweringDeps {
  contract: Contract;
  /** The configured network. A refused settle names it if its request names none. */
  network: string;
  log: Log;
  limits: HttpLimits;
}

interface Begun {
  /** The network that a refusal of settle names. */
  readonly network: string;
  readonly handled: Handled | Promise<Handled>;
}

type Handled = Reply | HttpRefusal;

/** Answers requests: each in its turn, if there is a place for it. */
export function createAnswering(deps: AnsweringDeps): (request: Served, ctx: Context) => Promise<Answer> {
  const { contract, network, log, limits } = deps;
  const readBody = createBodyReader(limits);
  const places = createPlaces(limits.places);
  const work = createWork(limits.requestsPerBatch);

  /** Turns errors into answers, and nothing else does: their text is public, and their cause goes only to the log. */
  return async (request, ctx) => {
    const { requestId, body, address } = request;
    const { operationId } = request.operation;
    let named = network;
    const refused = (why: HttpRefusal): Answer => encode(renderRefusal(operationId, why, named));
    // A request without a body costs little here: the catalog has its own queue for questions.
    if (body !== undefined) await work.turn(address);
    const leave = places.take(operationId, address);
    try {
      if (leave === undefined) return refused(overloaded());
      const begun = await begin(request, ctx);
      named = begun.network;
      // While a payment waits for the network, the scheme keeps what it needs of the body, and bounds it.
      body?.release();
      const handled = await begun.handled;
      return 'code' in handled ? refused(handled) : encode(handled);
    } catch (err) {
      log.error({ requestId, operation: operationId, err }, 'fault');
      return refused(refuse(500, 'svc_internal_error'));
    } finally {
      leave?.();
      body?.release();
    }
  };

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
    if (!Buffer.isBuffer(bytes)) return { network, handled: bytes };
    const read = await readBody(bytes, headers, address);
    if ('code' in read) return { network, handled: read };
    const wrong = body?.grow(read.bytes) ?? envelopeRefusal(read.value);
    return {
      network: requestedNetwork(read.value) ?? network,
      handled: wrong ?? contract.handle(operation, read.value, query, caller),
    };
  }
}

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
