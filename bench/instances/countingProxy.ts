/** Stands between an instance and PostgreSQL, and counts the statements. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CountingProxy extends AsyncDisposable {
  /** The database's URL, through the proxy. */
  url: string;
  /** Returns the round trips so far: PostgreSQL ends each with the message ReadyForQuery. */
  roundTrips(): number;
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html: a letter, and the length of what follows it. */
const READY_FOR_QUERY = 'Z'.charCodeAt(0);
const LETTER_BYTES = 1;
const HEADER_BYTES = 5;

export async function openCountingProxy(databaseUrl: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(databaseUrl);
  const open = new Set<Socket>();
  let roundTrips = 0;
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    const count = createCounter(() => (roundTrips += 1));
    database.on('data', count);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy()).on('close', () => void open.delete(from));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    roundTrips: () => roundTrips,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a function that reads what PostgreSQL sends, in pieces of any size. */
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
