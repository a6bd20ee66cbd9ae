import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { describedAs } from '../decide.ts';
import { SIGNED_KNOWN_MS } from '../limits.ts';
import type { ListingKey } from '../listing.ts';
import type { SellerAct, SellerDescription, SellerOutcome } from '../sellers.ts';
import type { Blocked } from './blocked.ts';
import { createListingSelect, knownOf, type ListingRow } from './listingRow.ts';
import type { ListingWriter } from './listingWriter.ts';
import type { createReveal } from './reveal.ts';

/** Knows who hides a listing, where its seller has ever signed something. Works within the caller's transaction. */
export interface SellerActs {
  /** Carries out what a seller has signed. */
  act(act: SellerAct, writer: ListingWriter): SellerOutcome;
  /** Carries out what a seller says of its listing. */
  describe(description: SellerDescription, writer: ListingWriter): SellerOutcome;
  /** True if the operator hides the listing, whoever else does. */
  isHiddenByOperator(row: Pick<ListingRow, 'id' | 'hidden'>): boolean;
  /** Says whether the operator hides the listing. Returns true if it is hidden now, by either. */
  setByOperator(id: number, isHidden: boolean): boolean;
}

export function createSellerActs(
  db: DatabaseSync,
  { blocked, reveal }: { blocked: Blocked; reveal: ReturnType<typeof createReveal> },
): SellerActs {
  const { rowOf, note } = createNotes(db);
  const updateByOperator = db.prepare('UPDATE seller_act SET by_operator = ? WHERE listing = ?');
  const updateHidden = db.prepare('UPDATE listing SET hidden = ? WHERE id = ?');
  const isBlocked = ({ listing: { resource }, owner }: SellerAct | SellerDescription): boolean =>
    blocked.covers({ resource, owner });

  return {
    act(act, writer) {
      const noted = note(act, act.isHidden);
      if (typeof noted === 'string') return noted;
      const { row, byOperator } = noted;
      const isHiddenNow = act.isHidden || byOperator === 1;
      updateHidden.run(Number(isHiddenNow), row.id);
      reveal(writer, [row.id]);
      return isHiddenNow || isBlocked(act) ? 'hidden' : 'shown';
    },
    describe(description, writer) {
      const noted = note(description, undefined);
      if (typeof noted === 'string') return noted;
      const { row } = noted;
      if (isBlocked(description)) return 'hidden';
      const described = describedAs(knownOf(row), description);
      if (described === undefined) return 'unknown';
      const state = writer.state();
      const { owner } = description;
      const content = { ...described, owner, text: JSON.stringify(described.item), position: null };
      if (writer.replace(row, content, state)) writer.keepEarlier((state.clock += 1), row.id, row);
      writer.flush(state);
      return row.hidden === 1 ? 'hidden' : 'shown';
    },
    isHiddenByOperator: ({ id, hidden }) => (rowOf(id)?.byOperator ?? hidden) === 1,
    setByOperator(id, isHidden) {
      updateByOperator.run(Number(isHidden), id);
      return isHidden || rowOf(id)?.bySeller === 1;
    },
  };
}

/**
 * Returns a function that forgets what the earlier owner of a listing has signed, within the caller's transaction. Returns
 * true if the operator hides the listing.
 */
export function createForgetSeller(db: DatabaseSync): (row: Pick<ListingRow, 'id' | 'hidden'>) => boolean {
  const forget = db.prepare('DELETE FROM seller_act WHERE listing = ? RETURNING by_operator AS byOperator');
  const updateHidden = db.prepare('UPDATE listing SET hidden = ? WHERE id = ?');
  return ({ id, hidden }) => {
    const act = forget.get(id) as Pick<Row, 'byOperator'> | undefined;
    const byOperator = act?.byOperator ?? hidden;
    if (byOperator !== hidden) updateHidden.run(byOperator, id);
    return byOperator === 1;
  };
}

interface Row {
  readonly bySeller: number;
  readonly byOperator: number;
  readonly signedAtMs: number;
}

function createNotes(db: DatabaseSync) {
  const find = createListingSelect(db);
  const select = db.prepare(
    'SELECT by_seller AS bySeller, by_operator AS byOperator, signed_at_ms AS signedAtMs FROM seller_act WHERE listing = ?',
  );
  const write = db.prepare(
    'INSERT OR REPLACE INTO seller_act (listing, by_seller, by_operator, signed_at_ms) VALUES (?, ?, ?, ?)',
  );
  const rowOf = (id: number): Row | undefined => select.get(id) as Row | undefined;
  const signed = createSigned(db);

  return {
    rowOf,
    /** Notes that something was signed. Leaves it as it is whether the seller hides the listing if that is undefined. */
    note(
      { listing, owner, signedAtMs }: Pick<SellerAct, 'listing' | 'owner' | 'signedAtMs'>,
      isHidden: boolean | undefined,
    ): { row: ListingRow; byOperator: number } | 'unknown' | 'outdated' {
      const row = find(listing);
      if (row === undefined || row.owner !== owner) return 'unknown';
      const before = rowOf(row.id);
      if (before !== undefined && signedAtMs <= before.signedAtMs) return 'outdated';
      if (!signed.noteIfLater(listing, owner, signedAtMs)) return 'outdated';
      const { bySeller, byOperator } = before ?? { bySeller: 0, byOperator: row.hidden };
      write.run(row.id, isHidden === undefined ? bySeller : Number(isHidden), byOperator, signedAtMs);
      return { row, byOperator };
    },
  };
}

/** Knows when each owner signed last about a listing, also after that was removed or went to another. */
function createSigned(db: DatabaseSync) {
  const drop = db.prepare('DELETE FROM seller_signed WHERE signed_at_ms < ?');
  const write = db.prepare(
    `INSERT INTO seller_signed VALUES (?, ?) ON CONFLICT DO UPDATE SET signed_at_ms = excluded.signed_at_ms
       WHERE signed_at_ms < excluded.signed_at_ms`,
  );
  return {
    /** Notes that something was signed. Returns false if that was no later than the last. */
    noteIfLater({ resource, type, toolName }: ListingKey, owner: string, signedAtMs: number): boolean {
      drop.run(signedAtMs - SIGNED_KNOWN_MS);
      const key = hash('sha256', JSON.stringify([resource, type, toolName, owner]));
      return write.run(key, signedAtMs).changes > 0;
    },
  };
}
