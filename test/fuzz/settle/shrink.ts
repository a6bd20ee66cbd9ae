import type { Failure } from './run.ts';
import type { Schedule } from './steps.ts';

/** How long a schedule is made smaller: in runs, and in milliseconds. */
const MAX_RUNS = 300;
const MAX_MS = 30_000;

/**
 * A schedule with fewer steps that fails alike: what comes after the failure goes first, then parts of what is left,
 * ever smaller ones.
 */
export async function shrunk(
  schedule: Schedule,
  failure: Failure,
  failureOf: (schedule: Schedule) => Promise<Failure | undefined>,
): Promise<{ schedule: Schedule; failure: Failure }> {
  const startedAtMs = performance.now();
  let smallest = { schedule, failure };
  let runs = 0;

  async function isSmaller(steps: Schedule['steps']): Promise<boolean> {
    runs += 1;
    const tried = { ...schedule, steps };
    const found = await failureOf(tried);
    if (found === undefined || kindOf(found) !== kindOf(failure)) return false;
    smallest = { schedule: tried, failure: found };
    return true;
  }

  await isSmaller(schedule.steps.slice(0, failure.step + 1));
  for (let size = Math.ceil(smallest.schedule.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = smallest.schedule.steps.length - size; from > -size; from -= size) {
      if (runs >= MAX_RUNS || performance.now() - startedAtMs > MAX_MS) return smallest;
      const { steps } = smallest.schedule;
      await isSmaller(steps.toSpliced(Math.max(0, from), size + Math.min(0, from)));
    }
  }
  return smallest;
}

/** What a complaint says, whomever and whenever it concerns. */
function kindOf({ complaint }: Failure): string {
  return complaint.replaceAll(/[0-9a-f]{64}|\b[GC][A-Z2-7]{55}\b|\d+/g, '…');
}
