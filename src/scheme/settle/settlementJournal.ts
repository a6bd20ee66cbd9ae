import type { Outcome } from './outcome.ts';
import type { SentTransaction } from './watcher.ts';

/** A settlement's transaction before it is sent. Holds all that another process needs to learn its outcome. */
export interface JournalEntry {
  /** 64 hex characters. */
  readonly hash: string;
  /** The text that its listing is made from once it has settled; undefined if it asks for no listing. */
  readonly listing: string | undefined;
  /** True if its asset is a Stellar asset contract. Any other asset runs its author's code. */
  readonly isStellarAsset: boolean;
  readonly payer: string;
  /** The party that a failure counts for; see partyOf. */
  readonly party: string;
  /** `address:nonce` of the authorization that it spends. */
  readonly authorization: string;
  readonly submitter: string;
  readonly sequence: bigint;
  readonly bid: { readonly inclusionStroops: number; readonly totalStroops: number };
  readonly sent: Pick<SentTransaction, 'validity' | 'sentInLedger'>;
}

export interface UnendedEntry extends Omit<JournalEntry, 'listing' | 'isStellarAsset'> {
  /** Milliseconds since it was opened, by this machine's clock. */
  readonly ageMs: number;
}

/**
 * Says whether a transaction may be sent: not if another instance settles the authorization or has the account, nor if a
 * database that instances share cannot be asked.
 */
export type Opened = 'open' | 'in flight elsewhere' | 'account lost' | 'unavailable';

/** The record that outlives the process. Nothing here throws. */
export interface SettlementJournal {
  /** Records a transaction before it is sent. `mayStillSend` is asked after any wait. */
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
