import type { DatabaseSync } from 'node:sqlite';
import type { Settlement } from '../store.ts';

/**
 * Returns a function that returns the payer of a settlement, or undefined if it does not count: sellers here may pay each
 * other in turn, and lose nothing.
 */
export function createCountedPayer(
  db: DatabaseSync,
): (settlement: Pick<Settlement, 'payer'>) => string | undefined {
  const selectOwned = db.prepare('SELECT 1 FROM listing WHERE owner = ? LIMIT 1');
  return ({ payer }) => (payer === undefined || selectOwned.get(payer) !== undefined ? undefined : payer);
}
