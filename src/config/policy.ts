import type { PolicyRules } from '../callers/index.ts';
import type { Environment, Variable } from './environment.ts';
import { NO_RULES } from './policyFile/rules.ts';
import { onOrOff, wholeNumber, type Report } from './values.ts';

export interface PolicySettings {
  readonly refusesZero: boolean;
  readonly refusesSelf: boolean;
  readonly serialAfterFailures: number;
  readonly refusedAfterFailures: number;
  /** See LEAST_AMOUNT_TIMES_FEE; 0 for no such rule. */
  readonly leastTimesFee: number;
  /** The path of the policy file; undefined if there is none. */
  readonly file: string | undefined;
  /** The content of the file at the start. */
  readonly rules: PolicyRules;
}

const MAX_FAILURES = 1_000;
const MAX_TIMES_FEE = 1_000;

/** Reads the variables. The file that they name is read by `configure`. */
export function readPolicy(environment: Environment, report: Report): PolicySettings {
  const failures = (variable: Variable, absent: number): number =>
    wholeNumber(environment, variable, { absent, min: 1, max: MAX_FAILURES, unit: 'failures' }, report);
  const timesFee = { absent: 0, min: 0, max: MAX_TIMES_FEE, note: '0 for no such rule' };
  const policy = {
    refusesZero: onOrOff(environment, 'REFUSE_ZERO_PAYMENTS', report),
    refusesSelf: onOrOff(environment, 'REFUSE_SELF_PAYMENTS', report),
    serialAfterFailures: failures('SERIAL_AFTER_FAILURES', 3),
    refusedAfterFailures: failures('REFUSE_AFTER_FAILURES', 10),
    leastTimesFee: wholeNumber(environment, 'LEAST_AMOUNT_TIMES_FEE', timesFee, report),
    file: environment.POLICY_FILE,
    rules: NO_RULES,
  };
  if (policy.refusedAfterFailures < policy.serialAfterFailures)
    report('REFUSE_AFTER_FAILURES', 'must not be below SERIAL_AFTER_FAILURES');
  return policy;
}

/** Applies unless the operator sets another policy. */
export const DEFAULT_POLICY: PolicySettings = readPolicy({}, () => {});
