import pg from 'pg';

/** Hears what other instances notify. */
export interface Listener {
  /**
   * Calls `onNotice` with each notice on the channel, in the order of commits; with undefined after a time in which
   * notices may have been missed.
   */
  on(channel: string, onNotice: (payload: string | undefined) => void): void;
  close(): Promise<void>;
}

interface ListenerDeps {
  settings: pg.ClientConfig;
  log: { warn(fields: object, message: string): void };
  /** Pause before a broken connection is made again. */
  relistenAfterMs: number;
  /** Pause between two questions whether the connection still works: nothing is sent on it otherwise. */
  askEveryMs: number;
}

type Hearer = (payload: string | undefined) => void;

/** Listens on a connection of its own, and connects again whenever it breaks. */
export function createListener({ settings, log, relistenAfterMs, askEveryMs }: ListenerDeps): Listener {
  const hearers = new Map<string, Hearer>();
  let client: pg.Client | undefined;
  /** Asks on the connection, after what was asked before. */
  let ask: (statement: string) => Promise<unknown>;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** True since the connection broke; it is logged once. */
  let isDeaf = false;

  async function connect(): Promise<void> {
    const connecting = new pg.Client(settings);
    client = connecting;
    let isLost = false;
    const lose = (err: unknown): void => {
      if (isLost) return;
      isLost = true;
      clearInterval(asking);
      void connecting.end().catch(() => {});
      if (isClosed) return;
      if (!isDeaf)
        log.warn({ err }, 'notices of other instances are not heard: the database does not answer');
      isDeaf = true;
      timer = setTimeout(() => void connect(), relistenAfterMs).unref();
    };
    let last: Promise<unknown> = connecting.connect();
    ask = (statement) => (last = last.then(() => connecting.query(statement)));
    const asking = setInterval(() => void ask('SELECT 1').catch(lose), askEveryMs).unref();
    connecting.on('error', lose);
    connecting.on('end', () => lose(new Error('the connection ended')));
    connecting.on('notification', ({ channel, payload }) => hearers.get(channel)?.(payload ?? ''));
    try {
      await last;
      for (const channel of hearers.keys()) await ask(listenTo(channel));
      isDeaf = false;
      for (const hear of hearers.values()) hear(undefined);
    } catch (error) {
      lose(error);
    }
  }

  return {
    on(channel, onNotice) {
      hearers.set(channel, onNotice);
      if (client === undefined) void connect();
      else void ask(listenTo(channel)).catch(() => {});
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}

const listenTo = (channel: string): string => `LISTEN ${pg.escapeIdentifier(channel)}`;
