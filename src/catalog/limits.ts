/** Number of listings on a page, by default and at most. */
export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

/** A larger page is made in parts of this size. Each is read after the client has taken the previous one. */
export const PART_LIMIT_BYTES = 256 * 1024;

/** When an owner signed last about a listing is known for so long at least. No signature counts for so long. */
export const SIGNED_KNOWN_MS = 60 * 60_000;

/** Listings that an export reads at a time. They are in memory together. */
export const LISTINGS_PER_READ = 200;

/** Limits of imports, and of each of their listings. */
export const IMPORT_LIMITS = {
  /** Imported listings that a catalog has, from all sources together. */
  maxListings: 100_000,
  /** Length of an import, in bytes. */
  bytes: 256 * 1024 * 1024,
  /** Terms of a listing. */
  maxTerms: 16,
  /** Listings that are written in one transaction: writes of settlements wait for it. */
  perStep: 50,
};

export type ImportLimits = Readonly<typeof IMPORT_LIMITS>;

/** Different terms kept per listing for each scheme, network and recipient. Beyond this the oldest make room. */
export const MAX_TERMS_PER_KIND = 16;
/** Terms that are larger than this as JSON are kept without their `extra` and other additional fields. */
export const TERMS_LIMIT_BYTES = 1024;

/**
 * Maximum size of all terms of a listing together, as JSON. Beyond this the oldest make room too. With 64 KiB for the
 * extension, 12 KiB for the description, and the URLs, a listing has at most 96 KiB.
 */
export const ACCEPTS_LIMIT_BYTES = 8 * 1024;
/** Payers that a listing remembers. More say no more for it. */
export const MAX_KNOWN_PAYERS = 16;
/** A longer tool name is replaced by its hash in the key of its listing. */
export const TOOL_KEY_LIMIT_CHARACTERS = 256;

/** Characters of a word that count. Only the start of a longer one counts, such as a sentence without spaces. */
export const WORD_LIMIT_CHARACTERS = 64;
/** Different words of a listing that are searchable: those of the name first, then tags, description and parameters. */
export const MAX_WORDS_PER_LISTING = 512;
/** Maximum size of all these words together, in UTF-8. The index needs several times as much. */
export const WORDS_LIMIT_BYTES = 6 * 1024;
/** Different words of a query that are searched for; the rest are ignored. */
export const MAX_QUERY_WORDS = 64;
/**
 * Postings that one search may go through. If the words of a query have more, the search leaves out the most common
 * words and sets `partialResults`.
 */
export const RETRIEVAL_CAP_POSTINGS = 16_000_000;
/**
 * Earlier wordings of refreshed listings that are kept, so that paging by cursor visits each match once. A cursor
 * expires when more listings than this have been reworded since its first page. Each takes at most 12 KiB.
 */
export const MAX_EARLIER_WORDINGS = 2_000;

/** A statement waits this long for another process that writes. */
export const BUSY_TIMEOUT_MS = 100;
/**
 * A write-ahead log longer than this is copied into the file after a write has been answered. The copy waits for
 * searches under way, and the next write waits for it. So it is rare: about one in a hundred writes to a large
 * catalog.
 */
export const CHECKPOINT_AT_BYTES = 64 * 1024 * 1024;
/** Size of each connection's page cache in memory. */
export const PAGE_CACHE_KIB = 16 * 1024;

/**
 * An index that is filled from empty gathers about this much in memory, and writes it in steps of so many rows while it
 * gathers as much again. Many steps are one transaction, with a larger page cache: the names and owners of listings come
 * in no order, so that each step changes most pages of their indexes, which are then written once. The cache is about as
 * large as these indexes of 1,000,000 listings.
 */
export const FILL_LIMITS = {
  bytes: 64 * 1024 * 1024,
  rowsPerStep: 20_000,
  stepsPerCommit: 30,
  pageCacheKib: 128 * 1024,
};

export type FillLimits = Readonly<typeof FILL_LIMITS>;

/** A file of an older version gets what it lacks in steps of so many listings. Writes come in between. */
export const TRAITS_FILL = { listingsPerStep: 200, pauseMs: 10 };

/** Limits of what the catalog's keeper does, and of what is kept of it. */
export const KEEPER_LIMITS = {
  /** Blocks that may be in force. The oldest acts make room. */
  maxBlocks: 1_000,
  maxActs: 10_000,
  /** Listings that a block hides, and shows again, in one transaction: writes of settlements wait for it. */
  listingsPerStep: 2_000,
  /** Listings that a page of the keeper's list looks at. A page may be short, and name where the next one begins. */
  scannedPerPage: 20_000,
};

export type KeeperLimits = Readonly<typeof KEEPER_LIMITS>;

/** A recipient's signature for its listing is shown for this long. */
export const CONFIRMED_FOR_MS = 30 * 24 * 3_600_000;

/** Listings whose proofs are looked at together: a page of those that end soon, and those of a recipient at an origin. */
export const MAX_UNPROVEN = 100;
/** Unproven listings of a recipient, the latest first, among which those at an origin are looked for. */
export const SCANNED_FOR_UNPROVEN = 20_000;

/** Names that a page of a list sorted by URL goes through, and matches that it sorts at once instead. */
export const SORT_LIMITS = { scannedNames: 20_000, sortedAtOnce: 2_000 };

export type SortLimits = Readonly<typeof SORT_LIMITS>;

/** The networks and assets whose matches are counted, the most listed of those in the oldest terms of the catalog. */
export const FACET_LIMITS = { values: 20, terms: 5_000 };

export type FacetLimits = Readonly<typeof FACET_LIMITS>;

/** A process beside the service pauses between two steps, longer than the service waits before it tries to write again. */
export const BETWEEN_STEPS_MS = 30;

/** Length of a reason, and of the name of the person who gives it. */
export const REASON_LIMIT_CHARACTERS = 500;
export const ACTOR_LIMIT_CHARACTERS = 64;

/** Maximum length of an address in the log. */
export const ADDRESS_SHOWN_CHARS = 200;
/** Niceness of the reading threads: they yield to the others when processors are short. */
export const READER_NICENESS = 5;

/** The hybrid ranking's index looks this often for what was written, also if nobody searches. */
export const HYBRID_FOLLOW_MS = 1_000;

/** Limits of the catalog's threads, and of waiting for them. A test may bring others. */
export const CATALOG_LIMITS = {
  /** A settlement waits this long for the catalog's answer. */
  submitBudgetMs: 250,
  /** A catalog thread that does not answer within this time is replaced. */
  answerTimeoutMs: 10_000,
  /** Declarations that may wait for the writing thread, and parts of pages that may wait for the reading threads. */
  maxWaiting: 1_000,
  /** Lists and searches that may wait for the threads that answer them. */
  maxWaitingQuestions: 256,
  /** A list or search that has waited this long is refused. Callers wait longer than this for an answer. */
  questionWaitMs: 500,
  /** When a caller's oldest question has waited this long, its newest ones go first. */
  newestFirstAfterMs: 100,
  /**
   * Questions that a reading thread holds at a time. When it has answered one, the next is already there, however busy
   * the main thread is.
   */
  questionsAtATime: 2,
  /** Maximum number of threads that answer lists and searches. There are fewer if there are few processors. */
  maxReaders: 2,
  /** A thread that is not ready within this time is ended. It may be migrating the file, or waiting for one that is. */
  startTimeoutMs: 60_000,
  /** A thread that ended is not replaced for this long, so that one that cannot start does not spin. */
  restartDelayMs: 1_000,
  /** Maximum heap size of each thread. A thread that exceeds it is replaced. */
  threadHeapMib: 256,
  /** The same for the thread with the hybrid ranking's index, whose terms are on the heap. */
  rankerHeapMib: 1_024,
  /** A batch of the shared log has at most this many listings, or a single one that is larger than this. */
  logBatchListings: 2_048,
  logBatchBytes: 4 * 1024 * 1024,
  /** The end of the shared log is looked for this often, if no notice comes. */
  logPollMs: 1_000,
  /** After a notice of a write, others are awaited this long, so that they are read together. */
  noticeWaitMs: 5,
  /** Pause before the shared log is read again after a failure. */
  logRetryMs: 250,
  /** A submitted listing waits this long until the index of this instance has it, too. */
  ownWriteWaitMs: 150,
  /** A cursor of an instance whose index is ahead waits this long for this one. */
  cursorWaitMs: 250,
  /** A write to the shared log is computed again this often, if other instances write the same listing. */
  maxLogAttempts: 20,
  /** Closing waits this long for requests that wait or are under way. */
  closeGraceMs: 5_000,
};

export type CatalogLimits = Readonly<typeof CATALOG_LIMITS>;
