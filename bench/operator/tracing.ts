/** Measures what tracing costs a verify: what is left of it while it is off, and all of it while it is on. */
import { UNTRACED_REQUESTS } from '../../src/http/requestTracer.ts';
import { UNTRACED } from '../../src/stellar/tracer.ts';
import type { Field } from '../field.ts';
import { startChild } from '../processes.ts';
import { goal, type Result, type Section } from '../results.ts';
import type { Listening } from '../servers/child.ts';
import { median } from '../statistics.ts';
import { shown } from '../table.ts';
import { CONNECTIONS, shownRatio, takeTurns, type TurnsPlan } from '../turns.ts';

const HOOKED_VERIFIES = 1_000_000;
const HOOKS_GOAL = 0.01;

export async function measureTracing(
  field: Field,
  plan: TurnsPlan,
): Promise<{ section: Section; goals: Result['goals'] }> {
  await using rpc = await startChild<Listening>('recordedRpc.ts', { sandboxUrl: field.network.url });
  await using collector = await startChild<Listening>('collector.ts', {});
  const rpcUrl = `http://127.0.0.1:${rpc.started.port}`;
  const collectorUrl = `http://127.0.0.1:${collector.started.port}`;
  const options = { submitters: 1, connections: CONNECTIONS, rpcUrl };
  const { cpuMs, ratio } = await takeTurns(
    field,
    async () => ({
      ours: await field.startServer('ours', { ...options, collectorUrl }),
      peer: await field.startServer('ours', options),
    }),
    plan,
  );
  if ((await collector.ask<number>('bytes')) === 0) throw new Error('the collector got no spans');
  const hooksMs = await hooksAlone();
  const share = hooksMs / median(cpuMs.peer);
  return {
    section: {
      title: 'Tracing',
      measures: [
        { ...cpuMs, name: 'verify: CPU, ms' },
        { name: 'hooks of a verify alone, off: CPU, ms', ours: [], peer: [hooksMs] },
      ],
      remark: `The ratio of a pair: ${shownRatio(ratio)}.`,
    },
    goals: [
      goal(
        `tracing that is off takes at most ${100 * HOOKS_GOAL} % of the CPU of a verify`,
        `${shown(100 * share)} %`,
        share <= HOOKS_GOAL,
      ),
    ],
  };
}

/** Measures, in this process, what a verify calls of tracing while it is off: for the request, and for one RPC call. */
async function hooksAlone(): Promise<number> {
  const nothing = async () => ({ status: 200 });
  const request = { requestId: '', method: 'POST', path: '/verify', route: '/verify' };
  const hooked = async (): Promise<void> => {
    const callerSpan = UNTRACED_REQUESTS.callerSpan(undefined);
    await UNTRACED_REQUESTS.request({ ...request, callerSpan }, () =>
      UNTRACED.call('simulateTransaction', 'http://127.0.0.1', () => nothing()),
    );
  };
  const bare = async (): Promise<void> => void (await nothing());
  for (const work of [hooked, bare]) await cpuOf(work, HOOKED_VERIFIES / 10);
  return ((await cpuOf(hooked, HOOKED_VERIFIES)) - (await cpuOf(bare, HOOKED_VERIFIES))) / HOOKED_VERIFIES;
}

async function cpuOf(work: () => Promise<void>, times: number): Promise<number> {
  const before = process.cpuUsage();
  for (let nth = 0; nth < times; nth += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
