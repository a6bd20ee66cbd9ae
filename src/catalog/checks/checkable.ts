import { readItem } from '../sqlite/listingRow.ts';
import type { CheckableListing } from './types.ts';

/** Leaves out damaged rows. */
export function checkableIn(
  rows: readonly { readonly id: number; readonly item: string }[],
): CheckableListing[] {
  return rows.flatMap(({ id, item: text }) => {
    const item = readItem(text);
    return item === undefined ? [] : [{ id, item, text }];
  });
}
