import type { LoggedFacts } from './loggedEnd.ts';
import type { Outcome } from './outcome.ts';
import type { SentTransaction } from './watcher.ts';

/** Says for whom a settlement is made, and what its network fees may add up to per day (UTC). */
export interface FeeBudget {
  /** The caller that the fee counts for: `key:<id>`, or all that have no key, `anonymous`. */
  readonly caller: string;
  /** Stroops per day for this caller; undefined for no limit. */
  readonly callerStroops: number | undefined;
  /** Stroops per day for all callers; undefined for no limit. */
  readonly serviceStroops: number | undefined;
}

/** Says whose budget it is: that of the caller (or of all without a key), or that of all callers. */
export type BudgetOwner = 'caller' | 'service';

/** Returns the budget that cannot afford a bid, given what counts for it already today. All in stroops. */
export function exhaustedIn(
  { callerStroops = Infinity, serviceStroops = Infinity }: FeeBudget,
  counted: Readonly<Record<BudgetOwner, number>>,
  bidStroops: number,
): BudgetOwner | undefined {
  if (counted.caller + bidStroops > callerStroops) return 'caller';
  return counted.service + bidStroops > serviceStroops ? 'service' : undefined;
}

/** Counts for callers without a key. */
export const UNLIMITED_BUDGET: FeeBudget = {
  caller: 'anonymous',
  callerStroops: undefined,
  serviceStroops: undefined,
};

export const hasLimit = ({ callerStroops, serviceStroops }: FeeBudget): boolean =>
  callerStroops !== undefined || serviceStroops !== undefined;

/** What a caller names a settlement by. Both are SHA-256, in hex. */
export interface SettlementKey {
  readonly keyHash: string;
  /** Of the body as canonical JSON. */
  readonly bodyHash: string;
}

/** A settlement's transaction before it is sent. Holds all that another process needs to learn its outcome. */
export interface JournalEntry {
  /** 64 hex characters. */
  readonly hash: string;
  /** The text that its listing is made from once it has settled; undefined if it asks for no listing. */
  readonly listing: string | undefined;
  /** True if its asset is a Stellar asset contract. Any other asset runs its author's code. */
  readonly isStellarAsset: boolean;
  readonly payer: string;
  /** Whom it pays, how much of which asset (base units), and for what, if that is known. */
  readonly payTo: string;
  readonly amount: bigint;
  readonly asset: string;
  readonly resource: string | undefined;
  /** The party that a failure counts for; see partyOf. */
  readonly party: string;
  /** `address:nonce` of the authorization that it spends. */
  readonly authorization: string;
  readonly submitter: string;
  readonly sequence: bigint;
  readonly bid: { readonly inclusionStroops: number; readonly totalStroops: number };
  /** The budget that the bid is taken from. What is not charged goes back. */
  readonly budget: FeeBudget;
  /** The id by which the buyer names the payment; absent if there is none. Its signature does not cover it. */
  readonly paymentIdentifier?: string | undefined;
  /** The key of its caller that it is sent for; absent if the caller uses none. */
  readonly key?: SettlementKey | undefined;
  readonly sent: Pick<SentTransaction, 'validity' | 'sentInLedger'>;
  /** The request that asked for it; undefined if it has no name. */
  readonly requestId: string | undefined;
  /** Milliseconds since it was asked for, and since it was last found good. */
  readonly askedAgoMs: number;
  readonly verifiedAgoMs: number;
}

/** The parts of an entry that another process needs to learn its outcome and to log it. */
export interface UnendedEntry
  extends Pick<JournalEntry, 'party' | 'authorization' | 'sequence' | 'bid' | 'sent'>, LoggedFacts {
  readonly bid: JournalEntry['bid'];
  /** Milliseconds since it was opened, by this machine's clock. */
  readonly ageMs: number;
  /** Milliseconds since it was asked for; undefined in older entries. */
  readonly askedAgoMs: number | undefined;
}

/**
 * Says whether a transaction may be sent: not if another instance settles the authorization or has the account, if the
 * bid exceeds what is left of the budget, if its key stands for another body or has its answer, if another
 * payment to its recipient has its identifier, or if that cannot be
 * recorded.
 */
export type Opened =
  | 'open'
  | 'in flight elsewhere'
  | 'account lost'
  | 'budget exhausted'
  | 'key taken'
  | 'identifier taken'
  | 'unavailable';

/** A transfer, and the authorization that it spends: `address:nonce`. */
export type SpentPayment = Pick<JournalEntry, 'authorization' | 'payTo' | 'amount' | 'asset'>;

/** The record that outlives the process. Nothing here throws. */
export interface SettlementJournal {
  /** Returns the hash of the transaction that settled exactly this transfer, if it is remembered. */
  settledBy(payment: SpentPayment): string | undefined | Promise<string | undefined>;
  /** Returns the budget that cannot afford a bid of so many stroops at the moment, if any. `open` has the last word. */
  exhausted(budget: FeeBudget, stroops: number): BudgetOwner | undefined | Promise<BudgetOwner | undefined>;
  /** Records a transaction before it is sent, and reserves its bid. `mayStillSend` is asked after any wait. */
  open(entry: JournalEntry, mayStillSend: () => boolean): Opened | Promise<Opened>;
  close(hash: string, outcome: Outcome): void;
  /** Entries that an earlier process left open, oldest first. Nobody waits for their answers any more. */
  unended(): UnendedEntry[];
  /** Settlements that failed on the ledger within this time, and how long ago that was learned; oldest first. */
  failures(withinMs: number): Failed[] | Promise<Failed[]>;
}

/** A settlement that failed on the ledger. */
export interface Failed {
  readonly party: string;
  readonly agoMs: number;
}
