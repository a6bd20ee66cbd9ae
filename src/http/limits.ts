/** Largest request body, as sent and after decompression. */
export const BODY_LIMIT_BYTES = 1024 * 1024;
/** Deepest nesting of objects and arrays in a request body. */
export const BODY_DEPTH_LIMIT = 64;

/** Open connections; further ones are closed at once. */
export const MAX_CONNECTIONS = 10_000;
/** Request line and headers together; more is answered 431. */
export const HEADERS_LIMIT_BYTES = 16 * 1024;
/** A request's headers must have arrived within this time; later is answered 408. */
export const HEADERS_TIMEOUT_MS = 10_000;
/** A whole request, body included, must have arrived within this time; later is answered 408. */
export const REQUEST_TIMEOUT_MS = 30_000;
/** How often connections are held against the two timeouts. */
export const TIMEOUT_CHECK_INTERVAL_MS = 1_000;
/** An idle connection stays open this long: longer than sellers' HTTP clients keep theirs for reuse. */
export const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Of answers that clients have not taken yet; beyond it the oldest of the greediest address are cut off. */
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
/** Clients that are cut off are logged one line in this time. */
export const CUT_OFF_LOG_INTERVAL_MS = 10_000;
/** How long the sender of a broken request has to read its answer before the connection is closed. */
export const LINGER_MS = 1_000;

/** How long a shutdown waits for requests in flight; a settlement takes a few ledgers. */
export const SHUTDOWN_GRACE_MS = 30_000;
/** How often a shutdown closes the connections whose request has ended meanwhile. */
export const SHUTDOWN_SWEEP_MS = 25;

/** Longest path that is logged or repeated in an answer. */
export const PATH_SHOWN_CHARS = 200;

/** What a refused caller is told to wait where the service has more to do than it can. */
export const RETRY_AFTER_SECONDS = 1;
