/** Largest request body, as sent and after decompression. */
export const BODY_LIMIT_BYTES = 1024 * 1024;
/** Deepest nesting of objects and arrays in a request body. */
export const BODY_DEPTH_LIMIT = 64;
/** Values in a request body: objects, arrays, and their members. A listing's schema may have 2,000. */
export const BODY_LIMIT_NODES = 20_000;

/** Requests with a body that are begun before whatever has arrived meanwhile is looked at: some milliseconds of work. */
export const BATCH = 8;
/**
 * Bodies above this, as sent or decompressed, are parsed one by one and take half of the time at most, so that short work
 * gets its turn between. At most this many wait for their turn, which takes a second or two at worst.
 */
export const LARGE_BODY_BYTES = 16 * 1024;
export const LARGE_BODIES_LIMIT = { inAll: 32, perAddress: 24 };
/** Pieces in which a body may come, of whatever size each; further ones end the connection. */
export const BODY_LIMIT_PIECES = 8_192;
/** A body up to this size, more than a plain payment has, is counted with its connection … */
export const UNCOUNTED_BODY_BYTES = 4 * 1024;
/** … and all larger ones together take at most this many bytes; one that is still arriving gives way. */
export const BODIES_LIMIT = { inAll: 24 * BODY_LIMIT_BYTES, perAddress: 16 * BODY_LIMIT_BYTES };

/**
 * Requests of an operation that are worked on at a time; further ones are refused. Verifying waits for 64 connections
 * to the RPC. Settling and the catalog have queues of their own, which are fair and must be reached: these are only
 * their backstop. All places together are fewer than the connections, also of one address, so that there is always one
 * left to ask for something else.
 */
export const PLACES = {
  verifyPayment: { inAll: 128, perAddress: 'fair' },
  settlePayment: { inAll: 5_500, perAddress: 5_000 },
  listResources: { inAll: 500, perAddress: 400 },
  searchResources: { inAll: 500, perAddress: 400 },
} as const;

/**
 * Open connections, and requests that wait behind another one on their connection. Beyond this, the address that has the
 * most loses its longest idle connection: one that waits for a request, or for the rest of one.
 */
export const CONNECTIONS_LIMIT = { inAll: 7_000, perAddress: 6_000 };
/** Connections that may wait to be accepted, as far as the system allows: a client whose connection finds no room tries again a second later. */
export const BACKLOG = 4_096;
/** This many closing connections may come on top of that. */
export const CLOSING_CONNECTIONS = 1_000;
/** Requests that may wait on a connection for the answers before theirs; further ones end it. */
export const MAX_WAITING_REQUESTS = 16;
/** Request line and headers together; more is answered 431. Node keeps the line for as long as its request waits. */
export const HEADERS_LIMIT_BYTES = 12 * 1024;
/** Headers of a request, each of which takes many times its bytes in memory; more is answered 431 too. */
export const MAX_HEADERS = 128;
/** A request's headers must have arrived within this time; later is answered 408. */
export const HEADERS_TIMEOUT_MS = 10_000;
/** A whole request, body included, must have arrived within this time; later is answered 408. */
export const REQUEST_TIMEOUT_MS = 30_000;
/** How often connections are held against the two timeouts. */
export const TIMEOUT_CHECK_INTERVAL_MS = 1_000;
/** An idle connection stays open this long: longer than sellers' HTTP clients keep theirs for reuse. */
export const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Bytes of answers that clients have not taken yet; beyond this the oldest of the greediest address are cut off. */
export const UNSENT_LIMIT_BYTES = 64 * 1024 * 1024;
export const UNSENT_LIMIT_PER_ADDRESS_BYTES = 16 * 1024 * 1024;
/** A large answer is handed to its connection in pieces of this size. */
export const PIECE_BYTES = 64 * 1024;
/** A client that takes its answer at less than this rate is cut off, */
export const LEAST_RATE_BYTES_PER_SECOND = 8 * 1024;
/** once it is behind by this time. */
export const SEND_GRACE_MS = 10_000;
/** How often answers are held against the least rate. */
export const SEND_CHECK_INTERVAL_MS = 1_000;
/** At most one line of the log in this time tells of clients that are cut off. */
export const CUT_OFF_LOG_INTERVAL_MS = 10_000;
/** How long the sender of a broken request has to read its answer before the connection is closed. */
export const LINGER_MS = 1_000;

/** How long a shutdown waits for requests in flight; a settlement takes a few ledgers. */
export const SHUTDOWN_GRACE_MS = 30_000;
/** How often a shutdown closes the connections whose request has ended meanwhile. */
export const SHUTDOWN_SWEEP_MS = 25;

/** Longest network that an answer repeats: the contract allows no longer one in a request. */
export const NETWORK_LIMIT_CHARS = 64;
/** Longest path that is logged or repeated in an answer. */
export const PATH_SHOWN_CHARS = 200;

/** How long a caller is told to wait if the service is overloaded. */
export const RETRY_AFTER_SECONDS = 1;
