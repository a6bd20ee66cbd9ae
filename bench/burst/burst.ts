import type { Field } from '../field.ts';
import type { Answer, MeasuredServer } from '../measuredServer.ts';
import type { AppliedTransaction, Ledger, Network } from '../network.ts';
import { sum } from '../statistics.ts';

/** What became of a burst. */
export interface Burst {
  size: number;
  /** Answered as settled. */
  settled: number;
  /** Put on the ledger, successfully. */
  applied: number;
  /** In which payments waited. */
  ledgers: number;
  /** Submitters in those ledgers for which a payment waited. */
  places: number;
  longestWaitSeconds: number;
  feesOfFailuresStroops: number;
  untrueAnswers: number;
  /** How often each reason was given. */
  refusals: Record<string, number>;
}

interface Sent {
  answer: Answer;
  sentAtMs: number;
  answeredAtMs: number;
}

/** Ledgers that can pass in a burst; more than the sandbox is asked for at once. */
const LEDGERS_BACK = 200;

/** Signs the payments, sends them together as soon as a ledger has closed, and awaits all answers. */
export async function measureBurst(
  { network, payments }: Field,
  server: MeasuredServer,
  { submitters, size }: { submitters: number; size: number },
): Promise<Burst> {
  const bodies = await payments.several(size);
  await network.untilPhase(0);
  const before = (await network.latestLedgers(1))[0]!;
  const sent = await Promise.all(
    bodies.map(async (body): Promise<Sent> => {
      const sentAtMs = Date.now();
      const answer = await server.post('/settle', body);
      return { answer, sentAtMs, answeredAtMs: Date.now() };
    }),
  );
  // What was sent but not awaited by the server may still be applied.
  await network.untilPhase(0);
  await network.untilPhase(1 / 2);
  const transactions = await network.transactionsFrom(before.sequence + 1);
  const ledgers = await ledgersSince(network, before);
  return { size, ...judge(sent, transactions), ...countPlaces(ledgers, sent, transactions, submitters) };
}

async function ledgersSince(network: Network, { sequence: last }: Ledger): Promise<Ledger[]> {
  const ledgers = await network.latestLedgers(LEDGERS_BACK);
  return ledgers.filter(({ sequence }) => sequence > last).reverse();
}

function judge(
  sent: readonly Sent[],
  transactions: readonly AppliedTransaction[],
): Omit<Burst, 'size' | 'ledgers' | 'places'> {
  const applied = transactions.filter(({ isSuccess }) => isSuccess);
  const hashes = new Set(applied.map(({ hash }) => hash));
  const isSettled = ({ answer }: Sent): boolean => answer['success'] === true;
  const settled = sent.filter(isSettled);
  const untold =
    applied.length - settled.filter(({ answer }) => hashes.has(String(answer['transaction']))).length;
  const invented = settled.filter(({ answer }) => !hashes.has(String(answer['transaction']))).length;
  const refusals: Record<string, number> = {};
  for (const { answer } of sent.filter((one) => !isSettled(one))) {
    const reason = String(answer['errorReason']);
    refusals[reason] = (refusals[reason] ?? 0) + 1;
  }
  return {
    settled: settled.length,
    applied: applied.length,
    longestWaitSeconds: Math.max(...sent.map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs)) / 1000,
    feesOfFailuresStroops: sum(
      transactions.filter(({ isSuccess }) => !isSuccess).map(({ feeStroops }) => feeStroops),
    ),
    untrueAnswers: untold + invented,
    refusals,
  };
}

/** Ledger by ledger: how many payments waited for it, and so how many submitters it could have used. */
function countPlaces(
  ledgers: readonly Ledger[],
  sent: readonly Sent[],
  transactions: readonly AppliedTransaction[],
  submitters: number,
): Pick<Burst, 'ledgers' | 'places'> {
  const ledgerOf = new Map(transactions.map(({ hash, ledger }) => [hash, ledger]));
  const waitedFor = ({ sequence, closedAtMs }: Ledger): number =>
    sent.filter(({ answer, answeredAtMs }) => {
      const ledger = ledgerOf.get(String(answer['transaction']));
      return ledger === undefined ? answeredAtMs > closedAtMs : ledger >= sequence;
    }).length;
  const waiting = ledgers.map(waitedFor).filter((payments) => payments > 0);
  return { ledgers: waiting.length, places: sum(waiting.map((payments) => Math.min(payments, submitters))) };
}
