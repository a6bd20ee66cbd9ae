import type { Log } from '../../log/log.ts';
import type { StreamableLimits } from './limits.ts';
import { openHttpSession, type HttpSession, type HttpSessionDeps } from './session.ts';

/** The sessions of all hosts, limited in number and in idle time. */
export interface Sessions {
  /** Opens a session. Returns undefined if there are too many, or if the server is closing. */
  open(): Promise<HttpSession | undefined>;
  find(id: string): HttpSession | undefined;
  /** Opens no more sessions. */
  close(): void;
}

export interface SessionsDeps extends HttpSessionDeps {
  limits: StreamableLimits;
  log: Log;
}

export function createSessions(deps: SessionsDeps): Sessions {
  const { limits, log } = deps;
  const sessions = new Map<string, HttpSession>();
  /** Sessions that are being opened. */
  let opening = 0;
  let isClosing = false;

  async function end(session: HttpSession, why: string): Promise<void> {
    sessions.delete(session.id);
    log.info({ sessions: sessions.size, why }, 'session ends');
    await session.close();
  }

  function sweep(): void {
    for (const session of sessions.values())
      if (session.idleMs() >= limits.idleMs) void end(session, 'it was idle');
  }

  /** Ends the session that was idle for longest, among those whose host loses nothing but its place. */
  function makeRoom(): boolean {
    if (sessions.size + opening < limits.maxSessions) return true;
    const [oldest] = [...sessions.values()]
      .filter((session) => !session.hasPaid() && session.idleMs() >= limits.replaceableAfterMs)
      .toSorted((one, other) => other.idleMs() - one.idleMs());
    if (oldest === undefined) return false;
    void end(oldest, 'it was idle, and another came');
    return true;
  }

  const sweeping = setInterval(sweep, limits.sweepMs).unref();

  return {
    async open() {
      if (isClosing || !makeRoom()) return undefined;
      opening += 1;
      try {
        const session = await openHttpSession(deps);
        sessions.set(session.id, session);
        void session.ended.then(() => sessions.delete(session.id));
        log.info({ sessions: sessions.size }, 'session begins');
        return session;
      } finally {
        opening -= 1;
      }
    },
    find: (id) => sessions.get(id),
    close() {
      isClosing = true;
      clearInterval(sweeping);
    },
  };
}
