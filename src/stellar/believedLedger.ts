import * as rules from './ledgerTrust.ts';
import type { RpcLimits } from './limits.ts';

/** The latest ledger that nodes have shown and that is believed, by the rules of `ledgerTrust.ts`. */
export interface BelievedLedger {
  /** The latest ledger, and when an answer first showed it; undefined if none is known. */
  latest(): Pick<rules.LatestLedger, 'ledger' | 'since'> | undefined;
  /** Returns why a node's answer cannot show the latest ledger; undefined if it can. `nodes` counts all nodes. */
  judge(node: object, ledger: number, nodes: number): string | undefined;
  /** True if an answer that names this ledger shows that the latest one was wrong. */
  isDisowned(ledger: number): boolean;
  believe(ledger: number): void;
  forget(): void;
}

export function createBelievedLedger(deps: { now: () => number; limits: RpcLimits }): BelievedLedger {
  const { now, limits } = deps;
  let latest: rules.LatestLedger | undefined;
  let claim: rules.Claim | undefined;

  return {
    latest: () => latest,
    judge(node, ledger, nodes) {
      if (latest === undefined) return undefined;
      if (rules.isFarBehind(latest, ledger, limits)) latest = rules.dissented(latest, ledger, now());
      if (rules.isTooOld(latest, ledger, now(), limits))
        return `the node is ${latest.ledger - ledger} ledgers behind`;
      if (!rules.isTooNew(latest, ledger, now(), limits)) return undefined;
      const before = claim;
      claim = { ledger, node };
      if (before !== undefined && rules.isConfirmed(before, claim, nodes, limits)) return undefined;
      return `the node claims to be ${ledger - latest.ledger} ledgers ahead`;
    },
    isDisowned: (ledger) => latest !== undefined && rules.isDisowned(latest, ledger, limits),
    believe(ledger) {
      latest = rules.latestAfter(latest, ledger, now(), limits);
      claim = undefined;
    },
    forget() {
      [latest, claim] = [undefined, undefined];
    },
  };
}
