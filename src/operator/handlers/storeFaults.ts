import type { OperatorRefusal } from '../../contract/index.ts';
import type { Log } from '../../log/log.ts';
import { refuse } from '../refusal.ts';

type Handler = (input: never) => unknown;

const UNAVAILABLE = refuse(
  'op_store_unavailable',
  'The journal or the catalog cannot be used. /ready says which, and the log says why.',
);

/** Returns handlers that refuse if their store fails. */
export function withStoreFaults<Handlers extends Record<string, Handler>>(
  handlers: Handlers,
  log: Log,
): Handlers {
  const guarded = Object.entries(handlers).map(([operationId, handle]) => {
    const answer = async (input: never): Promise<unknown> => {
      try {
        return await handle(input);
      } catch (err) {
        log.warn({ err, operation: operationId }, 'a store failed for the operator');
        return UNAVAILABLE satisfies OperatorRefusal;
      }
    };
    return [operationId, answer] as const;
  });
  return Object.fromEntries(guarded) as Handlers;
}
