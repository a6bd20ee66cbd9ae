/** Holds every limit of the tools over HTTP. */

export type StreamableLimits = typeof STREAMABLE_LIMITS;

export const STREAMABLE_LIMITS = {
  maxSessions: 64,
  /** A session without an open request ends after this time. */
  idleMs: 30 * 60_000,
  /** If there are too many, a session that has never called paid_call makes room once it was idle for this long. */
  replaceableAfterMs: 60_000,
  sweepMs: 30_000,
  /** Requests without a session that are under way. As many calls may run and wait. */
  maxSessionlessRequests: 128,
  /** After this time, a host that found no room may try again. */
  retryAfterSeconds: 30,

  /** Bodies without a session are small: they ask for one. */
  maxFirstBodyBytes: 64 * 1024,
  /** The input of a call may have 1 MiB, and as text it grows. */
  maxBodyBytes: 2 * 1024 * 1024,
  /** All else in a message is small, and takes long to check. */
  maxBesideArgumentsBytes: 64 * 1024,
  maxJsonDepth: 72,
  maxHeadersBytes: 16 * 1024,
  maxHeaders: 100,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  timeoutCheckMs: 5_000,
  /** A connection that carries no bytes for this long is closed. Streams carry a sign of life every 15 s. */
  silentMs: 120_000,
  maxConnections: 512,
  /** Connections from one address of another machine. */
  maxConnectionsOfAddress: 128,
  /** A connection that its host closes without having read the response is reset within this time. */
  resetWithinMs: 1_000,
  /** After the calls are over, answers get this long to leave. */
  closeWithinMs: 2_000,
  closeSweepMs: 20,
};
