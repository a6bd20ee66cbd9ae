import type { Field } from '../field.ts';
import type { MeasuredServer } from '../measuredServer.ts';
import { account, type Burst, type Sent } from './account.ts';

/** Ledgers that can pass in a burst; more than the sandbox is asked for at once. */
const LEDGERS_BACK = 200;
/** So much after a ledger's close the burst begins: it has nearly all of the next one's time. */
const BEGIN_SHARE = 0.02;

/** Signs the payments, sends them together just after a ledger has closed, and awaits all answers. */
export async function measureBurst(
  { network, payments }: Field,
  server: Pick<MeasuredServer, 'post'>,
  { submitters, size }: { submitters: number; size: number },
): Promise<Burst> {
  const bodies = await payments.several(size);
  await network.untilPhase(BEGIN_SHARE);
  const { sequence: before } = (await network.latestLedgers(1))[0]!;
  const sent = await Promise.all(
    bodies.map(async (body): Promise<Sent> => {
      const sentAtMs = Date.now();
      const answer = await server.post('/settle', body);
      return { answer, sentAtMs, answeredAtMs: Date.now() };
    }),
  );
  // A payment that was sent and then given up may still be applied.
  await network.untilPhase(BEGIN_SHARE);
  await network.untilPhase(1 / 2);
  const transactions = await network.transactionsFrom(before + 1);
  const ledgers = (await network.latestLedgers(LEDGERS_BACK)).filter(({ sequence }) => sequence > before);
  return account(sent, { ledgers, transactions }, submitters);
}
