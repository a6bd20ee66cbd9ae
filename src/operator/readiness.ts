import type { CheckName, Readiness } from '../contract/index.ts';
import { within } from '../scheme/index.ts';

/** Says what is wrong and what to do. A warning lets the check pass; undefined means that all is well. */
export type Finding = string | { readonly warning: string } | undefined;

/** An exception fails the check, too. */
export type Check = () => Promise<Finding> | Finding;

export interface ReadinessLimits {
  /** A result counts for this long before the check runs again. */
  resultMs: number;
  /** An answer waits this long for new results. */
  waitMs: number;
  /** A check that takes longer has failed. */
  checkWithinMs: number;
}

export const READINESS_LIMITS: ReadinessLimits = { resultMs: 2_000, waitMs: 800, checkWithinMs: 5_000 };

interface Checked {
  readonly name: CheckName;
  readonly check: Check;
  finding: Finding;
  /** False until the check has ended once. */
  isChecked: boolean;
  /** When it last began, in monotonic milliseconds. */
  begunAt: number;
  underWay: Promise<void> | undefined;
}

/**
 * Returns a function that says whether payments can settle. It checks only when asked, and answers in time even if a check
 * hangs.
 */
export function createReadiness(
  checks: Readonly<Record<CheckName, Check>>,
  changes: Partial<ReadinessLimits> = {},
  now: () => number = () => performance.now(),
): () => Promise<Readiness> {
  const limits = { ...READINESS_LIMITS, ...changes };
  const all = Object.entries(checks).map(([name, check]): Checked => ({
    name: name as CheckName,
    check,
    finding: undefined,
    isChecked: false,
    begunAt: -Infinity,
    underWay: undefined,
  }));

  async function run(one: Checked): Promise<void> {
    one.begunAt = now();
    try {
      one.finding = await one.check();
    } catch (err) {
      one.finding = (err as Error).message;
    }
    one.isChecked = true;
  }

  function findingOf({ name, finding, isChecked, underWay, begunAt }: Checked): Finding {
    if (underWay !== undefined && now() - begunAt > limits.checkWithinMs)
      return `The check of ${name} has not ended for ${Math.round((now() - begunAt) / 1000)} s.`;
    return isChecked ? finding : `The check of ${name} has not ended yet.`;
  }

  function shown(one: Checked): Readiness['checks'][number] {
    const { name } = one;
    const finding = findingOf(one);
    if (finding === undefined) return { name, ok: true };
    if (typeof finding === 'string') return { name, ok: false, message: finding };
    return { name, ok: true, message: finding.warning };
  }

  return async () => {
    for (const one of all) {
      if (one.underWay === undefined && now() - one.begunAt >= limits.resultMs)
        one.underWay = run(one).finally(() => (one.underWay = undefined));
    }
    await within(Promise.all(all.map(({ underWay }) => underWay ?? Promise.resolve())), limits.waitMs);
    const results = all.map(shown);
    return { ready: results.every(({ ok }) => ok), checks: results };
  };
}
