import type { SchemeLog } from '../log.ts';

/** Tells whether a node's ledgers go on. */
export interface Standstill {
  /** Takes note of the latest ledger that an answer of the node names. */
  observe(ledger: number): void;
  /** True while the node has answered with the same ledger for too long. */
  isStill(): boolean;
  /** Returns when the node last answered. */
  heardAt(): number;
}

/**
 * A node that stands still answers well, but shows a past in which nothing happens any more. A node that was not
 * upgraded does so once the network has voted for a new protocol. Only its answers count: nothing is known of a node
 * that is not asked.
 */
export function createStandstill(deps: {
  /** The node, as the log names it. */
  rpc: string;
  log: SchemeLog;
  now: () => number;
  maxStandstillMs: number;
}): Standstill {
  const { rpc, log, now, maxStandstillMs } = deps;
  let seen: { ledger: number; since: number; until: number } | undefined;
  const isStill = (): boolean => seen !== undefined && seen.until - seen.since > maxStandstillMs;

  return {
    observe(ledger) {
      const was = isStill();
      if (seen?.ledger === ledger) seen.until = now();
      else seen = { ledger, since: now(), until: now() };
      if (was === isStill()) return;
      if (was) log.info({ rpc, ledger }, 'the ledgers of the RPC node go on');
      else log.warn({ rpc, ledger }, 'the RPC node stands still: others are asked before it');
    },
    isStill,
    heardAt: () => seen?.until ?? -Infinity,
  };
}
