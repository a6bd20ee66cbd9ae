import type { Filters } from '../catalog/index.ts';
import type { Refusal } from '../contract/index.ts';

/** Refuses filters that are good one by one, and mean nothing together. */
export function filterRefusal({
  asset,
  maxAmount,
}: Pick<Filters, 'asset' | 'maxAmount'>): Refusal<'svc_invalid_query_parameter'> | undefined {
  if (maxAmount === undefined || asset !== undefined) return undefined;
  return {
    code: 'svc_invalid_query_parameter',
    message: 'maxAmount needs asset: amounts of different assets do not compare.',
  };
}
