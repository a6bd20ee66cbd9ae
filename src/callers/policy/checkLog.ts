import type { PolicyLog } from './policy.ts';

/** Returns a function that logs failures of the check, at most one line per interval, with their number since the last. */
export function createFailureLog(
  log: Pick<PolicyLog, 'warn'>,
  intervalMs: number,
  now: () => number,
): (fault: unknown) => void {
  let failures = 0;
  let nextMs = -Infinity;
  return (fault) => {
    failures += 1;
    if (now() < nextMs) return;
    log.warn({ err: fault, failures }, 'the policy check does not answer');
    failures = 0;
    nextMs = now() + intervalMs;
  };
}
