import { openField, SIDES, type Field, type Pair, type Servers, type Side } from './field.ts';
import type { Burst } from './burst/account.ts';
import { measureBurst } from './burst/measure.ts';
import { LEDGER_MS } from './network.ts';
import { say } from './progress.ts';
import { goal, type Measure, type Result, type Section } from './results.ts';
import { median, sum } from './statistics.ts';
import { shown } from './table.ts';

interface Plan {
  rounds: number;
  submitters: readonly number[];
}

const PLAN: Plan = { rounds: 2, submitters: [1, 5, 20, 50] };
const REHEARSAL: Plan = { rounds: 1, submitters: [1, 5] };
const PAYMENTS_PER_SUBMITTER = 10;
const WARM_UP_VERIFIES = 200;
const FILL_GOAL = 0.95;

/** All at once ten times as many payments as there are submitters; the servers take turns. */
export async function benchBurst(isRehearsal: boolean): Promise<Result> {
  const plan = isRehearsal ? REHEARSAL : PLAN;
  await using field = await openField({ ledgerMs: LEDGER_MS });
  const bursts: Pair<Burst[]>[] = [];
  for (const submitters of plan.submitters) bursts.push(await measureSize(field, submitters, plan.rounds));
  return {
    name: 'burst',
    notes: [
      `${PAYMENTS_PER_SUBMITTER} payments for each submitter, of one buyer with money enough, sent together just after a ledger has closed; ledgers close every ${LEDGER_MS / 1000} s. Sellers ask for the stock 300 s.`,
      `Medians of ${plan.rounds} rounds, in which the servers take turns; each is a process of its own, warmed up by ${WARM_UP_VERIFIES} verifies and a settlement. This service runs on Koa with its files on disk, the peer on Fastify, with its own round-robin of its submitters.`,
      'A place is one submitter in one ledger; it counts where a payment waited for it when the ledger closed: sent, not refused yet, in no earlier ledger.',
      'One sandbox network in a process of its own serves both.',
    ],
    sections: bursts.map((pair, i) => sectionOf(plan.submitters[i]!, pair)),
    goals: goals(bursts.flatMap(({ ours }) => ours)),
  };
}

async function measureSize(field: Field, submitters: number, rounds: number): Promise<Pair<Burst[]>> {
  const size = submitters * PAYMENTS_PER_SUBMITTER;
  await using servers = await field.startServers({ submitters, connections: size });
  await warmUp(field, servers);
  const bursts: Pair<Burst[]> = { ours: [], peer: [] };
  for (let round = 1; round <= rounds; round++) {
    for (const side of SIDES) {
      const server = servers[side];
      say(
        `burst: ${submitters} submitters, round ${round} of ${rounds}, ${server.name}: signing ${size} payments`,
      );
      const burst = await measureBurst(field, server, { submitters, size });
      bursts[side].push(burst);
      say(
        `burst: ${burst.settled} of ${size} settled in ${burst.ledgers} ledgers; refused: ${reasonsOf([burst])}`,
      );
    }
  }
  return bursts;
}

function reasonsOf(bursts: readonly Burst[]): string {
  const reasons = new Set(bursts.flatMap(({ refusals }) => Object.keys(refusals)));
  const counted = [...reasons].map(
    (reason) => `${sum(bursts.map(({ refusals }) => refusals[reason] ?? 0))} × ${reason}`,
  );
  return counted.join(', ') || 'none';
}

async function warmUp({ network, payments }: Field, servers: Servers): Promise<void> {
  const warm = async (side: Side): Promise<void> => {
    const body = await payments.next();
    for (let i = 0; i < WARM_UP_VERIFIES; i++) await servers[side].post('/verify', body);
    await network.untilPhase(1 / 2);
    await servers[side].post('/settle', body);
  };
  await Promise.all(SIDES.map(warm));
}

function sectionOf(submitters: number, { ours, peer }: Pair<Burst[]>): Section {
  const measure = (name: string, value: (burst: Burst) => number): Measure => ({
    name,
    ours: ours.map(value),
    peer: peer.map(value),
  });
  return {
    title: `${submitters} ${submitters === 1 ? 'submitter' : 'submitters'}, ${submitters * PAYMENTS_PER_SUBMITTER} payments`,
    measures: [
      measure('settled, %', ({ settled, size }) => (100 * settled) / size),
      measure('settled per ledger', ({ settled, ledgers }) => settled / ledgers),
      measure('places filled, %', ({ applied, places }) => (100 * applied) / places),
      measure('longest wait for an answer, s', ({ longestWaitSeconds }) => longestWaitSeconds),
      measure('fees spent on failures, stroops', ({ feesOfFailuresStroops }) => feesOfFailuresStroops),
      measure('answers that the ledger contradicts', ({ untrueAnswers }) => untrueAnswers),
    ],
    remark: `Refused in all rounds: by this service ${reasonsOf(ours)}; by the peer ${reasonsOf(peer)}.`,
  };
}

function goals(bursts: readonly Burst[]): Result['goals'] {
  const fills = bursts.map(({ applied, places }) => applied / places);
  const lost = sum(bursts.map(({ size, settled }) => size - settled));
  const untrue = sum(bursts.map(({ untrueAnswers }) => untrueAnswers));
  const filled = `${shown(100 * median(fills))} %, at least ${shown(100 * Math.min(...fills))} %`;
  return [
    goal(`places filled: at least ${100 * FILL_GOAL} %`, filled, Math.min(...fills) >= FILL_GOAL),
    goal('no payment of a burst lost', `${lost} lost`, lost === 0),
    goal('every answer is what the ledger says', `${untrue} untrue`, untrue === 0),
  ];
}
