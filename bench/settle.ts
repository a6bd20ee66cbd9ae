import { openField, SIDES, type Field, type Pair, type Servers } from './field.ts';
import type { MeasuredServer } from './measuredServer.ts';
import { LEDGER_MS } from './network.ts';
import { say } from './progress.ts';
import { goal, type Measure, type Result, type Section } from './results.ts';
import { median } from './statistics.ts';
import { shown } from './table.ts';

interface Plan {
  /** Settlements of each server, for each delay. */
  rounds: number;
  delaysMs: readonly number[];
}

const PLAN: Plan = { rounds: 7, delaysMs: [0, 20, 80] };
const REHEARSAL: Plan = { rounds: 1, delaysMs: [0, 80] };
const WARM_UP_VERIFIES = 200;
const CONNECTIONS = 1;
const CALLS_GOAL = 5;
const POLLS_GOAL = 3;
const ANSWER_GOAL_MS = 150;

/** Calls, CPU and latency of settlements, one alone at a time; the servers take turns. */
export async function benchSettle(isRehearsal: boolean): Promise<Result> {
  const plan = isRehearsal ? REHEARSAL : PLAN;
  await using field = await openField({ ledgerMs: LEDGER_MS });
  await using servers = await field.startServers({ submitters: 1, connections: CONNECTIONS });
  await warmUp(field, servers);
  const measured: Pair<Settlement[]>[] = [];
  for (const delayMs of plan.delaysMs) measured.push(await measureDelay(field, servers, delayMs, plan));
  return {
    name: 'settle',
    notes: [
      `Medians of ${plan.rounds} settlements, each alone on the network, in which the servers take turns; each is a process of its own, warmed up by ${WARM_UP_VERIFIES} verifies and a settlement. This service runs on Koa with its files on disk, the peer on Fastify.`,
      `Ledgers close every ${LEDGER_MS / 1000} s; payments arrive at moments that are spread evenly between two of them, the same for both servers.`,
      `One sandbox network in a process of its own serves both; its delay holds for every answer of the RPC, not for the peer's call to Horizon, which is not counted either.`,
    ],
    sections: measured.map((runs, i) => sectionOf(plan.delaysMs[i]!, runs)),
    goals: goals(
      measured[0]!.ours,
      measured.flatMap(({ ours }) => ours),
    ),
  };
}

async function warmUp({ network, payments }: Field, servers: Servers): Promise<void> {
  for (const side of SIDES) {
    const server = servers[side];
    say(`settle: ${server.name} warms up`);
    const body = await payments.next();
    for (let i = 0; i < WARM_UP_VERIFIES; i++) await server.post('/verify', body);
    await network.untilPhase(1 / 2);
    await settle(server, body);
  }
}

async function measureDelay(
  field: Field,
  servers: Servers,
  delayMs: number,
  { rounds }: Plan,
): Promise<Pair<Settlement[]>> {
  const runs: Pair<Settlement[]> = { ours: [], peer: [] };
  for (let round = 1; round <= rounds; round++) {
    for (const side of SIDES) {
      const settlement = await measure(field, servers[side], delayMs, (round - 1 / 2) / rounds);
      runs[side].push(settlement);
      const { calls, seconds } = settlement;
      say(
        `settle: RPC + ${delayMs} ms, round ${round} of ${rounds}, ${servers[side].name}: ${calls} calls, ${seconds.toFixed(1)} s`,
      );
    }
  }
  return runs;
}

interface Settlement {
  calls: number;
  /** The questions after the transaction among them. */
  polls: number;
  cpuMs: number;
  seconds: number;
  /** From the close of the ledger that holds the payment to the answer. */
  afterCloseMs: number;
}

async function measure(
  { network, payments }: Field,
  server: MeasuredServer,
  delayMs: number,
  phase: number,
): Promise<Settlement> {
  const body = await payments.next();
  await network.untilPhase(phase);
  await network.delayAnswers(delayMs);
  await network.calls();
  const cpuBefore = await server.cpuMs();
  const startedAt = performance.now();
  const transaction = await settle(server, body);
  const seconds = (performance.now() - startedAt) / 1000;
  const answeredAtMs = Date.now();
  const cpuMs = (await server.cpuMs()) - cpuBefore;
  const calls = await network.calls();
  await network.delayAnswers(0);
  const { ledger } = await network.rpc('getTransaction', { hash: transaction });
  const holder = (await network.latestLedgers(LEDGERS_BACK)).find(({ sequence }) => sequence === ledger);
  const afterCloseMs = answeredAtMs - (holder?.closedAtMs ?? NaN);
  return { calls: calls.total, polls: calls.of('getTransaction'), cpuMs, seconds, afterCloseMs };
}

/** More than pass before anybody answers. */
const LEDGERS_BACK = 100;

/** Returns the transaction's hash. Throws if the payment does not settle. */
export async function settle(server: MeasuredServer, body: string): Promise<string> {
  const { success, transaction, ...answer } = await server.post('/settle', body);
  if (success !== true) throw new Error(`${server.name} did not settle: ${JSON.stringify(answer)}`);
  return String(transaction);
}

function sectionOf(delayMs: number, { ours, peer }: Pair<Settlement[]>): Section {
  const measure = (name: string, value: (settlement: Settlement) => number): Measure => ({
    name,
    ours: ours.map(value),
    peer: peer.map(value),
  });
  return {
    title: `Answers of the RPC ${delayMs} ms late`,
    measures: [
      measure('RPC calls', ({ calls }) => calls),
      measure('of them getTransaction', ({ polls }) => polls),
      measure('CPU, ms', ({ cpuMs }) => cpuMs),
      measure('latency, s', ({ seconds }) => seconds),
      measure("ledger's close to answer, ms", ({ afterCloseMs }) => afterCloseMs),
    ],
  };
}

function goals(undelayed: readonly Settlement[], all: readonly Settlement[]): Result['goals'] {
  const calls = all.map((settlement) => settlement.calls);
  const polls = all.map((settlement) => settlement.polls);
  const afterCloseMs = median(undelayed.map((settlement) => settlement.afterCloseMs));
  const most = (values: readonly number[]): string =>
    `${shown(median(values))}, at most ${Math.max(...values)}`;
  return [
    goal(`at most ${CALLS_GOAL} RPC calls`, most(calls), Math.max(...calls) <= CALLS_GOAL),
    goal(`at most ${POLLS_GOAL} of them getTransaction`, most(polls), Math.max(...polls) <= POLLS_GOAL),
    goal(
      `answer at most ${ANSWER_GOAL_MS} ms after the ledger's close`,
      `${shown(afterCloseMs)} ms`,
      afterCloseMs <= ANSWER_GOAL_MS,
    ),
  ];
}
