/** Listings on a page, unless asked for otherwise, and at most (specification 8). */
export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

/** A page that is larger is made in parts of this size, each read when the client has taken the one before. */
export const PART_LIMIT_BYTES = 256 * 1024;

/** Different terms kept per listing for each scheme, network and recipient; beyond it the oldest make room. */
export const MAX_TERMS_PER_KIND = 16;
/** Terms of a payment that are larger as JSON are kept without their `extra` and other additional fields. */
export const TERMS_LIMIT_BYTES = 1024;

/**
 * All terms of a listing together, as JSON; beyond this the oldest make room too. With 64 KiB for the extension, 12 KiB
 * for the description, and the URLs, a listing has at most 96 KiB.
 */
export const ACCEPTS_LIMIT_BYTES = 8 * 1024;
/** A tool's name that is longer is replaced by its hash for looking up listings. */
export const TOOL_KEY_LIMIT_CHARACTERS = 256;

/** Letters of a word. If one is longer, such as a sentence of a language without spaces, only its start counts. */
export const WORD_LIMIT_CHARACTERS = 64;
/** Different words of a listing that are searchable: name first, then tags, description and parameters. */
export const MAX_WORDS_PER_LISTING = 512;
/** Bytes of all these words together, in UTF-8: the index needs several times as much. */
export const WORDS_LIMIT_BYTES = 6 * 1024;
/** Different words of a query that are looked for; further ones are left out. */
export const MAX_QUERY_WORDS = 64;
/**
 * Postings that one search may go through. A query whose words stand in more places than that leaves its commonest
 * words out, and says so by `partialResults`.
 */
export const RETRIEVAL_CAP_POSTINGS = 16_000_000;
/**
 * Earlier wordings of refreshed listings that are kept, so that a walk along cursors visits each match once. A cursor
 * expires when more listings than that were reworded since its first page. At most 12 KiB each.
 */
export const MAX_EARLIER_WORDINGS = 2_000;

/** How long a statement waits for another process that writes (specification 8). */
export const BUSY_TIMEOUT_MS = 100;
/**
 * The write-ahead log is copied into the file when it is longer than this, after a write was answered. That waits for
 * searches under way, and the next write with it: so it is seldom, about once in a hundred writes of a large catalog.
 */
export const CHECKPOINT_AT_BYTES = 64 * 1024 * 1024;
/** Pages of the file that a connection keeps in memory. */
export const PAGE_CACHE_KIB = 16 * 1024;

/** How long a settlement waits for the catalog's answer (specification 4.6 and 8). */
export const SUBMIT_BUDGET_MS = 250;
/** Longest address that is logged. */
export const ADDRESS_SHOWN_CHARS = 200;
/** A thread of the catalog that has not answered within this time is replaced. */
export const ANSWER_TIMEOUT_MS = 10_000;
/** Declarations that wait for the thread that writes, and parts of pages that wait for those that read. */
export const MAX_WAITING = 1_000;
/** Lists and searches that wait for the threads that answer them. */
export const MAX_WAITING_QUESTIONS = 256;
/** A question that has waited for longer is refused: less than callers wait for an answer. */
export const QUESTION_WAIT_MS = 500;
/** When the oldest question of a caller has waited for this long, its newest ones go first. */
export const NEWEST_FIRST_AFTER_MS = 100;
/**
 * Questions that a reading thread has at a time: the next one is already there when it has answered one, however busy the
 * main thread is.
 */
export const QUESTIONS_AT_A_TIME = 2;
/** Threads that answer lists and searches, where there are processors for them. */
export const MAX_READERS = 2;
/** A thread that is not ready within this time is ended; it may be migrating the file, or wait for who does. */
export const START_TIMEOUT_MS = 60_000;
/** How far those threads stand back where processors are short, as `nice` counts. */
export const READER_NICENESS = 5;
/** How long a thread that ended by itself stays away, so that one that cannot start does not spin. */
export const RESTART_DELAY_MS = 1_000;
/** Memory of each thread's heap; beyond it the thread is replaced. */
export const THREAD_HEAP_MIB = 256;
/** How long closing waits for what is under way. */
export const CLOSE_GRACE_MS = 5_000;
