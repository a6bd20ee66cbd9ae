import type { Environment, Variable } from './environment.ts';
import { onOrOff, wholeNumber, type Report } from './values.ts';

/** Applies unless the operator sets another policy. */
export const DEFAULT_POLICY = {
  refusesZero: false,
  refusesSelf: false,
  serialAfterFailures: 3,
  refusedAfterFailures: 10,
};
export type PolicySettings = Readonly<typeof DEFAULT_POLICY>;

const MAX_FAILURES = 1_000;

export function readPolicy(environment: Environment, report: Report): PolicySettings {
  const failures = (variable: Variable, absent: number): number =>
    wholeNumber(environment, variable, { absent, min: 1, max: MAX_FAILURES, unit: 'failures' }, report);
  const policy = {
    refusesZero: onOrOff(environment, 'REFUSE_ZERO_PAYMENTS', report),
    refusesSelf: onOrOff(environment, 'REFUSE_SELF_PAYMENTS', report),
    serialAfterFailures: failures('SERIAL_AFTER_FAILURES', DEFAULT_POLICY.serialAfterFailures),
    refusedAfterFailures: failures('REFUSE_AFTER_FAILURES', DEFAULT_POLICY.refusedAfterFailures),
  };
  if (policy.refusedAfterFailures < policy.serialAfterFailures)
    report('REFUSE_AFTER_FAILURES', 'must not be below SERIAL_AFTER_FAILURES');
  return policy;
}
