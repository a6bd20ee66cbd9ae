/** Every bound of the tool server, in one place. */
import { WALLET_LIMITS } from './wallet/limits.ts';

export const CALL_LIMITS = {
  maxCallsAtOnce: 32,
  /**
   * A call answers within this time, since many hosts wait no longer than 60 s. A payment whose end is not known by
   * then is followed further, and the same call made again gets its end.
   */
  answerWithinMs: 50_000,
  /** With less time left nothing is signed any more. */
  minToPayMs: 15_000,
  /** A payment that was refused, or never sent, is waited for so long, where its last ledger is further away. */
  refusedFollowMs: 10_000,
  /** So is one whose target answered otherwise. A receipt is given on unchecked where the ledger is silent for so long. */
  answeredFollowMs: 20_000,
  progressEveryMs: 5_000,
  /** Payments whose end was not told yet: with so many open nothing is signed. After this time they stand in the log alone. */
  maxOpenPurchases: 64,
  openPurchaseForMs: 15 * 60_000,
  /** Without a `maxAmount`, a call pays at most this many times the price that its listing shows. */
  maxTimesListed: 10,
  /** At the end of the process: payments under way get so long to end. */
  drainMs: 25_000,
};

export const TARGET_LIMITS = {
  connectTimeoutMs: 10_000,
  /** Where a name is looked up beside connecting: what is not known by then is not known. */
  nameTimeoutMs: 5_000,
  /** The first request, without a payment: until the end of its body, and no longer than the call. */
  probeTimeoutMs: 30_000,
  /** The request that carries a payment, or a paid tool call: as long as a payment is good. */
  paidTimeoutMs: WALLET_LIMITS.maxValiditySeconds * 1_000,
  maxRedirects: 3,
  /** A 402 comes in a header, as base64 with the seller's declarations. */
  maxHeaderBytes: 128 * 1024,
  maxBodyBytes: 4 * 1024 * 1024,
  /** What a payment repeats of the 402 that asked for it. */
  maxEchoBytes: 64 * 1024,
  /** Requests of one session with an MCP server, among them the answers to what it asks; a paid call takes seven. */
  maxSessionRequests: 16,
  /** At once, to one origin. */
  maxConnections: 64,
  /** All that an MCP server may send in one session. */
  maxSessionBytes: 8 * 1024 * 1024,
  /** A stream that ended: what it brought is read by then. */
  streamGraceMs: 1_000,
  /** The end of a session is told to its server, which need not answer. */
  goodbyeMs: 1_000,
  maxUrlChars: 8 * 1024,
  maxToolNameChars: 256,
  maxInputBytes: 1024 * 1024,
  maxHeaderValueChars: 1024,
  /** Entries of `accepts` that are looked at. */
  maxOffers: 100,
  /** Nesting of JSON from a target. */
  maxJsonDepth: 64,
};

export const RESULT_LIMITS = {
  /** Text, or JSON as text; more is cut. */
  maxTextChars: 256 * 1024,
  /** Images and other binary results are handed over up to this size, and described beyond it. */
  maxBinaryBytes: 1024 * 1024,
  /** Of others' words within a reason. */
  maxQuoteChars: 500,
  maxMediaTypeChars: 128,
};

export const CATALOG_LIMITS = {
  answerTimeoutMs: 15_000,
  maxAnswerBytes: 16 * 1024 * 1024,
  maxQueryChars: 1_000,
  maxFilterChars: 512,
  maxCursorChars: 16 * 1024,
  maxIdChars: 16 * 1024,
  /** Of a listing's texts, as an agent gets to read them. */
  maxNameChars: 64,
  maxDescriptionChars: 600,
  maxTags: 10,
  maxExampleChars: 4 * 1024,
  maxSchemaChars: 8 * 1024,
  /** How an id is looked up: pages of the list, and listings whose owner and prices are known from a search. */
  pageSize: 100,
  pagesAtOnce: 4,
  maxPages: 1_000,
  lookupTimeoutMs: 15_000,
  maxKnownListings: 10_000,
};

/** Lines of the log that nobody has read; further ones are lost, and counted. */
export const LOG_LIMITS = { maxUnreadBytes: 1024 * 1024 };
