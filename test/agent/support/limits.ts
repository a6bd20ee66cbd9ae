import { onTestFinished } from 'vitest';

/** Other limits until the test ends, for tests that would wait too long for the real ones. */
export function withLimits<Limits extends object>(limits: Limits, changes: Partial<Limits>): void {
  const before = { ...limits };
  onTestFinished(() => void Object.assign(limits, before));
  Object.assign(limits, changes);
}
