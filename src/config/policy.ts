import type { Environment, Variable } from './environment.ts';
import type { PaymentPolicy } from '../scheme/index.ts';
import { onOrOff, wholeNumber } from './values.ts';

/** Applies unless the operator sets another policy. */
export const DEFAULT_POLICY: PaymentPolicy = {
  refusesZero: false,
  refusesSelf: false,
  serialAfterFailures: 3,
  refusedAfterFailures: 10,
};
const MAX_FAILURES = 1_000;

/** Null for a value that cannot be read. */
type ReadPolicy = { readonly [Name in keyof PaymentPolicy]: PaymentPolicy[Name] | null };

export function policyIn(environment: Environment): ReadPolicy {
  const failures = (text: string | undefined, absent: number): number | null =>
    wholeNumber(text, absent, 1, MAX_FAILURES);
  return {
    refusesZero: onOrOff(environment.REFUSE_ZERO_PAYMENTS),
    refusesSelf: onOrOff(environment.REFUSE_SELF_PAYMENTS),
    serialAfterFailures: failures(environment.SERIAL_AFTER_FAILURES, DEFAULT_POLICY.serialAfterFailures),
    refusedAfterFailures: failures(environment.REFUSE_AFTER_FAILURES, DEFAULT_POLICY.refusedAfterFailures),
  };
}

export function policyProblems(policy: ReadPolicy): [Variable, string][] {
  const noSwitch = 'must be on or off';
  const noFailures = `must be a whole number of failures from 1 to ${MAX_FAILURES}`;
  const { refusesZero, refusesSelf, serialAfterFailures, refusedAfterFailures } = policy;
  const problems: [Variable, string | false][] = [
    ['REFUSE_ZERO_PAYMENTS', refusesZero === null && noSwitch],
    ['REFUSE_SELF_PAYMENTS', refusesSelf === null && noSwitch],
    ['SERIAL_AFTER_FAILURES', serialAfterFailures === null && noFailures],
    ['REFUSE_AFTER_FAILURES', refusedAfterFailures === null && noFailures],
    [
      'REFUSE_AFTER_FAILURES',
      (refusedAfterFailures ?? Infinity) < (serialAfterFailures ?? 0) &&
        'must not be below SERIAL_AFTER_FAILURES',
    ],
  ];
  return problems.filter((problem): problem is [Variable, string] => problem[1] !== false);
}
