import type { LedgerClock, LedgerSighting } from '../ledgerClock.ts';
import type { Rpc } from './pool.ts';

/** Returns the same RPC, but every answer also tells the clock how far the network is. */
export function heardBy(clock: Pick<LedgerClock, 'observe'>, rpc: Rpc): Rpc {
  function heard<Answer>(answer: Answer): Answer {
    const { latestLedger } = answer as Partial<LedgerSighting>;
    if (Number.isSafeInteger(latestLedger)) clock.observe(answer as LedgerSighting);
    return answer;
  }
  return {
    call: async (method, params, purpose) => heard(await rpc.call(method, params, purpose)),
    callEach: async (method, params) => (await rpc.callEach(method, params)).map(heard),
    close: () => rpc.close(),
  };
}
