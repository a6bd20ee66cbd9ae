/** Stands between a service and PostgreSQL. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Proxy extends AsyncDisposable {
  /** The database's URL, through the proxy. */
  readonly url: string;
  /** Passes nothing on any more on the connections that are open now, as if the host were lost. New ones work. */
  silence(): void;
}

/** `readerOf` makes a function for each connection, which gets what PostgreSQL sends, in pieces of any size. */
export async function openProxy(
  databaseUrl: string,
  readerOf?: () => (piece: Buffer) => void,
): Promise<Proxy> {
  const { hostname, port } = new URL(databaseUrl);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    if (readerOf !== undefined) database.on('data', readerOf());
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
    silence() {
      for (const socket of open) socket.unpipe().pause();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
