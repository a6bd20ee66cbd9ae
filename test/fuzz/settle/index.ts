import type { Rule } from '../contract/rule.ts';
import { addTo, type Reached } from './reached.ts';
import { run, type Broken, type Failure, type Outcome } from './run.ts';
import type { SharedDatabase } from './sharedDatabase.ts';
import { shrunk } from './shrink.ts';
import { scheduleOf, textOf, type Schedule } from './steps.ts';

/** Long enough for several processes, short enough to be made smaller. */
const STEPS_PER_SCHEDULE = 150;
const STEPS_SHOWN = 30;

export interface SettleRule extends Rule {
  /** What all schedules so far came to. */
  readonly reached: Reached;
}

/**
 * Settlement by random schedules, against a model of the ledger. Each seed is a schedule; `runs` counts their steps. A
 * broken service is one that the model must complain of. With a `shared` database, the schedules are for several instances.
 */
export function settleRule(broken: Broken = {}, shared?: SharedDatabase): SettleRule {
  const reached: Reached = new Map();
  const runOf = (schedule: Schedule): Promise<Outcome> => run(schedule, broken, shared);
  return {
    name: `settle${shared ? ' with several instances' : ''}: whatever happens, each payment ends in one way, and what is said of it is true`,
    runs: STEPS_PER_SCHEDULE,
    reached,
    async find({ seed: firstSeed, runs, shrink = true }) {
      let tried = 0;
      for (let seed = firstSeed; tried < runs; seed += 1) {
        const schedule = scheduleOf(seed, STEPS_PER_SCHEDULE, shared !== undefined);
        const { failure, reached: more } = await runOf(schedule);
        addTo(reached, more);
        tried += schedule.steps.length;
        if (failure === undefined) continue;
        const smaller = shrink
          ? await shrunk(schedule, failure, async (other) => (await runOf(other)).failure)
          : undefined;
        return { tried, complaint: told(seed, { schedule, failure }, smaller) };
      }
      return { tried };
    },
  };
}

interface Failed {
  readonly schedule: Schedule;
  readonly failure: Failure;
}

function told(seed: number, found: Failed, smaller: Failed | undefined): string {
  const { schedule, failure } = found;
  const until = Math.min(failure.step + 1, schedule.steps.length);
  const from = Math.max(0, until - STEPS_SHOWN);
  const where =
    failure.step < schedule.steps.length ? `in step ${failure.step}` : `at the end of ${failure.step} steps`;
  const lines = [
    failure.complaint,
    `  ${where} of seed ${seed}, which begins with ${JSON.stringify(schedule.start)}; the latest steps:`,
    ...textsOf(schedule, from, until),
  ];
  if (smaller === undefined) return lines.join('\n');
  const { steps } = smaller.schedule;
  return [
    ...lines,
    `  ${steps.length} of these steps do it as well: ${smaller.failure.complaint}`,
    ...textsOf(smaller.schedule, 0, steps.length),
  ].join('\n');
}

const textsOf = ({ steps }: Schedule, from: number, until: number): string[] =>
  steps.slice(from, until).map((step, index) => `    ${from + index} ${textOf(step)}`);
