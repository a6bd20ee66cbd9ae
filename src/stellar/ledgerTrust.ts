/** The latest ledger that nodes have shown, and the rules for when an answer is too old or too new beside it. */
import type { RpcLimits } from './limits.ts';

interface Sight {
  readonly ledger: number;
  /** When an answer first showed it. */
  readonly since: number;
  /** When an answer last showed it, or a ledger just before it. */
  readonly shownAt: number;
}

export interface LatestLedger extends Sight {
  /** The number of answers that showed it; 0 while it is in doubt. */
  readonly shows: number;
  /**
   * The number of answers that were far behind since then, or since it came into doubt, and the ledger of the first.
   */
  readonly dissents: number;
  readonly firstDissent: number;
  /** The latest ledger of such answers. */
  readonly dissent: Sight;
}

/** A ledger that was too new to be believed, and the node that claimed it. */
export interface Claim {
  readonly ledger: number;
  readonly node: object;
}

/** True if nodes that merely lag a little do not show this ledger. */
export function isFarBehind(latest: LatestLedger, ledger: number, limits: RpcLimits): boolean {
  return ledger < latest.ledger - limits.maxLagLedgers;
}

/** Counts an answer that is far behind. */
export function dissented(latest: LatestLedger, ledger: number, now: number): LatestLedger {
  const { dissents, dissent } = latest;
  const isFirst = dissents === 0;
  const since = isFirst || ledger > dissent.ledger ? now : dissent.since;
  return {
    ...latest,
    dissents: dissents + 1,
    firstDissent: isFirst ? ledger : latest.firstDissent,
    dissent: { ledger: isFirst ? ledger : Math.max(ledger, dissent.ledger), since, shownAt: now },
  };
}

/**
 * The rule for "too old". A node that is far behind the others (or itself) shows a past in which payments are not spent
 * yet. Its answers count only while the latest ledger is in doubt: nothing has shown that ledger for long, or one answer
 * alone has and several in a row were far behind it.
 */
export function isTooOld(latest: LatestLedger, ledger: number, now: number, limits: RpcLimits): boolean {
  const isForgotten = now - latest.shownAt > limits.ledgerMemoryMs;
  const isContradicted = latest.shows === 1 && latest.dissents > limits.maxDissents;
  const isInDoubt = latest.shows === 0 || isForgotten || isContradicted;
  return isFarBehind(latest, ledger, limits) && !isInDoubt;
}

/**
 * The rule for "too new": the answer is further ahead than ledgers can have closed. If the latest ledger stands still,
 * any later one is believed. A claim, once confirmed, is believed as well. While the latest ledger is in doubt, the
 * ledgers of those that contradict it count instead: one more answer like it is no proof.
 */
export function isTooNew(latest: LatestLedger, ledger: number, now: number, limits: RpcLimits): boolean {
  const { ledger: believed, since, shownAt } = latest.shows === 0 ? latest.dissent : latest;
  if (now - since > limits.maxStandstillMs) return false;
  return ledger - believed > limits.maxLeadLedgers + (now - shownAt) / limits.minLedgerMs;
}

/**
 * True if a node confirms a claim: a second node, or the same one if there is no other. A single wrong answer must not
 * make all true ones look outdated.
 */
export function isConfirmed(claim: Claim, by: Claim, nodes: number, limits: RpcLimits): boolean {
  const lead = by.ledger - claim.ledger;
  const isWitness = nodes === 1 || by.node !== claim.node;
  return isWitness && lead >= -limits.maxLagLedgers && lead <= limits.maxLeadLedgers;
}

/** True if the latest ledger was wrong: it is in doubt, and many answers in a row were far behind it and advanced. */
export function isDisowned(latest: LatestLedger, ledger: number, limits: RpcLimits): boolean {
  if (!isFarBehind(latest, ledger, limits) || latest.shows > 0) return false;
  const goesOn = ledger >= latest.firstDissent + limits.minDisowningLedgers;
  return goesOn && latest.dissents >= limits.minDisowningDissents;
}

/** Returns the latest ledger as of an answer that is believed. A ledger that is only in doubt stays the latest. */
export function latestAfter(
  latest: LatestLedger | undefined,
  ledger: number,
  now: number,
  limits: RpcLimits,
): LatestLedger {
  if (latest === undefined || ledger > latest.ledger) {
    const seen = { ledger, since: now, shownAt: now };
    return { ...seen, shows: 1, dissents: 0, firstDissent: 0, dissent: seen };
  }
  if (!isFarBehind(latest, ledger, limits))
    return { ...latest, shownAt: now, shows: latest.shows + 1, dissents: 0 };
  return latest.shows === 0 ? latest : dissented({ ...latest, shows: 0, dissents: 0 }, ledger, now);
}
