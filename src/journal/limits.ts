/** How much the journal keeps in its file, and in memory if the file cannot take it. */
export interface JournalLimits {
  /** Ended entries that are kept for looking back; beyond this the oldest make room. */
  entriesKept: number;
  /** How often room is made: after this many ended entries, or this many bytes of listings. */
  pruneEvery: number;
  pruneEveryBytes: number;
  /** Listings that wait for a catalog that fails; beyond either limit the oldest are given up. */
  unlistedKept: number;
  unlistedBytes: number;
  /** The same for listings that only memory has, while the file cannot be written. */
  heldKept: number;
  heldBytes: number;
}

const MIB = 1024 * 1024;

export const JOURNAL_LIMITS: JournalLimits = {
  entriesKept: 100_000,
  pruneEvery: 1_000,
  pruneEveryBytes: MIB,
  unlistedKept: 10_000,
  unlistedBytes: 64 * MIB,
  heldKept: 1_000,
  heldBytes: 16 * MIB,
};

/** The JSON text that a listing is made from; a longer one is not kept. The catalog asks for no more. */
export const LISTING_LIMIT_BYTES = 96 * 1024;
/** Addresses, codes and names are shorter by far. */
export const FACT_LIMIT_CHARS = 128;
/** The write-ahead log is cut to this whenever it begins anew. SQLite copies it into the file from 4 MB on. */
export const LOG_LIMIT_BYTES = 8 * MIB;
/** A file with more than this to spare is made smaller at start. */
export const SPARE_LIMIT_BYTES = 32 * MIB;
/** Hashes of lost listings that a line of the log names. */
export const MAX_HASHES_LOGGED = 20;

/** How long a write waits for another process that writes: the event loop waits with it. */
export const BUSY_TIMEOUT_MS = 20;
