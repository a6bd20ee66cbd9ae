import type { DiscoveryResource } from '../../contract/index.ts';
import { withStale } from '../checks/stale.ts';
import type { ImportedListing } from './types.ts';

/** True if a listing says what is imported. A mark of a check made here does not count, and stays. */
export function saysSame(known: DiscoveryResource | undefined, item: ImportedListing['item']): boolean {
  return known !== undefined && JSON.stringify(withStale(known, undefined)) === JSON.stringify(item);
}
