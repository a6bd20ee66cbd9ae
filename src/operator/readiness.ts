import type { CheckName, Readiness } from '../contract/index.ts';
import { within } from '../scheme/index.ts';

/** Returns what is wrong and what to do; undefined if all is well. An exception fails the check, too. */
export type Check = () => Promise<string | undefined> | string | undefined;

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
  wrong: string | undefined;
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
    wrong: NOT_CHECKED,
    begunAt: -Infinity,
    underWay: undefined,
  }));

  async function run(one: Checked): Promise<void> {
    one.begunAt = now();
    try {
      one.wrong = await one.check();
    } catch (err) {
      one.wrong = (err as Error).message;
    }
  }

  function shown({ name, wrong, underWay, begunAt }: Checked): Readiness['checks'][number] {
    const isHanging = underWay !== undefined && now() - begunAt > limits.checkWithinMs;
    const message = isHanging ? `It has not answered for ${Math.round((now() - begunAt) / 1000)} s.` : wrong;
    return message === undefined ? { name, ok: true } : { name, ok: false, message };
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

const NOT_CHECKED = 'It has not answered yet.';
