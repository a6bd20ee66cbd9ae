import type { FeeBudget } from '../scheme/index.ts';
import type { KeyLimits } from './limits.ts';

export interface BudgetsDeps {
  anonymousFeeBudgetStroops: number | undefined;
  serviceFeeBudgetStroops: number | undefined;
  /** Returns the limits of a key; undefined if it is not in use. */
  limitsOf: (keyId: string) => Pick<KeyLimits, 'feeBudgetStroops'> | undefined;
}

/** Returns a function that finds the budget of a caller by its key, or of one without. */
export function createBudgets({
  anonymousFeeBudgetStroops,
  serviceFeeBudgetStroops: serviceStroops,
  limitsOf,
}: BudgetsDeps): (keyId: string | undefined) => FeeBudget {
  const anonymous = { caller: 'anonymous', callerStroops: anonymousFeeBudgetStroops, serviceStroops };
  return (keyId) => {
    if (keyId === undefined) return anonymous;
    const limits = limitsOf(keyId);
    // A key that was revoked meanwhile pays for nothing more.
    const callerStroops = limits === undefined ? 0 : limits.feeBudgetStroops;
    return { caller: `key:${keyId}`, callerStroops, serviceStroops };
  };
}
