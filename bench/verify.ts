import { openField, SIDES, type Field, type Pair, type Servers } from './field.ts';
import { mustBeValid, saturate, type Load } from './load.ts';
import type { Answer, MeasuredServer } from './measuredServer.ts';
import { LEDGER_MS } from './network.ts';
import { startChild } from './processes.ts';
import { say } from './progress.ts';
import { goal, type Measure, type Result, type Section } from './results.ts';
import type { Listening } from './servers/child.ts';
import { median, percentile, ratio } from './statistics.ts';
import { shown } from './table.ts';

interface Plan {
  rounds: number;
  /** Verifies of a round, one at a time, with answers of the RPC that come so many milliseconds late. */
  oneAtATime: readonly { delayMs: number; verifies: number }[];
  warmUpMs: number;
  saturationMs: number;
}

const PLAN: Plan = {
  rounds: 5,
  oneAtATime: [
    { delayMs: 0, verifies: 400 },
    { delayMs: 20, verifies: 60 },
    { delayMs: 80, verifies: 40 },
  ],
  warmUpMs: 5_000,
  saturationMs: 3_000,
};
const REHEARSAL: Plan = {
  rounds: 1,
  oneAtATime: PLAN.oneAtATime.map(({ delayMs }) => ({ delayMs, verifies: 20 })),
  warmUpMs: 500,
  saturationMs: 500,
};
const CONNECTIONS = 64;
const OVERHEAD_GOAL_MS = 5;
const CPU_GOAL = 1 / 8;

/** Calls, CPU and latency of a verify, and how many of them a server manages; the servers take turns. */
export async function benchVerify(isRehearsal: boolean): Promise<Result> {
  const plan = isRehearsal ? REHEARSAL : PLAN;
  await using field = await openField({ ledgerMs: LEDGER_MS });
  const alone: Section[] = [];
  {
    await using servers = await field.startServers({ submitters: 1, connections: CONNECTIONS });
    await warmUp(field, servers, plan);
    for (const { delayMs, verifies } of plan.oneAtATime) {
      const measures = await measureAlone(field, servers, { delayMs, verifies, rounds: plan.rounds });
      alone.push({ title: `One at a time, answers of the RPC ${delayMs} ms late`, measures });
    }
  }
  const loads = await measureSaturation(field, plan);
  return {
    name: 'verify',
    notes: [
      `Medians of ${plan.rounds} rounds, in which the servers take turns; each is a process of its own, warmed up by ${plan.warmUpMs / 1000} s of verifies. This service runs on Koa, the peer on Fastify.`,
      `One sandbox network in a process of its own serves both; its delay holds for every call of the RPC, not for the peer's call to Horizon, which is not counted either.`,
      'Latency is what the seller sees, over loopback. "Above the round trip" is without the time that the same simulation takes when the bench itself asks the RPC for it.',
      `At saturation ${CONNECTIONS} requests are under way, for ${plan.saturationMs / 1000} s; the RPC repeats for a second what the sandbox has answered, which would be at its own limit first. Refused are good payments to a seller who asks for another amount.`,
    ],
    sections: [...alone, ...saturationSections(loads)],
    goals: goals(alone, loads),
  };
}

async function warmUp({ payments }: Field, servers: Servers, { warmUpMs }: Plan): Promise<void> {
  const body = await payments.next();
  for (const side of SIDES) {
    say(`verify: ${servers[side].name} warms up`);
    await saturate(servers[side], body, { connections: CONNECTIONS, ms: warmUpMs }, mustBeValid);
  }
}

interface AloneRun {
  calls: number;
  cpuMs: number;
  p50Ms: number;
  p95Ms: number;
  aboveRoundTripMs: number;
}

async function measureAlone(
  field: Field,
  servers: Servers,
  { delayMs, verifies, rounds }: { delayMs: number; verifies: number; rounds: number },
): Promise<Measure[]> {
  const runs: Pair<AloneRun[]> = { ours: [], peer: [] };
  for (let round = 1; round <= rounds; round++) {
    say(`verify: one at a time, RPC + ${delayMs} ms, round ${round} of ${rounds}`);
    for (const side of SIDES) {
      // A payment for each turn: its authorization does not outlive the whole run.
      const body = await field.payments.next();
      await field.network.delayAnswers(delayMs);
      const roundTripMs = median(await roundTrips(field, body, verifies));
      runs[side].push(await turn(field, servers[side], body, { verifies, roundTripMs }));
      await field.network.delayAnswers(0);
    }
  }
  const measure = (name: string, value: (run: AloneRun) => number): Measure => ({
    name,
    ours: runs.ours.map(value),
    peer: runs.peer.map(value),
  });
  return [
    measure('RPC calls', ({ calls }) => calls),
    measure('CPU, ms', ({ cpuMs }) => cpuMs),
    measure('latency p50, ms', ({ p50Ms }) => p50Ms),
    measure('latency p95, ms', ({ p95Ms }) => p95Ms),
    measure('p50 above the round trip, ms', ({ aboveRoundTripMs }) => aboveRoundTripMs),
  ];
}

/** Measures the one call that a verify cannot do without, by itself. */
async function roundTrips({ network }: Field, body: string, times: number): Promise<number[]> {
  const { transaction } = JSON.parse(body).paymentPayload.payload;
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const startedAt = performance.now();
    await network.rpc('simulateTransaction', { transaction, authMode: 'enforce' });
    took.push(performance.now() - startedAt);
  }
  return took;
}

async function turn(
  { network }: Field,
  server: MeasuredServer,
  body: string,
  { verifies, roundTripMs }: { verifies: number; roundTripMs: number },
): Promise<AloneRun> {
  await network.calls();
  const cpuBefore = await server.cpuMs();
  const latencies: number[] = [];
  for (let i = 0; i < verifies; i++) {
    const startedAt = performance.now();
    const answer = await server.post('/verify', body);
    latencies.push(performance.now() - startedAt);
    mustBeValid(answer);
  }
  const cpuMs = ((await server.cpuMs()) - cpuBefore) / verifies;
  const { total } = await network.calls();
  const p50Ms = percentile(latencies, 50);
  const p95Ms = percentile(latencies, 95);
  return { calls: total / verifies, cpuMs, p50Ms, p95Ms, aboveRoundTripMs: p50Ms - roundTripMs };
}

interface Loads {
  valid: Pair<Load[]>;
  refused: Pair<Load[]>;
}

async function measureSaturation(field: Field, plan: Plan): Promise<Loads> {
  await using rpc = await startChild<Listening>('recordedRpc.ts', { sandboxUrl: field.network.url });
  const rpcUrl = `http://127.0.0.1:${rpc.started.port}`;
  await using servers = await field.startServers({ submitters: 1, connections: CONNECTIONS, rpcUrl });
  await warmUp(field, servers, plan);
  const loads: Loads = { valid: { ours: [], peer: [] }, refused: { ours: [], peer: [] } };
  const drive = { connections: CONNECTIONS, ms: plan.saturationMs };
  for (let round = 1; round <= plan.rounds; round++) {
    say(`verify: saturation, round ${round} of ${plan.rounds}`);
    const [good, wrong] = [await field.payments.next(), await field.payments.ofWrongAmount()];
    for (const side of SIDES) loads.valid[side].push(await saturate(servers[side], good, drive, mustBeValid));
    for (const side of SIDES)
      loads.refused[side].push(await saturate(servers[side], wrong, drive, mustBeRefused));
  }
  return loads;
}

function saturationSections({ valid, refused }: Loads): Section[] {
  const measures = ({ ours, peer }: Pair<Load[]>, what: string): Measure[] => {
    const measure = (name: string, value: (load: Load) => number): Measure => ({
      name,
      ours: ours.map(value),
      peer: peer.map(value),
    });
    return [
      measure(`${what} per second`, ({ perSecond }) => perSecond),
      measure('CPU of each, ms', ({ cpuMs }) => cpuMs),
      measure('cores that the server used', ({ coreShare }) => coreShare),
    ];
  };
  return [
    { title: 'At saturation, valid payments', measures: measures(valid, 'verifies') },
    { title: 'At saturation, refused before the network', measures: measures(refused, 'refusals') },
  ];
}

function goals(alone: readonly Section[], { valid, refused }: Loads): Result['goals'] {
  const [calls, cpu] = alone[0]!.measures;
  const above = alone.map(({ measures }) => median(measures.at(-1)!.ours));
  const loadCpu = ratio({ ours: valid.ours.map((l) => l.cpuMs), peer: valid.peer.map((l) => l.cpuMs) });
  const throughput = ratio({
    ours: refused.ours.map((l) => l.perSecond),
    peer: refused.peer.map((l) => l.perSecond),
  });
  return [
    goal('one RPC call', shown(median(calls!.ours)), median(calls!.ours) === 1),
    goal("at most 1/8 of the peer's CPU, one at a time", shown(ratio(cpu!)), ratio(cpu!) <= CPU_GOAL),
    goal("at most 1/8 of the peer's CPU, at saturation", shown(loadCpu), loadCpu <= CPU_GOAL),
    goal(
      `latency at most one RPC round trip + ${OVERHEAD_GOAL_MS} ms`,
      `+ ${above.map(shown).join(', ')} ms`,
      Math.max(...above) <= OVERHEAD_GOAL_MS,
    ),
    goal(
      'refusals before the network: as many per second as the peer',
      `× ${shown(throughput)}`,
      throughput >= 1,
    ),
  ];
}

function mustBeRefused(answer: Answer): void {
  if (answer['invalidReason'] !== 'invalid_exact_stellar_payload_wrong_amount')
    throw new Error(`expected a wrong amount: ${JSON.stringify(answer)}`);
}
