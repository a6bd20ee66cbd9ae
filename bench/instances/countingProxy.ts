import { openProxy } from '../../test/postgres/proxy.ts';

export interface CountingProxy extends AsyncDisposable {
  /** The database's URL, through the proxy. */
  readonly url: string;
  /** Returns the round trips so far: PostgreSQL ends each with the message ReadyForQuery. */
  roundTrips(): number;
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html: a letter, and the length of what follows it. */
const READY_FOR_QUERY = 'Z'.charCodeAt(0);
const LETTER_BYTES = 1;
const HEADER_BYTES = 5;

/** Stands between an instance and PostgreSQL, and counts the statements. */
export async function openCountingProxy(databaseUrl: string): Promise<CountingProxy> {
  let roundTrips = 0;
  const proxy = await openProxy(databaseUrl, () => createCounter(() => (roundTrips += 1)));
  return { ...proxy, roundTrips: () => roundTrips };
}

function createCounter(onReady: () => void): (piece: Buffer) => void {
  let left: Buffer = Buffer.alloc(0);
  return (piece) => {
    left = Buffer.concat([left, piece]);
    while (left.length >= HEADER_BYTES) {
      const bytes = LETTER_BYTES + left.readUInt32BE(LETTER_BYTES);
      if (left.length < bytes) return;
      if (left[0] === READY_FOR_QUERY) onReady();
      left = left.subarray(bytes);
    }
  };
}
