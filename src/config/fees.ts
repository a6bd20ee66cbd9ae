import type { Environment, Variable } from './environment.ts';
import { wholeNumber, type Report } from './values.ts';

/** The fees that apply unless the operator sets others. */
export const DEFAULT_FEES = {
  ceilingStroops: 50_000,
  percentile: 90,
  minInclusionStroops: 100,
  maxInclusionStroops: 10_000,
};
export type FeeSettings = Readonly<typeof DEFAULT_FEES>;

/** The percentiles of recent fees that the Stellar RPC reports. */
const PERCENTILES = [10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99];
/** The fee of a transaction is an unsigned 32-bit integer. */
const MAX_FEE_STROOPS = 0xffff_ffff;

export function readFees(environment: Environment, report: Report): FeeSettings {
  const stroops = (variable: Variable, absent: number): number =>
    wholeNumber(environment, variable, { absent, min: 1, max: MAX_FEE_STROOPS, unit: 'stroops' }, report);
  const fees = {
    ceilingStroops: stroops('MAX_TRANSACTION_FEE_STROOPS', DEFAULT_FEES.ceilingStroops),
    percentile: readPercentile(environment, report),
    minInclusionStroops: stroops('MIN_INCLUSION_FEE_STROOPS', DEFAULT_FEES.minInclusionStroops),
    maxInclusionStroops: stroops('MAX_INCLUSION_FEE_STROOPS', DEFAULT_FEES.maxInclusionStroops),
  };
  if (fees.maxInclusionStroops < fees.minInclusionStroops)
    report('MAX_INCLUSION_FEE_STROOPS', 'must not be below MIN_INCLUSION_FEE_STROOPS');
  return fees;
}

function readPercentile({ INCLUSION_FEE_PERCENTILE: text }: Environment, report: Report): number {
  if (text === undefined) return DEFAULT_FEES.percentile;
  const percentile = Number(text);
  if (!PERCENTILES.includes(percentile) || !/^\d+$/.test(text))
    report('INCLUSION_FEE_PERCENTILE', `must be one of ${PERCENTILES.join(', ')}`);
  return percentile;
}
