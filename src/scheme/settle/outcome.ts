import type { LedgerClose } from '../../stellar/ledgerClock.ts';

/** Says what became of a signed transaction. */
export type Outcome =
  /** A ledger holds it, and it moved the money. */
  Included<'applied'> | Unpaid;

/** It did not pay, or nobody knows whether it did. */
export type Unpaid =
  /** A ledger holds it, and it moved nothing. */
  | Included<'failed'>
  | Rejection
  /** Its validity has passed, and no ledger holds it. */
  | { state: 'expired' }
  /** The network no longer remembers the ledgers that could hold it. */
  | { state: 'forgotten' };

/** A ledger holds it. */
interface Included<State> {
  state: State;
  ledger: number | undefined;
  /** When that ledger closed, in unix seconds; undefined if the network does not say. */
  closedAtSeconds: number | undefined;
  feeChargedStroops: number | undefined;
  result: string;
}

/** The network refused it on submission. */
export interface Rejection {
  state: 'rejected';
  reason: string;
  /** The fee that the network asks for, if it says so: with `txInsufficientFee`. Stroops. */
  askedStroops?: number;
  /** True if the reason is that of the transaction inside a fee bump. */
  isInner?: boolean;
}

/** The words for the outcomes in the journal's file and in the log. They never change. */
export const STATUS = {
  applied: 'success',
  failed: 'failed',
  rejected: 'rejected',
  expired: 'never',
  forgotten: 'forgotten',
} as const satisfies Record<Outcome['state'], string>;

/** Returns the fields that describe an outcome in the log. */
export function loggedOutcome({ state, ...facts }: Outcome): object {
  return { status: STATUS[state], ...facts };
}

/** Returns the ledger that holds a transaction, with its close time, if both are known. */
export function ledgerCloseOf(outcome: Outcome): LedgerClose | undefined {
  if (outcome.state !== 'applied' && outcome.state !== 'failed') return undefined;
  const { ledger, closedAtSeconds: seconds } = outcome;
  return ledger === undefined || seconds === undefined ? undefined : { ledger, seconds };
}

/**
 * True if the transaction can never apply because this facilitator was wrong about the network: about its account's
 * sequence number, the time, or the price of inclusion. The next attempt knows better.
 */
export function isCurable(outcome: Outcome): boolean {
  if (outcome.state !== 'rejected') return outcome.state === 'expired';
  return isBadSequence(outcome) || isBidTooLow(outcome) || outcome.reason === 'txTooLate';
}

/**
 * True when the network rejects every transaction from this account: it lacks lumens, does not exist, or its key is not
 * the right one.
 */
export function isOfAccount(outcome: Outcome): boolean {
  if (outcome.state !== 'rejected') return false;
  return ['txInsufficientBalance', 'txNoAccount', 'txBadAuth'].includes(outcome.reason);
}

/** True if the rejection is of the transaction inside a fee bump. */
export function isOfInner(outcome: Outcome): boolean {
  return outcome.state === 'rejected' && outcome.isInner === true;
}

export function isBidTooLow(outcome: Outcome): boolean {
  return outcome.state === 'rejected' && outcome.reason === 'txInsufficientFee';
}

export function isBadSequence(outcome: Outcome): boolean {
  return outcome.state === 'rejected' && outcome.reason === 'txBadSeq';
}
