import type { Environment, Variable } from './environment.ts';
import { optionalNumber, type Report } from './values.ts';

/** Says when the accounts that pay the network fees have too little. Undefined means never. */
export interface FeeBalanceSettings {
  /** Below this, the log warns. */
  readonly warningStroops: number | undefined;
  /** Below this, an account pays for nothing more. */
  readonly floorStroops: number | undefined;
}

/** About a thousand lumens. */
const MAX_STROOPS = 9_999_999_999;

export function readFeeBalances(environment: Environment, report: Report): FeeBalanceSettings {
  const stroops = (variable: Variable): number | undefined =>
    optionalNumber(environment, variable, { min: 1, max: MAX_STROOPS, unit: 'stroops' }, report);
  const warningStroops = stroops('FEE_BALANCE_WARNING_STROOPS');
  const floorStroops = stroops('FEE_BALANCE_FLOOR_STROOPS');
  if (warningStroops !== undefined && floorStroops !== undefined && warningStroops < floorStroops)
    report('FEE_BALANCE_WARNING_STROOPS', 'must not be below FEE_BALANCE_FLOOR_STROOPS');
  return { warningStroops, floorStroops };
}
