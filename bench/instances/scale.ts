/** Measures how many payments several instances settle in a burst, and how many they verify in a second. */
import { measureBurst } from '../burst/measure.ts';
import type { Burst } from '../burst/account.ts';
import type { Field } from '../field.ts';
import { mustBeValid, saturate } from '../load.ts';
import type { MeasuredServer } from '../measuredServer.ts';
import { startChild } from '../processes.ts';
import { say } from '../progress.ts';
import { goal, type Measure, type Result, type Section } from '../results.ts';
import type { Listening } from '../servers/child.ts';
import { sum } from '../statistics.ts';

export interface ScalePlan {
  instances: readonly number[];
  rounds: number;
  saturationMs: number;
}

/** Holds what several instances achieved together: one value for each round. */
interface Achieved {
  bursts: Burst[];
  verifiesPerSecond: number[];
}

const SUBMITTERS = 20;
const SIZE = 10 * SUBMITTERS;
const CONNECTIONS = 64;
const WARM_UP_VERIFIES = 200;

export async function measureScale(
  field: Field,
  newDatabase: () => Promise<string>,
  plan: ScalePlan,
): Promise<{ sections: Section[]; goals: Result['goals'] }> {
  const alone = await achievedBy(field, 1, undefined, plan);
  const sections: Section[] = [];
  const all = [...alone.bursts];
  for (const count of plan.instances) {
    const shared = await achievedBy(field, count, await newDatabase(), plan);
    all.push(...shared.bursts);
    sections.push(sectionOf(count, shared, alone));
  }
  const lost = sum(all.map(({ size, settled }) => size - settled));
  const untrue = sum(all.map(({ untrueAnswers }) => untrueAnswers));
  return {
    sections,
    goals: [
      goal('no payment of a burst lost', `${lost} lost`, lost === 0),
      goal('every answer is what the ledger says', `${untrue} untrue`, untrue === 0),
    ],
  };
}

async function achievedBy(
  field: Field,
  instances: number,
  databaseUrl: string | undefined,
  { rounds, saturationMs }: ScalePlan,
): Promise<Achieved> {
  const what = databaseUrl === undefined ? 'one with files' : `${instances} on PostgreSQL`;
  const submitters = await field.makeSubmitters(SUBMITTERS);
  await using rpc = await startChild<Listening>('recordedRpc.ts', { sandboxUrl: field.network.url });
  await using stack = new AsyncDisposableStack();
  const start = async (rpcUrl: string): Promise<MeasuredServer[]> => {
    const shared = databaseUrl !== undefined && { databaseUrl };
    const options = { submitters, connections: SIZE, rpcUrl, ...shared };
    return Promise.all(
      Array.from({ length: instances }, async () => stack.use(await field.startServer('ours', options))),
    );
  };
  const verifiesPerSecond: number[] = [];
  const bursts: Burst[] = [];
  const settling = await start(field.network.url);
  await warmUp(field, settling);
  for (let round = 1; round <= rounds; round += 1) {
    say(`instances: ${what}, burst ${round} of ${rounds}`);
    bursts.push(await measureBurst(field, inTurn(settling), { submitters: SUBMITTERS, size: SIZE }));
  }
  const verifying = await start(`http://127.0.0.1:${rpc.started.port}`);
  await warmUp(field, verifying);
  for (let round = 1; round <= rounds; round += 1) {
    say(`instances: ${what}, verifies ${round} of ${rounds}`);
    const body = await field.payments.next();
    const drive = { connections: CONNECTIONS, ms: saturationMs };
    const loads = await Promise.all(verifying.map((server) => saturate(server, body, drive, mustBeValid)));
    verifiesPerSecond.push(sum(loads.map(({ perSecond }) => perSecond)));
  }
  return { bursts, verifiesPerSecond };
}

async function warmUp({ payments }: Field, servers: readonly MeasuredServer[]): Promise<void> {
  const body = await payments.next();
  for (const server of servers)
    for (let nth = 0; nth < WARM_UP_VERIFIES; nth += 1) mustBeValid(await server.post('/verify', body));
}

/** Returns a server that passes requests to these in turn, as a load balancer does. */
function inTurn(servers: readonly MeasuredServer[]): Pick<MeasuredServer, 'post'> {
  let turn = 0;
  return { post: (path, body) => servers[turn++ % servers.length]!.post(path, body) };
}

function sectionOf(count: number, shared: Achieved, alone: Achieved): Section {
  const measure = (name: string, value: (achieved: Achieved) => number[]): Measure => ({
    name,
    ours: value(shared),
    peer: value(alone),
  });
  const ofBursts = (name: string, value: (burst: Burst) => number): Measure =>
    measure(name, ({ bursts }) => bursts.map(value));
  return {
    title: `${count} ${count === 1 ? 'instance' : 'instances'}`,
    measures: [
      ofBursts('settled per ledger', ({ settled, ledgers }) => settled / ledgers),
      ofBursts('places filled, %', ({ applied, places }) => (100 * applied) / places),
      ofBursts('longest wait for an answer, s', ({ longestWaitSeconds }) => longestWaitSeconds),
      measure('verifies per second', ({ verifiesPerSecond }) => verifiesPerSecond),
    ],
  };
}
