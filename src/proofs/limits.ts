const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Limits of what is asked of origins, and how often. A test may bring others. */
export const PROOF_LIMITS = {
  /** A proof ends after this time, unless it is found again. */
  validForMs: 7 * DAY_MS,
  /** A proof of this age is looked for again. */
  renewAfterMs: DAY_MS,

  /** One request, with its answer. */
  requestTimeoutMs: 5_000,
  connectTimeoutMs: 3_000,
  maxHeaderBytes: 64 * 1024,
  /** The limit of SEP-1 for `stellar.toml`, and of the other answers too. */
  maxBodyBytes: 100 * 1024,
  /** URLs of one recipient at one origin whose 402 is asked for, if no file of the origin names it. */
  maxUrlsAsked: 3,
  /** Pages of a recipient's listings at one origin that are written after one look at it. */
  maxPagesWritten: 10,

  /** Looks at origins are started this often. */
  startEveryMs: 1_000,
  maxAtOnce: 16,
  maxWaiting: 1_000,
  /** Those of one host, and those of one recipient. */
  maxWaitingOfOne: 20,
  /** Each of these may hold a declaration in memory. */
  maxContestedWaiting: 100,
  /** Time between two looks at one host, and between two looks for one recipient. */
  spacingMs: 10_000,
  /** A host that does not answer is left alone for this long. */
  silentHostMs: 10 * MINUTE_MS,
  /** The same question is asked again after this time at the earliest. */
  sameAgainMs: HOUR_MS,
  /** Names whose times are remembered; the oldest are forgotten first. */
  maxPaced: 30_000,
  /** All proofs that end soon are gone through this often. */
  roundMs: HOUR_MS,
};

export type ProofLimits = Readonly<typeof PROOF_LIMITS>;
