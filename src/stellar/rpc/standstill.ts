import type { SchemeLog } from '../log.ts';

/** Whether a node's ledgers go on. */
export interface Standstill {
  /** Takes note of the latest ledger that an answer of the node names. */
  observe(ledger: number): void;
  /** True while the node has answered with the same ledger for too long. */
  isStill(): boolean;
  /** When it was last heard of. */
  heardAt(): number;
}

/**
 * A node that stands still answers well, and tells of a past in which nothing happens any more: one that was not
 * upgraded does so from a vote on. Only what it answered counts: nobody knows of a node that nobody asks.
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
