import type { DatabaseSync } from 'node:sqlite';
import type { Traits } from '../traits.ts';
import { blockOf, placeOf, rowId } from './blocks.ts';
import { entryRows } from './indexRows.ts';
import { paidAtRows, priceRows, provenRows, removePrice, setPrice } from './traitRows.ts';

/** Keeps the traits of listings. Gathers changes, which `flush` writes within the caller's transaction. */
export interface TraitsWriter {
  /** Replaces a listing's traits. Does no harm if it has them already, or never had those before. */
  set(listing: number, before: Traits | undefined, after: Traits): void;
  flush(): void;
  /** Forgets the gathered changes, after a transaction that failed. */
  discard(): void;
}

export function createTraitsWriter(db: DatabaseSync): TraitsWriter {
  const terms = entryRows(db, 'terms');
  const prices = priceRows(db);
  const paidAt = paidAtRows(db);
  const proven = provenRows(db);
  const all = [prices, paidAt, proven, terms];

  function setProven(block: number, place: number, untilMs: number): void {
    const row = proven.get(block);
    if (row.times[place] === untilMs) return;
    row.times[place] = untilMs;
    row.isChanged = true;
  }

  return {
    set(listing, before, after) {
      const [block, place] = [blockOf(listing), placeOf(listing)];
      for (const text of before?.prices.keys() ?? []) {
        if (after.prices.has(text)) continue;
        const entry = terms.get(text);
        if (removePrice(prices.get(rowId(entry.id, block)), place)) entry.listings -= 1;
      }
      for (const [text, amount] of after.prices) {
        // If the listing does not have it yet, the fill comes to it.
        if (before?.prices.get(text) === amount) continue;
        const entry = terms.get(text);
        if (setPrice(prices.get(rowId(entry.id, block)), place, amount)) entry.listings += 1;
      }
      paidAt.get(block)[place] = after.paidAtMs;
      if (before?.provenUntilMs !== after.provenUntilMs) setProven(block, place, after.provenUntilMs);
    },
    flush() {
      for (const rows of all) rows.flush();
    },
    discard() {
      for (const rows of all) rows.clear();
    },
  };
}
