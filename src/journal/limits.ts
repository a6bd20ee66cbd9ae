/** Limits what the journal keeps in its file, and in memory if the file cannot take it. */
export interface JournalLimits {
  /** Finished entries that are kept for looking back; `SETTLEMENTS_KEPT`. Beyond this the oldest make room. */
  entriesKept: number;
  /** Days whose fee totals are kept. */
  feeDaysKept: number;
  /** Room is made after this many finished entries, or this many bytes of listings. */
  pruneEvery: number;
  pruneEveryBytes: number;
  /** Listings that wait for a catalog that fails. Beyond either limit the oldest are given up. */
  unlistedKept: number;
  unlistedBytes: number;
  /**
   * Listings that only memory has, while the file cannot be written, and with webhooks outcomes, too. Beyond either limit,
   * new ones are not held.
   */
  heldKept: number;
  heldBytes: number;
  /** Events that wait for the receiver of webhooks. Beyond this the oldest become dead letters. */
  eventsKept: number;
  /** Dead letters, and the days that they are kept. */
  deadEventsKept: number;
  deadEventDaysKept: number;
  /** Hours that the answer to an `Idempotency-Key` is kept. */
  answerHoursKept: number;
  /** Such answers, for each caller and in all. Beyond either limit the oldest go of the caller that has most. */
  answersKept: { perCaller: number; inAll: number };
}

const MIB = 1024 * 1024;

export const JOURNAL_LIMITS: JournalLimits = {
  entriesKept: 100_000,
  feeDaysKept: 31,
  pruneEvery: 1_000,
  pruneEveryBytes: MIB,
  unlistedKept: 10_000,
  unlistedBytes: 64 * MIB,
  heldKept: 1_000,
  heldBytes: 16 * MIB,
  eventsKept: 50_000,
  deadEventsKept: 10_000,
  deadEventDaysKept: 30,
  answerHoursKept: 24,
  answersKept: { perCaller: 10_000, inAll: 50_000 },
};

/** Maximum size of the JSON text that a listing is made from. A longer one is not kept. The catalog needs no more. */
export const LISTING_LIMIT_BYTES = 96 * 1024;
/** Maximum length of a recorded text. Addresses, codes and names are far shorter. */
export const FACT_LIMIT_CHARS = 128;
/** Maximum length of the URL that a record has of what was sold, and of the text that goes with a code. */
export const RESOURCE_LIMIT_CHARS = 256;
export const MESSAGE_LIMIT_CHARS = 256;
/** SQLite cuts the write-ahead log to this size when the log starts again. From 4 MB on, it copies it into the file. */
export const LOG_LIMIT_BYTES = 8 * MIB;
/** A file with more unused space than this is shrunk at start. */
export const SPARE_LIMIT_BYTES = 32 * MIB;
/** Hashes of lost listings that one log line names. */
export const MAX_HASHES_LOGGED = 20;

/** A write waits this long for another process that writes. The event loop waits with it. */
export const BUSY_TIMEOUT_MS = 20;
