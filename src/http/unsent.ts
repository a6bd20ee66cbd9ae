import type { ServerResponse } from 'node:http';
import type { Log } from '../log/log.ts';
import type { HttpLimits } from './limits.ts';
import { createShares } from './shares.ts';

/** An answer on its way, until its client has taken it or is gone. */
export interface Unsent {
  /** Sets how many bytes of it are held here. */
  holds(bytes: number): void;
  /** Records that the client now has this many more bytes to take. */
  given(bytes: number): void;
  /** Records that the client has taken all that it was given, and waits for more. */
  taken(): void;
}

interface Pending {
  readonly response: ServerResponse;
  /** The client must have taken all that it was given by then. */
  dueMs: number;
  cutOff(why: 'too slow'): void;
  /** Stops counting the answer: nothing of it is held here any more. */
  end(): void;
}

/**
 * Limits the memory for clients that do not take their answers. Counts bytes for each caller and overall. If there is
 * no room for more, the oldest answer of the greediest caller gives way. A client must also take its answer at a
 * minimum rate, with a grace for pauses. Bytes count as taken once the kernel has them. The kernel buffers some
 * megabytes for a fast client, so a client that slows down after that is credited with the grace at most.
 */
export function createUnsent(
  log: Pick<Log, 'warn'>,
  limits: HttpLimits,
): (response: ServerResponse, caller: string) => Unsent {
  const shares = createShares(limits.unsentBytes);
  const logCutOff = createCutOffLog(log, limits.cutOffLogIntervalMs);
  const pending = new Set<Pending>();
  let checks: NodeJS.Timeout | undefined;

  /** Checks all answers. One timer serves them all, while there are any. */
  function check(): void {
    const nowMs = performance.now();
    for (const answer of pending) {
      const { response, dueMs } = answer;
      // An answer may still wait for an earlier one on its connection. Its time has not begun, and it gets no event
      // if the connection closes.
      if (response.req.socket.destroyed) answer.end();
      else if (response.socket === null) answer.dueMs = nowMs + limits.sendGraceMs;
      else if (nowMs > dueMs) answer.cutOff('too slow');
    }
    if (pending.size > 0) return;
    clearInterval(checks);
    checks = undefined;
  }

  return (response, caller) => {
    const cutOff = (why: 'too slow' | 'too much'): void => {
      logCutOff(caller, why);
      response.req.socket.destroy();
    };
    const share = shares.take(caller, 0, () => cutOff('too much'));
    const end = (): void => {
      pending.delete(answer);
      share.release();
    };
    const answer: Pending = { response, dueMs: Infinity, cutOff, end };
    let graceMs = limits.sendGraceMs;
    pending.add(answer);
    checks ??= setInterval(check, limits.sendCheckIntervalMs).unref();
    response.once('close', end);
    return {
      holds: (bytes) => share.resize(bytes),
      given(bytes) {
        answer.dueMs = performance.now() + graceMs + (bytes / limits.minBytesPerSecond) * 1_000;
      },
      taken() {
        graceMs = Math.min(limits.sendGraceMs, answer.dueMs - performance.now());
        answer.dueMs = Infinity;
      },
    };
  };
}

/** Logs at most one line in `intervalMs`, however many connections are cut off. */
function createCutOffLog(log: Pick<Log, 'warn'>, intervalMs: number): (caller: string, why: string) => void {
  let connections = 0;
  let loggedAtMs = -Infinity;
  return (caller, why) => {
    connections += 1;
    if (performance.now() - loggedAtMs < intervalMs) return;
    log.warn({ caller, why, connections }, 'cut off: clients do not read their answers');
    loggedAtMs = performance.now();
    connections = 0;
  };
}
