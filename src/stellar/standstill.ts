import type { SchemeLog } from './log.ts';

/** Tells whether a node's ledgers advance. */
export interface Standstill {
  /** Takes note of the latest ledger that an answer of the node names. */
  observe(ledger: number): void;
  /** True while the node has answered with no later ledger for too long. */
  isStale(): boolean;
  /** Returns when the node last answered. */
  heardAt(): number;
  /** Returns the highest ledger that it has named; undefined before the first. */
  highestLedger(): number | undefined;
}

/**
 * A stale node answers well, but shows a past in which nothing happens any more. A node that was not
 * upgraded does so once the network has voted for a new protocol. Only its answers count: nothing is known of a node
 * that is not asked.
 *
 * Behind one address, a stale node may take turns with one that lags. So a lower ledger is no progress,
 * unless it is so far behind that the network has started afresh.
 */
export function createStandstill(deps: {
  /** The node, as the log names it. */
  rpc: string;
  log: SchemeLog;
  now: () => number;
  limits: { maxStandstillMs: number; maxLagLedgers: number };
}): Standstill {
  const { rpc, log, now, limits } = deps;
  let highest: { ledger: number; since: number; until: number } | undefined;
  const isStale = (): boolean =>
    highest !== undefined && highest.until - highest.since > limits.maxStandstillMs;

  return {
    observe(ledger) {
      const was = isStale();
      const lag = highest === undefined ? -Infinity : highest.ledger - ledger;
      if (highest !== undefined && lag >= 0 && lag <= limits.maxLagLedgers) highest.until = now();
      else highest = { ledger, since: now(), until: now() };
      if (was === isStale()) return;
      if (was) log.info({ rpc, ledger }, 'the ledgers of the RPC node advance again');
      else log.warn({ rpc, ledger }, 'the RPC node is stale: others are asked before it');
    },
    isStale,
    heardAt: () => highest?.until ?? -Infinity,
    highestLedger: () => highest?.ledger,
  };
}
