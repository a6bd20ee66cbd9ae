import type { RpcLimits } from '../limits.ts';
import { RpcFault } from './node.ts';
import type { RpcNode } from './node.ts';

/** Judges whether an answer shows the network's present state. */
export interface LedgerJudge {
  /** Throws an RpcFault if the ledger that an answer names cannot be the latest one. */
  check(node: RpcNode, method: string, answer: { latestLedger?: number | undefined }): void;
  /** Forgets the latest ledger that was believed: it was of another network. */
  forget(): void;
}

/**
 * A node that is far behind the others (or itself) shows a past in which payments are not spent yet. A node that is
 * further ahead than ledgers can have closed is believed only if a second one agrees, or the same one if there is no
 * other. A single wrong answer must not make all true ones look outdated.
 */
export function createLedgerJudge(deps: {
  now: () => number;
  limits: RpcLimits;
  /** The number of nodes. */
  nodes: number;
}): LedgerJudge {
  const { now, limits, nodes } = deps;
  /** The latest ledger believed, when nodes first and last showed it, and how many answers agreed and dissented. */
  let latest: { ledger: number; since: number; shownAt: number; shows: number; dissents: number } | undefined;
  /** The latest ledger that was not believed. */
  let claim: { ledger: number; node: RpcNode } | undefined;

  function isConfirmed(node: RpcNode, ledger: number): boolean {
    if (claim === undefined || ledger < claim.ledger - limits.maxLagLedgers) return false;
    return (nodes === 1 || claim.node !== node) && ledger <= claim.ledger + limits.maxLeadLedgers;
  }

  return {
    check(node, method, { latestLedger: ledger }) {
      if (ledger === undefined) return;
      const lead = latest === undefined ? 0 : ledger - latest.ledger;
      const passedMs = latest === undefined ? 0 : now() - latest.shownAt;
      if (latest !== undefined && lead < 0 && passedMs <= limits.ledgerMemoryMs) {
        if (-lead <= limits.maxLagLedgers) return void (latest.shows += 1);
        latest.dissents += 1;
        const isDisowned = latest.shows === 1 && latest.dissents > limits.maxDissents;
        if (!isDisowned) throw new RpcFault(`${method}: the node is ${-lead} ledgers behind`);
      }
      const isStill = latest !== undefined && now() - latest.since > limits.maxStandstillMs;
      const isTooFar = lead > limits.maxLeadLedgers + passedMs / limits.minLedgerMs;
      // If the ledger that was believed stands still, another one is believed.
      if (isTooFar && !isStill && !isConfirmed(node, ledger)) {
        claim = { ledger, node };
        throw new RpcFault(`${method}: the node claims to be ${lead} ledgers ahead`);
      }
      const before = lead === 0 ? latest : undefined;
      const shows = (before?.shows ?? 0) + 1;
      latest = { ledger, since: before?.since ?? now(), shownAt: now(), shows, dissents: 0 };
      claim = undefined;
    },
    forget: () => void (latest = undefined),
  };
}
