/** Limits of the files of a model that the operator brings. */
export const MODEL_LIMITS = {
  /** The largest known model has 500,000 tokens of 512 numbers with 32 bits. */
  tensorsBytes: 2 * 1024 ** 3,
  tokenizerBytes: 128 * 1024 ** 2,
  tokens: 1_000_000,
  /** More numbers than a listing stores are left out: a Model2Vec table has those that matter most first. */
  dimensions: 4_096,
  storedDimensions: 256,
  /** Read at a time, or one row if it is longer. */
  chunkBytes: 1024 ** 2,
};
