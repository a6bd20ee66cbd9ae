/** Stands between a service and PostgreSQL. Can let the connections that are open fall silent, as a lost host does. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Silencer extends AsyncDisposable {
  /** The database's URL, through this. */
  url: string;
  /** Passes nothing on any more on the connections that are open now. New ones work. */
  silence(): void;
}

export async function openSilencer(databaseUrl: string): Promise<Silencer> {
  const { hostname, port } = new URL(databaseUrl);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
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
