/** Limits of one examination. A test may bring others. */
export const DOCTOR_LIMITS = {
  /** The request to the seller, with its answer. */
  requestTimeoutMs: 15_000,
  /** The request with a payment: sellers wait for the facilitator, which answers after 80 s at the latest. */
  paidTimeoutMs: 100_000,
  connectTimeoutMs: 5_000,
  maxHeaderBytes: 256 * 1024,
  maxBodyBytes: 64 * 1024,
  maxJsonDepth: 64,
  /** Entries of `accepts` that are examined. */
  maxOffers: 16,
};

/** Buyers on Node read no more bytes of headers than this, unless they are told to. */
export const USUAL_HEADER_BYTES = 16 * 1024;
/** In less time than this, a payment may expire on its way. */
export const COMFORTABLE_SECONDS = 15;
/** Whoever signs now can be in the next ledger but one, at the earliest. */
export const LEAST_LEDGERS = 2;
/** i128 has no more digits. A token with more decimals cannot be shown in its unit. */
export const MAX_DECIMALS = 38;
/** What a token says of itself, and what a seller writes, is shown up to this length. */
export const SHOWN_CHARS = 60;

const MINUTE_MS = 60_000;

/** Limits of a check of the catalog. A test may bring others. */
export const CHECK_LIMITS = {
  /** One request, with the head of its answer. */
  requestTimeoutMs: 5_000,
  connectTimeoutMs: 3_000,
  maxHeaderBytes: 256 * 1024,
  maxJsonDepth: 64,
  /** Hosts that are asked at the same time. */
  maxAtOnce: 8,
  /** Time between two requests to one host. */
  pauseMs: 1_000,
  /** A host may take this long for all its answers. */
  maxMsPerHost: 5 * MINUTE_MS,
  /** Hosts that are remembered; the earliest are forgotten first. */
  maxHosts: 30_000,
};
