import type { DatabaseSync } from 'node:sqlite';
import type { DiscoveryResource } from '../../contract/index.ts';
import { saysOther, wordingIn, type Decided } from '../decide.ts';
import { facetsOf } from '../facets.ts';
import { MAX_EARLIER_WORDINGS } from '../limits.ts';
import type { ListingKey } from '../listing.ts';
import type { Wording } from '../search/wording.ts';
import { traitsOf, type Traits } from '../traits.ts';
import { createIndexWriter, type IndexWriter } from './indexWriter.ts';
import {
  columnsOf,
  provenUntil,
  readItem,
  toolKey,
  wordsFrom,
  wordsText,
  type ListingRow,
} from './listingRow.ts';
import { createRemove } from './removed.ts';
import type { State } from './search.ts';
import { createTraitsWriter } from './traitsWriter.ts';

/** The new content of a listing. */
export interface NewContent extends Decided {
  /** The item as JSON, as it is served. */
  readonly text: string;
  /** Its position in a shared log; null if there is none. */
  readonly position: number | null;
  readonly owner: string;
}

export interface NewRow extends NewContent {
  readonly id: number;
  readonly key: ListingKey;
  readonly owner: string;
  /** True if the operator or its seller hides it by itself. */
  readonly isHidden?: boolean;
}

/** The content that a listing had before. */
export type EarlierWording = Pick<ListingRow, 'words' | 'length'>;

/** The values of a new row, in the order of its insertion. The last one says whether it is hidden. */
export type NewValues = readonly [id: number, length: number, ...others: (string | number | null)[]];

/** Returns a function that writes a row of values from {@link valuesOf}. */
export function createListingInsert(db: DatabaseSync): (values: NewValues) => void {
  const insert = db.prepare(
    `INSERT INTO listing (id, length, resource, type, tool_name, owner, item, ledger, closed_at, position, words,
       proven_until, payers, hidden)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (values) => void insert.run(...values);
}

export function valuesOf(
  { id, key, owner, item, text, close, payers, position, isHidden = false }: NewRow,
  wording: Wording,
): NewValues {
  const named = [key.resource, key.type, toolKey(key.toolName), owner];
  const words = wordsText(wording);
  const others = [position, words, provenUntil(item), payers, Number(isHidden)];
  return [id, wording.length, ...named, text, ...columnsOf(close), ...others];
}

/** Writes listings together with their index, within the caller's transaction. */
export interface ListingWriter {
  /** Returns what a ranking depends on. Changed in memory, and written by `flush`. */
  state(): State;
  create(row: NewRow, state: State): void;
  /** Returns true if it is found by other words now. */
  replace(row: ListingRow, after: NewContent, state: State): boolean;
  /** Deletes all that a listing says. */
  remove(row: ListingRow, position: number | null, state: State): void;
  /** Enters what a new listing is filtered by beside its facets. `create` does so, too. */
  setTraits(listing: number, traits: Traits): void;
  /** Keeps a listing out of lists and searches, or lets it in. */
  setHidden(listing: number, isHidden: boolean): void;
  /** Keeps what a listing said until the clock was `reworded`, and forgets what is too old. */
  keepEarlier(reworded: number, listing: number, earlier: EarlierWording): void;
  flush(state: State): void;
  /** Writes the index alone. */
  flushIndex(): void;
  /** Forgets what is not flushed, after a transaction that failed. */
  discard(): void;
}

export function createListingWriter(db: DatabaseSync): ListingWriter {
  const index = createIndexWriter(db);
  const traits = createTraitsWriter(db);
  const insert = createListingInsert(db);
  const selectState = db.prepare('SELECT listings, tokens, clock FROM state');
  const updateState = db.prepare('UPDATE state SET listings = $listings, tokens = $tokens, clock = $clock');
  const updateItem = db.prepare(
    `UPDATE listing SET owner = ?, item = ?, ledger = ?, closed_at = ?, position = ?, proven_until = ?, payers = ?
     WHERE id = ?`,
  );
  const updateWords = db.prepare('UPDATE listing SET words = ?, length = ? WHERE id = ?');
  const insertEarlier = db.prepare(
    'INSERT OR REPLACE INTO earlier_wording (reworded, listing, words, length) VALUES (?, ?, ?, ?)',
  );
  const forgetUpTo = db.prepare('DELETE FROM earlier_wording WHERE reworded <= ?');

  return {
    state: () => selectState.get() as unknown as State,
    create(row, state) {
      const wording = wordingIn(row.item);
      state.tokens += wording.length;
      insert(valuesOf(row, wording));
      index.reword(row.id, undefined, wording);
      for (const facet of facetsOf(row.item)) index.addMember(row.id, facet);
      traits.set(row.id, undefined, traitsOf(row.item));
    },
    replace(row, { owner, item, text, close, payers, position }, state) {
      updateItem.run(owner, text, ...columnsOf(close), position, provenUntil(item), payers, row.id);
      const before = readItem(row.item);
      moveMember(index, row.id, before, item);
      traits.set(row.id, before && traitsOf(before), traitsOf(item));
      if (!saysOther(before, item)) return false;
      const wording = wordingIn(item);
      const words = wordsText(wording);
      state.tokens += wording.length - row.length;
      updateWords.run(words, wording.length, row.id);
      index.reword(row.id, { words: wordsFrom(row.words), length: row.length }, wording);
      return true;
    },
    remove: createRemove(db, index, traits),
    setTraits: (listing, now) => traits.set(listing, undefined, now),
    setHidden: (listing, isHidden) => index.setHidden(listing, isHidden),
    keepEarlier(reworded, listing, { words, length }) {
      insertEarlier.run(reworded, listing, words, length);
      forgetUpTo.run(reworded - MAX_EARLIER_WORDINGS);
    },
    flush(state) {
      flushIndex();
      updateState.run({ ...state });
    },
    flushIndex,
    discard() {
      index.discard();
      traits.discard();
    },
  };

  function flushIndex(): void {
    index.flush();
    traits.flush();
  }
}

/** Leaves the facets of terms that made room, so that the index follows from what the listing says now. */
function moveMember(
  index: IndexWriter,
  id: number,
  before: DiscoveryResource | undefined,
  after: DiscoveryResource,
): void {
  const known = before ? facetsOf(before) : new Set<string>();
  const facets = facetsOf(after);
  for (const facet of known) if (!facets.has(facet)) index.removeMember(id, facet);
  for (const facet of facets) if (!known.has(facet)) index.addMember(id, facet);
}
