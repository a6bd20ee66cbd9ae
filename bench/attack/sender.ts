import { shown } from '../table.ts';
import { ask } from './ask.ts';
import type { Attack, Timed } from './attack.ts';
import { atRate } from './sending.ts';

interface Size extends Timed {
  /** All at once, at the beginning. */
  settlements: number;
  /** And then so many. */
  perSecond: number;
}

const PATIENCE_MS = 90_000;

/** One account that pays itself nothing, over and over. */
export const attack: Attack<Size> = {
  file: 'sender.ts',
  title: 'One sender',
  describe: ({ settlements, perSecond, seconds }) =>
    `${shown(settlements)} settlements of zero from one account to itself, each on a connection of its own, then ${perSecond} a second; for ${seconds} s.`,
  full: { settlements: 1_000, perSecond: 25, seconds: 30 },
  short: { settlements: 400, perSecond: 25, seconds: 5 },
  honest: ['health', 'verify', 'settle'],
  submitters: 4,
  rpcDelayMs: 0,
  async prepare(payers, { settlements, perSecond, seconds }) {
    const payer = await payers.account();
    return payers.sign({ payer, payTo: payer.publicKey(), amount: 0n }, settlements + perSecond * seconds);
  },
  async send({ port }, { settlements, ...rate }, bodies) {
    const counts = { 'requests sent': 0, 'of them settled': 0 };
    const options = { port, patienceMs: PATIENCE_MS };
    const settle = (body: string): void => {
      counts['requests sent'] += 1;
      void ask({ path: '/settle', body }, options).then(
        ({ text }) => (counts['of them settled'] += text.includes('"success":true') ? 1 : 0),
        () => {},
      );
    };
    for (const body of bodies.slice(0, settlements)) settle(body);
    await atRate(rate, (nth) => settle(bodies[settlements + nth]!));
    return counts;
  },
};
