import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Target, Timed } from './attack.ts';

/** Nothing ends if the connection fails. */
export function connectTo({ port }: Target): Socket {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  return socket;
}

/** The bytes of a POST with a gzipped JSON body. */
export function gzippedPost(path: string, json: string): Buffer {
  const body = gzipSync(json, { level: 9 });
  const head = `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/** Keeps so many connections open; each is replaced by a new one after `renewSeconds`, at moments spread evenly. */
export async function keepOpen(
  { seconds, connections, renewSeconds }: Timed & { connections: number; renewSeconds: number },
  open: () => Socket,
): Promise<void> {
  const endsAt = performance.now() + seconds * 1000;
  const lines = Array.from({ length: connections }, async (_, nth) => {
    let holdMs = (renewSeconds * 1000 * (nth + 1)) / connections;
    while (performance.now() < endsAt) {
      const socket = open();
      await pause(Math.max(0, Math.min(holdMs, endsAt - performance.now())));
      socket.destroy();
      holdMs = renewSeconds * 1000;
    }
  });
  await Promise.all(lines);
}

/** Calls so often a second, whatever becomes of the calls; resolves when the time is over. */
export async function atRate(
  { seconds, perSecond }: Timed & { perSecond: number },
  call: (nth: number) => void,
): Promise<void> {
  const startedAt = performance.now();
  for (let nth = 0; nth < seconds * perSecond; nth++) {
    const waitMs = startedAt + (nth * 1000) / perSecond - performance.now();
    if (waitMs > 0) await pause(waitMs);
    call(nth);
  }
}
