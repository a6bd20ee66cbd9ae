import { binaries, openPostgres } from '../test/postgres/server.ts';
import { openField } from './field.ts';
import { measureCost, type CostPlan } from './instances/cost.ts';
import { measureReplication, type ReplicationPlan } from './instances/replication.ts';
import { measureScale, type ScalePlan } from './instances/scale.ts';
import { LEDGER_MS } from './network.ts';
import type { Result } from './results.ts';

interface Plan extends CostPlan, ScalePlan, ReplicationPlan {}

const PLAN: Plan = {
  settlements: 40,
  verifies: 2_000,
  instances: [1, 2, 4],
  rounds: 2,
  saturationMs: 4_000,
  writes: 300,
  listings: 1_000_000,
};
const REHEARSAL: Plan = {
  settlements: 5,
  verifies: 200,
  instances: [1, 2],
  rounds: 1,
  saturationMs: 500,
  writes: 20,
  listings: 5_000,
};

/** Measures what a shared PostgreSQL costs, what more instances bring, and how soon they list what one has sold. */
export async function benchInstances(isRehearsal: boolean): Promise<Result> {
  if (binaries === undefined) throw new Error('this machine has no PostgreSQL');
  const plan = isRehearsal ? REHEARSAL : PLAN;
  const postgres = await openPostgres({ isDurable: true });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => postgres.close());
  const cost = await measureCost(await postgres.database(), plan);
  const replication = await measureReplication(await postgres.database(), plan);
  await using field = await openField({ ledgerMs: LEDGER_MS });
  const scale = await measureScale(field, () => postgres.database(), plan);
  return {
    name: 'instances',
    sides: ['on PostgreSQL', 'one with files'],
    notes: [
      'PostgreSQL, all instances, the network and the load share one machine: more instances find no more processors here.',
      `The cost of one: ${plan.settlements} settlements, each of a resource of its own that is listed, and ${plan.verifies} verifies, one at a time, without what an idle instance does in the same time.`,
      `A burst: 10 payments for each of 20 channel accounts, sent together to the instances in turn just after a ledger has closed; ledgers close every ${LEDGER_MS / 1000} s. Medians of ${plan.rounds} rounds.`,
    ],
    sections: [cost.section, replication.section, ...scale.sections],
    goals: [...cost.goals, ...replication.goals, ...scale.goals],
  };
}
