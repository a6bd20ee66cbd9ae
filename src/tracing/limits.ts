export const TRACING_LIMITS = {
  /** Texts in spans are cut to this length. Together with the length of the queue it bounds the memory. */
  maxTextChars: 256,
  /** Losses and the library's warnings are each logged at most once in this time. */
  logEveryMs: 60_000,
  /** At the end, the last spans get this long to be sent. */
  closeWithinMs: 2_000,
};
