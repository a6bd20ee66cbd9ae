import { shown } from '../table.ts';
import type { Attack, Timed } from './attack.ts';
import { padded } from './padding.ts';
import { atRate, connectTo, gzippedPost } from './sending.ts';

interface Size extends Timed {
  perSecond: number;
  connections: number;
  paddingBytes: number;
}

/** Verifies that are refused before the network is asked, but not before a large body was parsed. */
export const attack: Attack<Size> = {
  file: 'parsing.ts',
  title: 'Processor by parsing',
  describe: ({ perSecond, connections, paddingBytes, seconds }) =>
    `${perSecond} verifies a second of another amount than was signed, with ${shown(paddingBytes)} bytes of empty objects, gzipped, over ${connections} connections; for ${seconds} s.`,
  full: { perSecond: 100, connections: 20, paddingBytes: 1_040_000, seconds: 15 },
  short: { perSecond: 100, connections: 20, paddingBytes: 1_040_000, seconds: 3 },
  honest: ['health', 'verify', 'settle'],
  submitters: 4,
  rpcDelayMs: 0,
  async prepare(payers) {
    const [payer, seller] = [await payers.account(), await payers.account()];
    const [body] = await payers.sign({ payer, payTo: seller.publicKey() }, 1);
    const { paymentPayload, paymentRequirements, ...request } = JSON.parse(body!);
    const asked = { ...paymentRequirements, amount: `${paymentRequirements.amount}0` };
    const refused = { ...paymentPayload, accepted: asked };
    return [JSON.stringify({ ...request, paymentPayload: refused, paymentRequirements: asked })];
  },
  async send(target, { paddingBytes, connections, ...rate }, [body]) {
    const request = gzippedPost('/verify', padded(body!, 'objects', paddingBytes));
    const open = () => connectTo(target).resume();
    const sockets = Array.from({ length: connections }, open);
    let sent = 0;
    await atRate(rate, (nth) => {
      const at = nth % connections;
      // A sender that is cut off connects again.
      if (sockets[at]!.destroyed) sockets[at] = open();
      sockets[at]!.write(request);
      sent += 1;
    });
    for (const socket of sockets) socket.destroy();
    return { 'bytes of a request': request.length, 'requests sent': sent };
  },
};
