import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { Caller } from '../contract/index.ts';
import type { Log } from '../log/log.ts';
import type { Admission, Admitted, Sender } from './admission.ts';
import type { Arrived } from './arrival.ts';
import { createBodyReader, headerRefusal } from './body.ts';
import type { Contract, Operation } from './contract.ts';
import { envelopeRefusal } from './envelope.ts';
import type { HttpLimits } from './limits.ts';
import { queryOf } from './path.ts';
import type { Places } from './places.ts';
import { overloaded, refuse, renderRefusal, type HttpRefusal, type Reply } from './refusal.ts';
import { requestedIn, type Requested } from './requested.ts';
import { encode, type Answer } from './sending.ts';
import { createWork } from './work.ts';

/** A request for an operation of the contract. */
export type Served = Arrived & { readonly operation: Operation };

export interface AnsweringDeps {
  contract: Contract;
  admission: Admission;
  /** The configured network. A refused settle names it if its request names none. */
  network: string;
  places: Pick<Places, 'take'>;
  log: Log;
  limits: HttpLimits;
}

interface Begun {
  /** Undefined if the body could not be read. */
  readonly requested?: Requested;
  readonly handled: Handled | Promise<Handled>;
}

type Handled = Reply | HttpRefusal;

/** Answers requests: each in its turn, if there is a place for it. */
export function createAnswering(deps: AnsweringDeps): (request: Served, ctx: Context) => Promise<Answer> {
  const { contract, admission, network, places, log, limits } = deps;
  const begin = createBegin(contract, limits);
  const work = createWork(limits.requestsPerBatch);

  /** Turns errors into answers, and nothing else does: their text is public, and their cause goes only to the log. */
  return async (request, ctx) => {
    const { requestId, body, sender } = request;
    const { operationId } = request.operation;
    let requested: Requested | undefined;
    const refused = (why: HttpRefusal): Reply =>
      renderRefusal(operationId, why, requested?.network ?? network);
    if ('code' in sender) return encode(refused(sender));
    // A request without a body costs little here: the catalog has its own queue for questions.
    if (body !== undefined) await work.turn(sender.name);
    const admitting = admission.admit(operationId, sender);
    const admitted = admitting instanceof Promise ? await admitting : admitting;
    if ('code' in admitted) {
      body?.release();
      return encode(refused(admitted));
    }
    const answer = (reply: Reply): Answer => ({
      ...encode(withHeaders(reply, admitted.headers)),
      payment: requested?.payment,
    });
    const leave = places.take(operationId, sender.name);
    try {
      if (leave === undefined) return answer(refused(overloaded()));
      const begun = await begin(request, sender, ctx);
      requested = begun.requested;
      // While a payment waits for the network, the scheme keeps what it needs of the body, and bounds it.
      body?.release();
      const handled = await begun.handled;
      return answer('code' in handled ? refused(handled) : handled);
    } catch (err) {
      log.error({ requestId, operation: operationId, err }, 'fault');
      return answer(refused(refuse(500, 'svc_internal_error')));
    } finally {
      leave?.();
      admitted.leave();
      body?.release();
    }
  };
}

/**
 * Returns a function that hands a request to its handler. Nothing here holds the body after that, since a parsed body is
 * much larger. Only what it says of itself is kept, for a refusal and for the log.
 */
function createBegin(
  contract: Contract,
  limits: HttpLimits,
): (request: Served, sender: Sender, ctx: Context) => Promise<Begun> {
  const readBody = createBodyReader(limits);

  return async ({ operation, body, ...asked }, sender, { req, res }) => {
    const caller = callerOf(sender, asked, res);
    const handle = (value?: unknown) => contract.handle(operation, value, queryOf(req.url), caller);
    if (operation.method !== 'post') return { handled: handle() };
    const bytes = body?.take() ?? headerRefusal(req.headers) ?? Buffer.alloc(0);
    if (!Buffer.isBuffer(bytes)) return { handled: bytes };
    const read = await readBody(bytes, req.headers, sender.name);
    if ('code' in read) return { handled: read };
    const wrong = body?.grow(read.bytes) ?? envelopeRefusal(operation.operationId, read.value);
    return { requested: requestedIn(read.value), handled: wrong ?? handle(read.value) };
  };
}

function withHeaders(reply: Reply, headers: Admitted['headers']): Reply {
  return headers === undefined ? reply : { ...reply, headers: { ...reply.headers, ...headers } };
}

/** Creates the signal only on demand, since it is costly and most operations do not ask for it. */
function callerOf(
  { name, keyId }: Sender,
  { requestId, prefersPage, idempotencyKey }: Pick<Arrived, 'requestId' | 'prefersPage' | 'idempotencyKey'>,
  res: ServerResponse,
): Caller {
  let gone: AbortController | undefined;
  return {
    name,
    keyId,
    requestId,
    prefersPage,
    idempotencyKey,
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
