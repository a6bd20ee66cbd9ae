/** Ended entries that are kept for those who look back; beyond it the oldest make room. */
export const ENTRIES_KEPT = 100_000;
/** How often room is made: after this many ended entries. */
export const PRUNE_EVERY = 1_000;
/** How long a write waits for another process that writes: the event loop waits with it. */
export const BUSY_TIMEOUT_MS = 20;
/** The same while starting. */
export const START_BUSY_TIMEOUT_MS = 5_000;
/** A file up to this size is checked from end to end at start. */
export const CHECKED_AT_START_LIMIT_BYTES = 128 * 1024 * 1024;
