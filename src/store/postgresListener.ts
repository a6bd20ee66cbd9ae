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
}

type Hearer = (payload: string | undefined) => void;

/** Listens on a connection of its own, and connects again whenever it breaks. */
export function createListener({ settings, log, relistenAfterMs }: ListenerDeps): Listener {
  const hearers = new Map<string, Hearer>();
  let client: pg.Client | undefined;
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
      void connecting.end().catch(() => {});
      if (isClosed) return;
      if (!isDeaf)
        log.warn({ err }, 'notices of other instances are not heard: the database does not answer');
      isDeaf = true;
      timer = setTimeout(() => void connect(), relistenAfterMs).unref();
    };
    connecting.on('error', lose);
    connecting.on('end', () => lose(new Error('the connection ended')));
    connecting.on('notification', ({ channel, payload }) => hearers.get(channel)?.(payload ?? ''));
    try {
      await connecting.connect();
      for (const channel of hearers.keys()) await connecting.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
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
      else void client.query(`LISTEN ${pg.escapeIdentifier(channel)}`).catch(() => {});
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
