import type { RpcLimits } from '../limits.ts';
import type { SchemeLog } from '../log.ts';
import type { RpcFault } from './fault.ts';

/** Tells whether a node is worth asking. */
export interface NodeHealth {
  /** Returns how long the node is still asked last; 0 while it is sound. */
  restMs(): number;
  /** True from the start of a rest until an answer shows that the node is back. */
  isResting(): boolean;
  /** Call this before a call to the node. The returned function takes the call's fault, or nothing if it succeeded. */
  ask(method: string): (fault?: RpcFault) => void;
}

/**
 * A node that fails several times in a row rests, twice as long each time. Each method counts by itself: a node that
 * answers all but one is not sound. When a rest is over, one call tries the node while the others still avoid it.
 */
export function createNodeHealth(deps: {
  /** The node, as the log names it. */
  rpc: string;
  log: SchemeLog;
  now: () => number;
  limits: RpcLimits;
  answerTimeoutMs: number;
}): NodeHealth {
  const { rpc, log, now, limits, answerTimeoutMs } = deps;
  /** By method, the number of faults in a row, and the time of the last. */
  const faults = new Map<string, { count: number; at: number }>();
  /** The number of rests in a row. */
  let rests = 0;
  let restsUntil = 0;
  const restMs = (): number => Math.max(0, restsUntil - now());
  /** Returns recent faults: a rarely called method must not count forever, but must count for longer than any rest. */
  const recent = () => [...faults.values()].filter(({ at }) => now() - at <= 2 * limits.maxRestMs);
  const isFailing = (): boolean =>
    recent().reduce((sum, { count }) => sum + count, 0) >= limits.faultsBeforeRest;

  function failed(method: string, fault: RpcFault, isTrial: boolean): void {
    faults.set(method, { count: (faults.get(method)?.count ?? 0) + 1, at: now() });
    // A call that was under way when the rest began tells nothing new.
    if (!isFailing() || (restMs() > 0 && !isTrial)) return;
    const lengthMs = Math.min(limits.maxRestMs, limits.minRestMs * 2 ** rests);
    restsUntil = now() + lengthMs;
    rests += 1;
    const fields = { rpc, restMs: lengthMs, err: fault };
    if (rests === 1) log.warn(fields, 'RPC node rests: it failed several times in a row');
  }

  function answered(method: string): void {
    faults.delete(method);
    if (rests === 0) return;
    restsUntil = 0;
    if (isFailing()) return;
    log.info({ rpc, rests }, 'RPC node is back');
    faults.clear();
    rests = 0;
  }

  return {
    restMs,
    isResting: () => rests > 0,
    ask(method) {
      const isTrial = rests > 0 && restMs() === 0;
      if (isTrial) restsUntil = now() + answerTimeoutMs;
      return (fault) => (fault === undefined ? answered(method) : failed(method, fault, isTrial));
    },
  };
}
