import { Agent } from 'node:http';
import { ask } from './ask.ts';
import type { Attack, Timed } from './attack.ts';
import { atRate } from './sending.ts';

interface Size extends Timed {
  perSecond: number;
}

const PATIENCE_MS = 5_000;
/** Different ones, which are sent in turn. */
const FORGERIES = 50;

/** Payments that somebody else than their payer signed: only a simulation tells. */
export const attack: Attack<Size> = {
  file: 'forged.ts',
  title: 'Forged verifies',
  describe: ({ perSecond, seconds }) =>
    `${perSecond} verifies a second of payments with forged signatures, beside an RPC whose answers come 300 ms late; for ${seconds} s.`,
  full: { perSecond: 400, seconds: 30 },
  short: { perSecond: 400, seconds: 7 },
  honest: ['health', 'settle'],
  submitters: 4,
  rpcDelayMs: 300,
  async prepare(payers) {
    const [payer, signer, seller] = [await payers.account(), await payers.account(), await payers.account()];
    return payers.sign({ payer, signer, payTo: seller.publicKey() }, FORGERIES);
  },
  async send({ port }, rate, bodies) {
    const agent = new Agent({ keepAlive: true });
    const counts = { 'requests sent': 0, 'of them answered': 0, 'of them 503': 0 };
    const options = { port, patienceMs: PATIENCE_MS, agent };
    await atRate(rate, (nth) => {
      counts['requests sent'] += 1;
      void ask({ path: '/verify', body: bodies[nth % bodies.length]! }, options).then(
        ({ status }) => {
          counts['of them answered'] += 1;
          counts['of them 503'] += status === 503 ? 1 : 0;
        },
        () => {},
      );
    });
    agent.destroy();
    return counts;
  },
};
