import type { Caller, Handlers, OperationId } from '../contract/index.ts';
import type { Log } from '../log/log.ts';
import { createContract } from './contract.ts';
import { envelopeRefusal } from './envelope.ts';
import { parseJson } from './json.ts';
import { HTTP_LIMITS } from './limits.ts';
import { createPlaces } from './places.ts';
import { overloaded, refuse, renderRefusal, tooLarge, type HttpRefusal, type Reply } from './refusal.ts';
import { requestIdOf } from './requestId.ts';

/** Answers a request that this process makes itself. Never throws. */
export type Ask = (operationId: OperationId, body?: object, idempotencyKey?: string) => Promise<Reply>;

interface AskingDeps {
  handlers: Handlers;
  /** The configured network. A refused settle names it if its request names none. */
  network: string;
  log: Log;
}

/** All requests of this process count for one caller. */
const NAME = 'in-process';

/** Answers as over HTTP: the buyer has written most of a body, whoever hands it over. */
export async function createAsking({ handlers, network, log }: AskingDeps): Promise<Ask> {
  const contract = await createContract(handlers);
  const places = createPlaces(HTTP_LIMITS.places);

  function handle(operationId: OperationId, body: object | undefined, caller: Caller) {
    const operation = contract.operationOf(operationId);
    if (body === undefined) return contract.handle(operation, undefined, '', caller);
    const text = JSON.stringify(body);
    if (Buffer.byteLength(text) > HTTP_LIMITS.maxBodyBytes) return tooLarge(HTTP_LIMITS.maxBodyBytes);
    // A copy, too: nobody can change it while it is looked at.
    const read = parseJson(text);
    if ('code' in read) return read;
    const { value } = read;
    return envelopeRefusal(operationId, value) ?? contract.handle(operation, value, '', caller);
  }

  return async (operationId, body, idempotencyKey) => {
    const requestId = requestIdOf(undefined);
    const refused = (why: HttpRefusal): Reply => renderRefusal(operationId, why, network);
    const leave = places.take(operationId, NAME);
    if (leave === undefined) return refused(overloaded());
    try {
      const handled = await handle(operationId, body, callerOf(requestId, idempotencyKey));
      return 'code' in handled ? refused(handled) : handled;
    } catch (err) {
      log.error({ requestId, operation: operationId, err }, 'fault');
      return refused(refuse(500, 'svc_internal_error'));
    } finally {
      leave();
    }
  };
}

function callerOf(requestId: string, idempotencyKey: string | undefined): Caller {
  const gone = new AbortController().signal;
  return { name: NAME, keyId: undefined, requestId, prefersPage: false, idempotencyKey, gone };
}
