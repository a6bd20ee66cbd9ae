import type { SellerOperation } from '../contract/index.ts';
import type { PlacesLimit } from './places.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const maxBodyBytes = MIB;

/** The limits of the HTTP surface. A test may bring others. */
export const HTTP_LIMITS = {
  /** Maximum size of a request body, both as sent and after decompression. */
  maxBodyBytes,
  /** Maximum nesting of objects and arrays in a request body. */
  maxBodyDepth: 64,
  /** Maximum number of values in a request body: objects, arrays and their members. A listing's schema may have 2,000. */
  maxBodyValues: 20_000,
  /** Maximum number of pieces in which a body may arrive, whatever their size. More of them end the connection. */
  maxBodyPieces: 8_192,
  /** A body up to this size is counted with its connection. A plain payment is smaller. */
  uncountedBodyBytes: 4 * KIB,
  /** All larger bodies together take at most this many bytes. One that is still arriving gives way. */
  bodiesBytes: { inAll: 24 * maxBodyBytes, perCaller: 16 * maxBodyBytes },
  /**
   * Bodies above this size, as sent or decompressed, are parsed one by one and take at most half of the time, so that
   * short work gets its turn between them. At worst, those that may wait take a second or two.
   */
  largeBodyBytes: 16 * KIB,
  maxWaitingLargeBodies: { inAll: 32, perCaller: 24 },

  /** Requests with a body that are begun before new arrivals are looked at: a few milliseconds of work. */
  requestsPerBatch: 8,
  /**
   * Requests of an operation that are worked on at a time; more are refused. Verifying waits for 64 connections to the
   * RPC. Settling and the catalog have their own queues, which are fair and must be reached: for them these limits are
   * only a backstop. What recipients ask waits for the thread that writes listings, or for the journal. All places together are fewer than the connections, overall and per caller, so that one connection
   * is always left to ask for something else.
   */
  places: {
    verifyPayment: { inAll: 128, perCaller: 'fair' },
    settlePayment: { inAll: 5_500, perCaller: 5_000 },
    getSettlementStatus: { inAll: 40, perCaller: 'fair' },
    listResources: { inAll: 500, perCaller: 400 },
    searchResources: { inAll: 500, perCaller: 400 },
    hideListing: { inAll: 40, perCaller: 10 },
    restoreListing: { inAll: 40, perCaller: 10 },
    describeListing: { inAll: 40, perCaller: 10 },
    confirmListing: { inAll: 40, perCaller: 10 },
    listSettlements: { inAll: 40, perCaller: 10 },
  } as Record<
    | 'verifyPayment'
    | 'settlePayment'
    | 'getSettlementStatus'
    | 'listResources'
    | 'searchResources'
    | SellerOperation,
    PlacesLimit
  >,

  /**
   * Open connections, and requests that wait behind another one on their connection. Beyond this, the caller that has
   * the most loses its longest idle connection: one that waits for a request, or for the rest of one.
   */
  maxConnections: { inAll: 7_000, perCaller: 6_000 },
  /** Connections that may wait to be accepted, if the system allows. Without room, clients retry a second later. */
  backlog: 4_096,
  /** Closing connections that are allowed on top of `maxConnections`. */
  maxClosingConnections: 1_000,
  /** Requests that may wait on a connection behind the one that is being answered. More of them end the connection. */
  maxWaitingRequests: 16,
  /** Maximum size of request line and headers; more is answered 431. Node keeps the line while its request waits. */
  maxHeadersBytes: 12 * KIB,
  /** Maximum number of headers in a request; more is answered 431 too. Each takes many times its bytes in memory. */
  maxHeaders: 128,
  /** A request's headers must arrive within this time; later is answered 408. */
  headersTimeoutMs: 10_000,
  /** A whole request, including its body, must arrive within this time; later is answered 408. */
  requestTimeoutMs: 30_000,
  /** Interval at which connections are checked against the two timeouts. */
  timeoutCheckIntervalMs: 1_000,
  /** An idle connection stays open this long, which is longer than sellers' HTTP clients keep theirs for reuse. */
  keepAliveTimeoutMs: 65_000,
  /** The sender of a broken request has this long to read its answer before the connection is closed. */
  lingerMs: 1_000,

  /** Bytes of answers that clients have not taken yet. Beyond this the oldest of the greediest caller are cut off. */
  unsentBytes: { inAll: 64 * MIB, perCaller: 16 * MIB },
  /** A large answer is handed to its connection in pieces of this size. */
  pieceBytes: 64 * KIB,
  /** Minimum rate at which a client must take its answer. */
  minBytesPerSecond: 8 * KIB,
  /** A client that is behind the minimum rate by this time is cut off. */
  sendGraceMs: 10_000,
  /** Interval at which answers are checked against the minimum rate. */
  sendCheckIntervalMs: 1_000,
  /** At most one log line in this time reports clients that are cut off. */
  cutOffLogIntervalMs: 10_000,

  /** A shutdown waits this long for requests in flight. A settlement takes a few ledgers. */
  shutdownGraceMs: 30_000,
  /** Interval at which a shutdown closes the connections whose request is done. */
  shutdownSweepMs: 25,
};

export type HttpLimits = Readonly<typeof HTTP_LIMITS>;

/** Maximum length of a network that an answer repeats. The contract allows no longer one in a request. */
export const NETWORK_LIMIT_CHARS = 64;
/** Maximum length of a path that is logged or repeated in an answer. */
export const PATH_SHOWN_CHARS = 200;
/** Maximum length of a text of a request or of an answer that is logged. */
export const LOGGED_TEXT_CHARS = 256;
/** Maximum length of a repeated key that an answer names. */
export const KEY_SHOWN_CHARS = 64;
/** What is kept of an `Idempotency-Key`: one character more than the contract allows shows that it is too long. */
export const IDEMPOTENCY_KEY_KEPT_CHARS = 256;
/** A caller is told to wait this long if the service is overloaded. */
export const RETRY_AFTER_SECONDS = 1;
