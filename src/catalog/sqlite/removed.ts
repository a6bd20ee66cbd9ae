import type { DatabaseSync } from 'node:sqlite';
import { facetsOf } from '../facets.ts';
import type { Wording } from '../search/wording.ts';
import { NO_TRAITS, traitsOf } from '../traits.ts';
import type { IndexWriter } from './indexWriter.ts';
import { readItem, REMOVED, wordsFrom } from './listingRow.ts';
import type { TraitsWriter } from './traitsWriter.ts';
import type { ListingWriter, NewValues } from './listingWriter.ts';

const NO_WORDS: Wording = { words: new Map(), length: 0 };

/** Names no listing can have, one for each id. */
const nameOfRemoved = (id: number) => ({ resource: '', type: '', toolName: String(id) });

/** Returns the row that a removed listing leaves. */
export function valuesOfRemoved(id: number, position: number): NewValues {
  return [id, 0, ...Object.values(nameOfRemoved(id)), '', REMOVED, null, null, position, '[]', null, null, 1];
}

/** Returns a function that deletes all that a listing says, within the caller's transaction. */
export function createRemove(
  db: DatabaseSync,
  index: IndexWriter,
  traits: TraitsWriter,
): ListingWriter['remove'] {
  const empty = db.prepare(
    `UPDATE listing SET resource = ?, type = ?, tool_name = ?, owner = '', item = ?, words = '[]', length = 0,
       ledger = NULL, closed_at = NULL, position = ?, hidden = 1, proven_until = NULL, payers = NULL WHERE id = ?`,
  );
  const forgetListing = [
    'earlier_wording WHERE listing = ?',
    'new_listing WHERE id = ?',
    'seller_act WHERE listing = ?',
  ].map((rows) => db.prepare(`DELETE FROM ${rows}`));

  return (row, position, state) => {
    const { id, length } = row;
    const item = readItem(row.item);
    for (const facet of item === undefined ? [] : facetsOf(item)) index.removeMember(id, facet);
    traits.set(id, item && traitsOf(item), NO_TRAITS);
    index.reword(id, { words: wordsFrom(row.words), length }, NO_WORDS);
    state.tokens -= length;
    const { resource, type, toolName } = nameOfRemoved(id);
    empty.run(resource, type, toolName, REMOVED, position, id);
    for (const forget of forgetListing) forget.run(id);
    index.setHidden(id, true);
  };
}
