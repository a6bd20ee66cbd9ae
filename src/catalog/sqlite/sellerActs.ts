import type { DatabaseSync } from 'node:sqlite';
import type { SellerAct, SellerOutcome } from '../sellers.ts';
import type { Blocked } from './blocked.ts';
import { createListingSelect, type ListingRow } from './listingRow.ts';
import type { ListingWriter } from './listingWriter.ts';
import type { createReveal } from './reveal.ts';

interface Row {
  readonly bySeller: number;
  readonly byOperator: number;
  readonly signedAtMs: number;
}

/** Knows who hides a listing, where its seller has ever said so. Works within the caller's transaction. */
export interface SellerActs {
  /** Carries out what a seller has signed. */
  act(act: SellerAct, writer: ListingWriter): SellerOutcome;
  /** True if the operator hides the listing, whoever else does. */
  isHiddenByOperator(row: Pick<ListingRow, 'id' | 'hidden'>): boolean;
  /** Says whether the operator hides the listing. Returns true if it is hidden now, by either. */
  setByOperator(id: number, isHidden: boolean): boolean;
}

export function createSellerActs(
  db: DatabaseSync,
  { blocked, reveal }: { blocked: Blocked; reveal: ReturnType<typeof createReveal> },
): SellerActs {
  const find = createListingSelect(db);
  const select = db.prepare(
    'SELECT by_seller AS bySeller, by_operator AS byOperator, signed_at_ms AS signedAtMs FROM seller_act WHERE listing = ?',
  );
  const write = db.prepare(
    'INSERT OR REPLACE INTO seller_act (listing, by_seller, by_operator, signed_at_ms) VALUES (?, ?, ?, ?)',
  );
  const updateByOperator = db.prepare('UPDATE seller_act SET by_operator = ? WHERE listing = ?');
  const updateHidden = db.prepare('UPDATE listing SET hidden = ? WHERE id = ?');
  const rowOf = (id: number): Row | undefined => select.get(id) as Row | undefined;

  return {
    act({ listing, owner, isHidden, signedAtMs }, writer) {
      const row = find(listing);
      if (row === undefined || row.owner !== owner) return 'unknown';
      const before = rowOf(row.id);
      if (before !== undefined && signedAtMs <= before.signedAtMs) return 'outdated';
      const byOperator = before?.byOperator ?? row.hidden;
      write.run(row.id, Number(isHidden), byOperator, signedAtMs);
      const isHiddenNow = isHidden || byOperator === 1;
      updateHidden.run(Number(isHiddenNow), row.id);
      reveal(writer, [row.id]);
      return isHiddenNow || blocked.covers({ resource: listing.resource, owner }) ? 'hidden' : 'shown';
    },
    isHiddenByOperator: ({ id, hidden }) => (rowOf(id)?.byOperator ?? hidden) === 1,
    setByOperator(id, isHidden) {
      updateByOperator.run(Number(isHidden), id);
      return isHidden || rowOf(id)?.bySeller === 1;
    },
  };
}
