import { JOURNAL_LIMITS } from '../limits.ts';

/** Limits what waits for a database that instances share. */
export interface SharedLimits {
  /** A settlement waits this long for the database before it is refused. */
  openWithinMs: number;
  /** Pause before the database is asked again, after it did not answer. */
  retryAfterMs: number;
  /** Writes that wait for the database. Refused settlements add to them while it is down. */
  outboxKept: number;
  /** At the end, outcomes that are not recorded yet wait this long for the database. */
  flushWithinMs: number;
  /** A settled payment without a written listing after this time is listed by any instance. */
  listedWithinMs: number;
  /** See JournalLimits. */
  entriesKept: number;
  /** Time between two deletions of old entries. */
  pruneEveryMs: number;
  /** A lease ends this long after its holder was last heard of, and another instance takes it over. */
  leaseMs: number;
  /** Time between two renewals of the leases. */
  renewEveryMs: number;
  /** An entry of an account of this instance that has been open this long is followed, if nobody seems to. */
  forgottenAfterMs: number;
  /** Accounts are asked for no more often than this, however many payments wait. */
  askEveryMs: number;
  /** An instance that asked for accounts this long ago needs them no more. */
  neededForMs: number;
  /** Pause between two looks for the outcome of a settlement at another instance, if no notice comes. */
  lookEveryMs: number;
}

export const SHARED_LIMITS: SharedLimits = {
  openWithinMs: 3_000,
  retryAfterMs: 250,
  outboxKept: 10_000,
  flushWithinMs: 2_000,
  listedWithinMs: 5_000,
  entriesKept: JOURNAL_LIMITS.entriesKept,
  pruneEveryMs: 60_000,
  leaseMs: 8_000,
  renewEveryMs: 2_000,
  forgottenAfterMs: 180_000,
  askEveryMs: 100,
  neededForMs: 3_000,
  lookEveryMs: 1_000,
};
