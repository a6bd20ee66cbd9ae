import { createMetrics } from '../src/operator/metrics/index.ts';
import { openField } from './field.ts';
import { LEDGER_MS } from './network.ts';
import { startChild } from './processes.ts';
import { goal, type Result } from './results.ts';
import type { Listening } from './servers/child.ts';
import { median } from './statistics.ts';
import { shown } from './table.ts';
import {
  CONNECTIONS,
  describeTurns,
  shownRatio,
  takeTurns,
  TURNS,
  TURNS_REHEARSAL,
  type Turns,
  type TurnsPlan,
} from './turns.ts';

const CPU_GOAL = 1.03;
const OBSERVED_VERIFIES = 1_000_000;

/** Measures how much more CPU a verify costs if the service counts for its metrics. */
export async function benchMetrics(isRehearsal: boolean): Promise<Result> {
  const plan = isRehearsal ? TURNS_REHEARSAL : TURNS;
  const { cpuMs, ratio } = await measure(plan);
  const observing = observingMs();
  const share = observing / median(cpuMs.peer);
  return {
    name: 'metrics',
    sides: ['with metrics', 'without'],
    notes: [
      describeTurns(plan),
      'The one with metrics is scraped every 15 seconds. The RPC repeats for a second what the sandbox has answered.',
    ],
    sections: [
      {
        title: 'What a verify reports, alone',
        measures: [{ name: 'CPU of each, ms', ours: [observing], peer: [] }],
      },
      { title: 'Valid payments', measures: [cpuMs], remark: `The ratio of a pair: ${shownRatio(ratio)}.` },
    ],
    goals: [
      goal(
        'what is reported: at most 3 % of the CPU of a verify',
        `${shown(100 * share)} %`,
        share <= CPU_GOAL - 1,
      ),
      goal('at most 3 % more CPU for each verify', shownRatio(ratio), ratio.median <= CPU_GOAL),
    ],
  };
}

/** Measures, in this process, what the reports of one verify cost: of its answer, and of its call of the RPC. */
function observingMs(): number {
  const { observers } = createMetrics({
    version: '',
    network: '',
    feeBudgets: { all: undefined, anonymous: undefined },
  });
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

async function measure(plan: TurnsPlan): Promise<Turns> {
  await using field = await openField({ ledgerMs: LEDGER_MS });
  await using rpc = await startChild<Listening>('recordedRpc.ts', { sandboxUrl: field.network.url });
  const rpcUrl = `http://127.0.0.1:${rpc.started.port}`;
  const options = { submitters: 1, connections: CONNECTIONS, rpcUrl };
  return await takeTurns(
    field,
    async () => ({
      ours: await field.startServer('ours', { ...options, hasMetrics: true }),
      peer: await field.startServer('ours', options),
    }),
    plan,
  );
}
