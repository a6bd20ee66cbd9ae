/** Holds every limit of the tool server. */
import { WALLET_LIMITS } from './wallet/limits.ts';

export type AgentLimits = typeof AGENT_LIMITS;

/** Limits of times, attempts and quantities, passed in as `limits`. */
export const AGENT_LIMITS = {
  maxCallsAtOnce: 32,
  maxCallsOfSession: 32,
  /** Further calls wait in line. Beyond this many, they are refused. */
  maxCallsWaiting: 96,
  /**
   * A call answers within this time, since many hosts wait no longer than 60 s. If the outcome of a payment is not
   * known by then, the server follows it further, and the same call made again gets the outcome.
   */
  answerWithinMs: 50_000,
  /** With less time left than this, nothing is signed. */
  minToPayMs: 15_000,
  /**
   * A call waits this long for the ledger after a payment was refused or not sent. It waits on if the payment expires
   * before the call must answer.
   */
  refusedFollowMs: 10_000,
  progressEveryMs: 5_000,
  /**
   * With this many unreported outcomes, of its own or in all, a session signs nothing. After openPurchaseForMs, an outcome
   * is only in the log.
   */
  maxOpenPurchases: 64,
  maxOpenPurchasesInAll: 256,
  openPurchaseForMs: 15 * 60_000,
  /**
   * Without sessions, a person's answer comes with another request, within this time. So many answered questions are
   * remembered for as long, since each counts once, in about 250 bytes; beyond that, nobody is asked.
   */
  questionForMs: 5 * 60_000,
  maxAnsweredQuestions: 100_000,
  /** Without a `maxAmount`, a call pays at most this many times the lowest price that its listing has shown. */
  maxTimesListed: 10,
  /** At the end of the process, calls and payments under way get this long to finish. */
  drainMs: 25_000,

  connectTimeoutMs: 10_000,
  /** A name that is looked up without connecting counts as unknown after this time. */
  nameTimeoutMs: 5_000,
  /**
   * The first request, without a payment, may take this long, including the body of its answer. It never takes longer
   * than the call.
   */
  probeTimeoutMs: 30_000,
  /** The request that carries a payment, or a paid tool call, may take as long as a payment is valid. */
  paidTimeoutMs: WALLET_LIMITS.maxValiditySeconds * 1_000,
  maxRedirects: 3,
  /** Concurrent connections to one origin. */
  maxConnections: 64,
  /** Requests of one session with an MCP server, including answers to its requests. A paid call takes seven. */
  maxSessionRequests: 16,
  /** The most that an MCP server may send in one session. */
  maxSessionBytes: 8 * 1024 * 1024,
  /** After a stream ends, its answer must have been read within this time. */
  streamGraceMs: 1_000,
  /** The wait after telling a server that the session ends. The server need not answer. */
  goodbyeMs: 1_000,

  /** The facilitator's catalog must answer within this time. */
  catalogTimeoutMs: 15_000,
  maxCatalogAnswerBytes: 16 * 1024 * 1024,
  /** Limits of looking up an id: pages of the list, and listings whose recipient and prices a session was shown. */
  pagesAtOnce: 4,
  maxPages: 1_000,
  lookupTimeoutMs: 15_000,
  maxKnownListings: 10_000,
  /** For all hosts without sessions, about 500 bytes each: no few searches may displace what others were shown. */
  maxKnownListingsOfAll: 100_000,

  wallet: WALLET_LIMITS,
};

/** Over HTTP, sessions share the calls, and none takes them all. */
export const SHARED_AGENT_LIMITS: AgentLimits = {
  ...AGENT_LIMITS,
  maxCallsOfSession: 16,
  maxKnownListings: 1_000,
};

/** Limits of what is read from a target, and of what an agent may ask of it. */
export const TARGET_LIMITS = {
  /** A 402 comes in a header, as base64 that includes the seller's declarations. */
  maxHeaderBytes: 128 * 1024,
  maxBodyBytes: 4 * 1024 * 1024,
  /** A payment repeats at most this much of the 402 that asked for it. */
  maxEchoBytes: 64 * 1024,
  maxUrlChars: 8 * 1024,
  maxToolNameChars: 256,
  maxInputBytes: 1024 * 1024,
  maxHeaderValueChars: 1024,
  /** The number of entries of `accepts` that are read. */
  maxOffers: 100,
  /** The deepest nesting of JSON from a target. */
  maxJsonDepth: 64,
};

export const RESULT_LIMITS = {
  /** Text, or JSON as text. Longer results are cut. */
  maxTextChars: 256 * 1024,
  /** Binary results, such as images, are handed over up to this size, and only described beyond it. */
  maxBinaryBytes: 1024 * 1024,
  /** The longest quotation of someone else's words in a reason. */
  maxQuoteChars: 500,
  maxMediaTypeChars: 128,
};

export const CATALOG_LIMITS = {
  maxQueryChars: 1_000,
  maxFilterChars: 512,
  maxCursorChars: 16 * 1024,
  maxIdChars: 16 * 1024,
  /** Listings on a page. */
  pageSize: 100,
  /** The limits of a listing's texts as an agent reads them. */
  maxNameChars: 64,
  maxDescriptionChars: 600,
  maxTags: 10,
  maxExampleChars: 4 * 1024,
  maxSchemaChars: 8 * 1024,
};
