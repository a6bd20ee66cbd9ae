import type { DatabaseSync } from 'node:sqlite';
import type { Settlement } from '../store.ts';
import { createOwnersOf } from './owners.ts';

/**
 * Returns a function that returns the payer of a settlement, or undefined if it does not count: sellers here may pay each
 * other in turn, and lose nothing. A seller that is paid at a muxed address pays from the account behind it.
 */
export function createCountedPayer(
  db: DatabaseSync,
): (settlement: Pick<Settlement, 'payer'>) => string | undefined {
  const ownersOf = createOwnersOf(db);
  return ({ payer }) => (payer === undefined || ownersOf(payer).length > 0 ? undefined : payer);
}
