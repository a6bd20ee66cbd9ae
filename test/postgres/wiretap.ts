/** A way from an instance to PostgreSQL on which others hear of its writes, and lose answers. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type Written = 'journal written' | 'catalog written';

export interface Wiretap {
  /** The URL of the database by this way. */
  readonly url: string;
  close(): Promise<void>;
}

const WRITES: readonly (readonly [text: string, what: Written])[] = [
  ['facilitator.open_entry(', 'journal written'],
  ['facilitator.end_entry(', 'journal written'],
  ['facilitator.write_listing(', 'catalog written'],
];

/**
 * `onWritten` hears of a write when its answer has come, before the instance does. If it returns true, the connection
 * breaks instead: the write took effect, and the instance does not know.
 */
export async function openWiretap(
  databaseUrl: string,
  onWritten: (what: Written) => boolean,
): Promise<Wiretap> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();

  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    let written: Written | undefined;
    const cut = (): void => {
      client.destroy();
      database.destroy();
    };
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    client.on('data', (sent: Buffer) => {
      written ??= WRITES.find(([text]) => sent.includes(text))?.[1];
      database.write(sent);
    });
    database.on('data', (answer: Buffer) => {
      const what = written;
      written = undefined;
      if (what !== undefined && onWritten(what)) cut();
      else client.write(answer);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
