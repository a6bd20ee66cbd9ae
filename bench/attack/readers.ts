import { connect, type Socket } from 'node:net';
import { shown } from '../table.ts';
import type { Attack, Target, Timed } from './attack.ts';
import { fillWithBytes } from './catalogs.ts';
import { keepOpen } from './sending.ts';

interface Size extends Timed {
  connections: number;
  bytesPerSecond: number;
  listings: number;
  listingBytes: number;
  renewSeconds: number;
}

/** Readers of the largest page who take next to nothing of it. */
export const attack: Attack<Size> = {
  file: 'readers.ts',
  title: 'Slow readers',
  describe: ({ connections, bytesPerSecond, listings, listingBytes, renewSeconds, seconds }) =>
    `${connections} connections, each replaced every ${renewSeconds} s, on which a page of ${listings} listings of ${shown(listingBytes)} bytes is read at ${bytesPerSecond} bytes a second; for ${seconds} s.`,
  full: {
    connections: 43,
    bytesPerSecond: 500,
    listings: 100,
    listingBytes: 60_000,
    renewSeconds: 8,
    seconds: 25,
  },
  short: {
    connections: 43,
    bytesPerSecond: 500,
    listings: 100,
    listingBytes: 60_000,
    renewSeconds: 30,
    seconds: 5,
  },
  honest: ['health', 'question'],
  submitters: 1,
  rpcDelayMs: 0,
  fillCatalog: (path, { listings, listingBytes }) => fillWithBytes(path, listings, listingBytes),
  async send(target, size) {
    let opened = 0;
    await keepOpen(size, () => {
      opened += 1;
      const socket = readSlowly(target, size.bytesPerSecond);
      socket.write(`GET /discovery/resources?limit=${size.listings} HTTP/1.1\r\nhost: a\r\n\r\n`);
      return socket;
    });
    return { 'pages asked for': opened };
  },
};

/** Takes so many bytes from the system each second; a plain socket would take them by the 64 KiB. */
function readSlowly({ port }: Target, bytesPerSecond: number): Socket {
  // False: no more until it is resumed.
  const onread = { buffer: Buffer.alloc(bytesPerSecond), callback: () => false };
  const socket = connect({ host: '127.0.0.1', port, onread });
  socket.on('error', () => {});
  const everySecond = setInterval(() => socket.resume(), 1_000);
  socket.once('close', () => clearInterval(everySecond));
  return socket;
}
