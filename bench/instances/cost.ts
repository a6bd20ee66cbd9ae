/** Measures what a shared database adds to the cost of a settlement, and of a verify. */
import { setTimeout as pause } from 'node:timers/promises';
import { openField, type Field, type Pair } from '../field.ts';
import { mustBeValid } from '../load.ts';
import type { MeasuredServer } from '../measuredServer.ts';
import { say } from '../progress.ts';
import { goal, type Measure, type Result, type Section } from '../results.ts';
import { settle } from '../settle.ts';
import { shown } from '../table.ts';
import { openCountingProxy, type CountingProxy } from './countingProxy.ts';

export interface CostPlan {
  settlements: number;
  verifies: number;
}

/** Short, since each settlement waits for a ledger. */
const LEDGER_MS = 1_000;
const CONNECTIONS = 1;
const WARM_UP_SETTLEMENTS = 5;
const WARM_UP_VERIFIES = 300;
const IDLE_MS = 10_000;
const ROUND_TRIPS_GOAL = 3;
const CPU_GOAL_MS = 3;

interface Cost {
  roundTrips: number;
  cpuMs: number;
}

type Costs = Record<'settle' | 'verify', Cost>;

/** Measures one at a time, on a database and with files. */
export async function measureCost(
  databaseUrl: string,
  plan: CostPlan,
): Promise<{ section: Section; goals: Result['goals'] }> {
  await using proxy = await openCountingProxy(databaseUrl);
  await using field = await openField({ ledgerMs: LEDGER_MS });
  const costs: Pair<Costs> = {
    ours: await costsOf(field, proxy, proxy.url, plan),
    peer: await costsOf(field, proxy, undefined, plan),
  };
  const { settle, verify } = costs.ours;
  const addedMs = settle.cpuMs - costs.peer.settle.cpuMs;
  const measure = (name: string, value: (costs: Costs) => number): Measure => ({
    name,
    ours: [value(costs.ours)],
    peer: [value(costs.peer)],
  });
  return {
    section: {
      title: 'The cost of one',
      measures: [
        measure('settle: CPU, ms', (one) => one.settle.cpuMs),
        measure('verify: CPU, ms', (one) => one.verify.cpuMs),
        { name: 'settle: round trips to PostgreSQL', ours: [settle.roundTrips], peer: [] },
        { name: 'verify: round trips to PostgreSQL', ours: [verify.roundTrips], peer: [] },
      ],
    },
    goals: [
      goal(
        `at most ${ROUND_TRIPS_GOAL} round trips to PostgreSQL for a settlement`,
        shown(settle.roundTrips),
        Math.round(settle.roundTrips) <= ROUND_TRIPS_GOAL,
      ),
      goal(
        `at most ${CPU_GOAL_MS} ms of CPU added to a settlement`,
        `${shown(addedMs)} ms`,
        addedMs <= CPU_GOAL_MS,
      ),
      goal(
        'no round trip for a verify',
        shown(verify.roundTrips),
        Math.round(verify.roundTrips * plan.verifies) <= 1,
      ),
    ],
  };
}

async function costsOf(
  field: Field,
  proxy: CountingProxy,
  databaseUrl: string | undefined,
  { settlements, verifies }: CostPlan,
): Promise<Costs> {
  say(`instances: the cost of one, ${databaseUrl === undefined ? 'with files' : 'on PostgreSQL'}`);
  await using server = await field.startServer('ours', {
    submitters: 1,
    connections: CONNECTIONS,
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
  const body = await field.payments.next();
  await verifyTimes(server, body, WARM_UP_VERIFIES);
  await settleTimes(field, server, WARM_UP_SETTLEMENTS);
  const meter = createMeter(proxy, server);
  const idle = await meter(() => pause(IDLE_MS));
  const settling = await meter(() => settleTimes(field, server, settlements));
  const verifying = await meter(() => verifyTimes(server, body, verifies));
  return { settle: each(settling, settlements, idle), verify: each(verifying, verifies, idle) };
}

interface Metered extends Cost {
  ms: number;
}

function createMeter(proxy: CountingProxy, server: MeasuredServer) {
  return async (work: () => Promise<unknown>): Promise<Metered> => {
    const before = { roundTrips: proxy.roundTrips(), cpuMs: await server.cpuMs(), ms: performance.now() };
    await work();
    return {
      roundTrips: proxy.roundTrips() - before.roundTrips,
      cpuMs: (await server.cpuMs()) - before.cpuMs,
      ms: performance.now() - before.ms,
    };
  };
}

/** Returns the cost of one of `count`, without what the server does anyway. */
function each({ roundTrips, cpuMs, ms }: Metered, count: number, idle: Metered): Cost {
  const anyway = ms / idle.ms;
  return {
    roundTrips: (roundTrips - anyway * idle.roundTrips) / count,
    cpuMs: (cpuMs - anyway * idle.cpuMs) / count,
  };
}

async function settleTimes({ payments }: Field, server: MeasuredServer, times: number): Promise<void> {
  for (let nth = 0; nth < times; nth += 1) await settle(server, await payments.forListing());
}

async function verifyTimes(server: MeasuredServer, body: string, times: number): Promise<void> {
  for (let nth = 0; nth < times; nth += 1) mustBeValid(await server.post('/verify', body));
}
