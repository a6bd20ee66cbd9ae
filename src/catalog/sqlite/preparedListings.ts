import { deserialize, serialize } from 'node:v8';
import { wordingIn } from '../decide.ts';
import { createFacetsOf } from '../facets.ts';
import type { ListingBatch } from '../store.ts';
import { closeIn, readItem } from './listingRow.ts';
import { valuesOf, type NewValues } from './listingWriter.ts';
import { hashOf, keyOf } from './logListing.ts';
import { createRun, type Occurrences } from './run.ts';

/** Listings of the shared log with all that an empty index is to say of them. */
export interface PreparedListings extends Omit<ListingBatch, 'entries'> {
  readonly rows: readonly NewValues[];
  readonly words: Occurrences;
  readonly facets: Occurrences;
  /** The checksum over them. */
  readonly checksum: bigint;
}

/** Returns a function that prepares listings in a thread of its own: as bytes they travel to the next one cheaply. */
export function createPrepare(): (batch: ListingBatch) => Uint8Array {
  const facetsOf = createFacetsOf();
  return ({ entries, ...batch }) => {
    const [words, facets] = [createRun(), createRun()];
    const rows: NewValues[] = [];
    let checksum = 0n;
    for (const entry of entries) {
      const { listing: id, owner, item: text, ledger, closedAt, position } = entry;
      checksum ^= hashOf({ id, ...entry });
      const item = readItem(text);
      if (item === undefined) continue;
      const wording = wordingIn(item);
      const content = { item, text, close: closeIn(ledger, closedAt), position };
      rows.push(valuesOf({ id, key: keyOf(item), owner, ...content }, wording));
      for (const [word, frequency] of wording.words) words.add(word, id, frequency);
      for (const facet of facetsOf(item)) facets.add(facet, id, 1);
    }
    const gathered = { words: words.occurrences(), facets: facets.occurrences() };
    return serialize({ ...batch, rows, ...gathered, checksum } satisfies PreparedListings);
  };
}

export const readPrepared = (bytes: Uint8Array): PreparedListings => deserialize(bytes) as PreparedListings;
