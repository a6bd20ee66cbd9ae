import type { BazaarOutcome } from '../contract/index.ts';
import type { SettledFacts, SettlementJournal } from '../scheme/index.ts';
import type { Answers } from './answers/answer.ts';
import type { Awaitable } from './awaitable.ts';
import type { Events } from './events/event.ts';
import type { Records } from './records/record.ts';
import type { LedgerClose } from '../stellar/ledgerClock.ts';

/** Ends messages about lost listings. */
export const LISTED_AT_NEXT_SALE = 'Each resource is listed at its next sale';
/** Logged when due listings exceed their limits. */
export const LISTINGS_GIVEN_UP = `listings are lost: the catalog has failed for too long, so those that had waited longest were given up. ${LISTED_AT_NEXT_SALE}`;

/** A settled payment whose listing is still to be written. */
export interface DueListing extends SettledFacts {
  /** Undefined if it is not known. */
  readonly payer: string | undefined;
  /** See `JournalEntry.listing`. */
  readonly listing: string;
  /** When its outcome was learned. */
  readonly settledAt: Date;
}

/** The stroops that count for budgets of today (UTC): what was charged, and what open bids may cost. */
export interface FeesToday {
  readonly all: number;
  /** The part that callers without a key have spent. */
  readonly anonymous: number;
}

/** Records every settlement's transaction, its outcome, and whether its listing was written. Nothing here throws. */
export interface Journal extends SettlementJournal {
  /** Returns the latest ledger that is known to hold a journaled transaction. */
  latestClose(): Awaitable<LedgerClose | undefined>;
  /** Records that a settled payment needs nothing more: its listing was written, or was refused. */
  listed(hash: string, status: BazaarOutcome['status']): void;
  /** Returns the hashes of settled payments without a written listing, oldest first; those in memory come last. */
  unlisted(): Awaitable<string[]>;
  /** Returns what that listing is made from; undefined if it was written meanwhile. */
  dueListing(hash: string): Awaitable<DueListing | undefined>;
  /** Writes something. Throws if the store does not take it. */
  checkWritable(): Awaitable<void>;
  /** The records that people look up. */
  readonly records: Records;
  /** What callers were answered that name their settlements by keys. */
  readonly answers: Answers;
  /** Undefined if they cannot be read. */
  feesToday(): Awaitable<FeesToday | undefined>;
  /** The events for webhooks; undefined if there are none. */
  readonly events: Events | undefined;
  /** Stops recording. Logs the listings that are lost when the process ends, if there are any. */
  end(): Awaitable<void>;
}
