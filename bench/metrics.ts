import { createMetrics } from '../src/operator/metrics/index.ts';
import { openField, SIDES, type Pair } from './field.ts';
import { mustBeValid, saturate, type Load } from './load.ts';
import { LEDGER_MS } from './network.ts';
import { startChild } from './processes.ts';
import { say } from './progress.ts';
import { goal, type Measure, type Result } from './results.ts';
import type { Listening } from './servers/child.ts';
import { median, ratio } from './statistics.ts';
import { shown } from './table.ts';

const PLAN = { rounds: 60, warmUpMs: 6_000, saturationMs: 1_000 };
const REHEARSAL = { rounds: 1, warmUpMs: 500, saturationMs: 500 };
const CONNECTIONS = 64;
const CPU_GOAL = 1.03;
const OBSERVED_VERIFIES = 1_000_000;

/** What a verify costs with metrics, beside the same service without. */
export async function benchMetrics(isRehearsal: boolean): Promise<Result> {
  const plan = isRehearsal ? REHEARSAL : PLAN;
  const loads = await measure(plan);
  const row = (name: string, value: (load: Load) => number): Measure => ({
    name,
    ours: loads.ours.map(value),
    peer: loads.peer.map(value),
  });
  const cpu = row('CPU of each, ms', ({ cpuMs }) => cpuMs);
  const observing = observingMs();
  const share = observing / median(cpu.peer);
  return {
    name: 'metrics',
    sides: ['with metrics', 'without'],
    notes: [
      `Medians of ${plan.rounds} rounds of ${plan.saturationMs / 1000} s at saturation, in which the two take turns; each is a process of its own, warmed up by ${plan.warmUpMs / 1000} s of verifies.`,
      'The one with metrics is scraped every five seconds. The RPC repeats for a second what the sandbox has answered.',
    ],
    sections: [
      {
        title: 'What a verify reports, alone',
        measures: [{ name: 'CPU of each, ms', ours: [observing], peer: [] }],
      },
      {
        title: 'At saturation, valid payments',
        measures: [row('verifies per second', ({ perSecond }) => perSecond), cpu],
      },
    ],
    goals: [
      goal(
        'what is reported: at most 3 % of the CPU of a verify',
        `${shown(100 * share)} %`,
        share <= CPU_GOAL - 1,
      ),
      goal('at most 3 % more CPU for each verify', `× ${shown(ratio(cpu))}`, ratio(cpu) <= CPU_GOAL),
    ],
  };
}

/** Measures, in this process, what the reports of one verify cost: of its answer, and of its call of the RPC. */
function observingMs(): number {
  const { observers } = createMetrics({ version: '', network: '', serviceFeeBudgetStroops: undefined });
  const report = (verifies: number): number => {
    const before = process.cpuUsage();
    for (let nth = 0; nth < verifies; nth++) {
      const startedAt = performance.now();
      observers.rpc.called(
        'http://127.0.0.1',
        'simulateTransaction',
        performance.now() - startedAt,
        undefined,
      );
      observers.http.answered('verifyPayment', 200, undefined, performance.now() - startedAt);
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / verifies;
  };
  report(OBSERVED_VERIFIES / 10);
  return report(OBSERVED_VERIFIES);
}

async function measure({ rounds, warmUpMs, saturationMs }: typeof PLAN): Promise<Pair<Load[]>> {
  await using field = await openField({ ledgerMs: LEDGER_MS });
  await using rpc = await startChild<Listening>('recordedRpc.ts', { sandboxUrl: field.network.url });
  const rpcUrl = `http://127.0.0.1:${rpc.started.port}`;
  const options = { submitters: 1, connections: CONNECTIONS, rpcUrl };
  await using ours = await field.startServer('ours', { ...options, hasMetrics: true });
  await using peer = await field.startServer('ours', options);
  const servers = { ours, peer };
  const loads: Pair<Load[]> = { ours: [], peer: [] };
  for (const side of SIDES) {
    const body = await field.payments.next();
    await saturate(servers[side], body, { connections: CONNECTIONS, ms: warmUpMs }, mustBeValid);
  }
  for (let round = 1; round <= rounds; round++) {
    say(`metrics: round ${round} of ${rounds}`);
    const body = await field.payments.next();
    // Neither is always the second: the machine may get slower or faster.
    for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) {
      const drive = { connections: CONNECTIONS, ms: saturationMs };
      loads[side].push(await saturate(servers[side], body, drive, mustBeValid));
    }
  }
  return loads;
}
