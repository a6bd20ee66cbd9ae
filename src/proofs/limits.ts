/** Limits of what is asked of origins, and how often. A test may bring others. */
export const PROOF_LIMITS = {
  /** One request, with its answer. */
  requestTimeoutMs: 5_000,
  connectTimeoutMs: 3_000,
  maxHeaderBytes: 64 * 1024,
  /** The limit of SEP-1 for `stellar.toml`, and of the other answers too. */
  maxBodyBytes: 100 * 1024,
};

export type ProofLimits = Readonly<typeof PROOF_LIMITS>;
