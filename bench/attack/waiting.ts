import { setTimeout as pause } from 'node:timers/promises';
import { shown } from '../table.ts';
import type { Attack, Timed } from './attack.ts';
import { padded } from './padding.ts';
import { connectTo, gzippedPost } from './sending.ts';

interface Size extends Timed {
  /** On one connection; and as many again, each on a connection of its own. */
  settlements: number;
  paddingBytes: number;
}

/** Good payments that have to wait for a submitter, each with a body that is large once parsed. */
export const attack: Attack<Size> = {
  file: 'waiting.ts',
  title: 'Heap by waiting settlements',
  describe: ({ settlements, paddingBytes, seconds }) =>
    `${settlements} good payments of one payer, pipelined on one connection to be settled, and as many again on connections of their own, each with ${shown(paddingBytes)} bytes of empty objects and of text in turn, gzipped; for ${seconds} s.`,
  full: { settlements: 300, paddingBytes: 1_040_000, seconds: 30 },
  short: { settlements: 100, paddingBytes: 1_040_000, seconds: 5 },
  honest: ['health', 'verify', 'settle'],
  submitters: 4,
  rpcDelayMs: 0,
  async prepare(payers, { settlements }) {
    const [payer, seller] = [await payers.account(), await payers.account()];
    return payers.sign({ payer, payTo: seller.publicKey() }, 2 * settlements);
  },
  async send(target, { settlements, paddingBytes, seconds }, bodies) {
    const requests = bodies.map((body, nth) =>
      gzippedPost('/settle', padded(body, nth % 2 === 0 ? 'objects' : 'text', paddingBytes)),
    );
    const sockets = Array.from({ length: settlements + 1 }, () => connectTo(target));
    let heard = '';
    for (const socket of sockets) socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
    for (const [nth, request] of requests.entries())
      sockets[Math.max(0, nth - settlements + 1)]!.write(request);
    await pause(seconds * 1000);
    for (const socket of sockets) socket.destroy();
    return {
      'bytes of a request': requests[0]?.length ?? 0,
      'requests sent': requests.length,
      'of them settled': heard.split('"success":true').length - 1,
    };
  },
};
