/** Every limit of the operator's port, in one place. */

const HOUR_MS = 3_600_000;

export interface OperatorLimits {
  /** A browser's session ends after this time. Beyond the largest number of sessions, the oldest ends. */
  sessionMs: number;
  maxSessions: number;
  maxBodyBytes: number;
  maxHeadersBytes: number;
  maxConnections: number;
  /** Connections from one address. So no single client can keep probes out. */
  maxConnectionsPerAddress: number;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  /** The server checks both timeouts this often. */
  timeoutCheckMs: number;
  /** A connection that carries no bytes for this long is closed, even during an answer. */
  silentMs: number;
  /** The largest number of open event streams, and the shortest time between two events of a stream. */
  maxStreams: number;
  eventEveryMs: number;
  /** An export reads this many records at a time. */
  exportedAtATime: number;
  /** How long requests in flight may take when the service closes. */
  closeWithinMs: number;
  /** The closing server looks for idle connections this often. */
  closeSweepMs: number;
}

export const OPERATOR_LIMITS: OperatorLimits = {
  sessionMs: 12 * HOUR_MS,
  maxSessions: 100,
  maxBodyBytes: 16 * 1024,
  maxHeadersBytes: 16 * 1024,
  maxConnections: 200,
  maxConnectionsPerAddress: 50,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  timeoutCheckMs: 5_000,
  silentMs: 600_000,
  maxStreams: 32,
  eventEveryMs: 1_000,
  exportedAtATime: 500,
  closeWithinMs: 2_000,
  closeSweepMs: 20,
};
