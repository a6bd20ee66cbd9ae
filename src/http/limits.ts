/** Maximum size of a request body, both as sent and after decompression. */
export const BODY_LIMIT_BYTES = 1024 * 1024;
/** Maximum nesting of objects and arrays in a request body. */
export const BODY_DEPTH_LIMIT = 64;
/** Maximum number of values in a request body: objects, arrays and their members. A listing's schema may have 2,000. */
export const BODY_LIMIT_NODES = 20_000;

/** Requests with a body that are begun before new arrivals are looked at: a few milliseconds of work. */
export const BATCH = 8;
/**
 * Bodies above this size, as sent or decompressed, are parsed one by one and take at most half of the time, so that
 * short work gets its turn in between. At most LARGE_BODIES_LIMIT of them wait, which takes a second or two at worst.
 */
export const LARGE_BODY_BYTES = 16 * 1024;
export const LARGE_BODIES_LIMIT = { inAll: 32, perAddress: 24 };
/** Maximum number of pieces in which a body may arrive, whatever their size. More of them end the connection. */
export const BODY_LIMIT_PIECES = 8_192;
/** A body up to this size is counted with its connection. A plain payment is smaller. */
export const UNCOUNTED_BODY_BYTES = 4 * 1024;
/** All larger bodies together take at most this many bytes. One that is still arriving gives way. */
export const BODIES_LIMIT = { inAll: 24 * BODY_LIMIT_BYTES, perAddress: 16 * BODY_LIMIT_BYTES };

/**
 * Requests of an operation that are worked on at a time; more are refused. Verifying waits for 64 connections to the
 * RPC. Settling and the catalog have their own queues, which are fair and must be reached: for them these limits are
 * only a backstop. All places together are fewer than the connections, overall and per address, so that one connection
 * is always left to ask for something else.
 */
export const PLACES = {
  verifyPayment: { inAll: 128, perAddress: 'fair' },
  settlePayment: { inAll: 5_500, perAddress: 5_000 },
  listResources: { inAll: 500, perAddress: 400 },
  searchResources: { inAll: 500, perAddress: 400 },
} as const;

/**
 * Open connections, and requests that wait behind another one on their connection. Beyond this, the address that has
 * the most loses its longest idle connection: one that waits for a request, or for the rest of one.
 */
export const CONNECTIONS_LIMIT = { inAll: 7_000, perAddress: 6_000 };
/** Connections that may wait to be accepted, if the system allows. Without room, clients retry a second later. */
export const BACKLOG = 4_096;
/** Closing connections that are allowed on top of CONNECTIONS_LIMIT. */
export const CLOSING_CONNECTIONS = 1_000;
/** Requests that may wait on a connection behind the one that is being answered. More of them end the connection. */
export const MAX_WAITING_REQUESTS = 16;
/** Maximum size of request line and headers; more is answered 431. Node keeps the line while its request waits. */
export const HEADERS_LIMIT_BYTES = 12 * 1024;
/** Maximum number of headers in a request; more is answered 431 too. Each takes many times its bytes in memory. */
export const MAX_HEADERS = 128;
/** A request's headers must arrive within this time; later is answered 408. */
export const HEADERS_TIMEOUT_MS = 10_000;
/** A whole request, including its body, must arrive within this time; later is answered 408. */
export const REQUEST_TIMEOUT_MS = 30_000;
/** Interval at which connections are checked against the two timeouts. */
export const TIMEOUT_CHECK_INTERVAL_MS = 1_000;
/** An idle connection stays open this long, which is longer than sellers' HTTP clients keep theirs for reuse. */
export const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Bytes of answers that clients have not taken yet. Beyond this the oldest of the greediest address are cut off. */
export const UNSENT_LIMIT_BYTES = 64 * 1024 * 1024;
export const UNSENT_LIMIT_PER_ADDRESS_BYTES = 16 * 1024 * 1024;
/** A large answer is handed to its connection in pieces of this size. */
export const PIECE_BYTES = 64 * 1024;
/** Minimum rate at which a client must take its answer. */
export const LEAST_RATE_BYTES_PER_SECOND = 8 * 1024;
/** A client that is behind the minimum rate by this time is cut off. */
export const SEND_GRACE_MS = 10_000;
/** Interval at which answers are checked against the minimum rate. */
export const SEND_CHECK_INTERVAL_MS = 1_000;
/** At most one log line in this time reports clients that are cut off. */
export const CUT_OFF_LOG_INTERVAL_MS = 10_000;
/** The sender of a broken request has this long to read its answer before the connection is closed. */
export const LINGER_MS = 1_000;

/** A shutdown waits this long for requests in flight. A settlement takes a few ledgers. */
export const SHUTDOWN_GRACE_MS = 30_000;
/** Interval at which a shutdown closes the connections whose request is done. */
export const SHUTDOWN_SWEEP_MS = 25;

/** Maximum length of a network that an answer repeats. The contract allows no longer one in a request. */
export const NETWORK_LIMIT_CHARS = 64;
/** Maximum length of a path that is logged or repeated in an answer. */
export const PATH_SHOWN_CHARS = 200;

/** A caller is told to wait this long if the service is overloaded. */
export const RETRY_AFTER_SECONDS = 1;
