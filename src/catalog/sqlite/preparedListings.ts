import { wordingIn } from '../decide.ts';
import { createFacetsOf } from '../facets.ts';
import type { ListingBatch, LogBatch } from '../store.ts';
import { traitsOf } from '../traits.ts';
import { blockOf, placeOf } from './blocks.ts';
import type { BlockRuns } from './indexFill.ts';
import { closeIn, readItem, REMOVED } from './listingRow.ts';
import { valuesOf } from './listingWriter.ts';
import { hashOf, keyOf } from './logListing.ts';
import { createRowsBuilder, type PreparedRows } from './preparedRows.ts';
import { valuesOfRemoved } from './removed.ts';
import { createRunBuilder } from './run.ts';

/** Listings of the shared log with all that an empty index is to say of them. */
export interface PreparedListings extends Omit<ListingBatch, 'entries' | 'earlierWordings'> {
  readonly earlierWordings: LogBatch['earlierWordings'];
  /** As bytes: they travel through the main thread, which reads none of them. See `readRows`. */
  readonly rows: PreparedRows;
  readonly runs: readonly BlockRuns[];
  /** The checksum over them. */
  readonly checksum: bigint;
}

/** Returns a function that prepares listings in a thread of its own. */
export function createPrepare(): (batch: ListingBatch) => PreparedListings {
  const facetsOf = createFacetsOf();
  return ({ entries, earlierWordings, ...batch }) => {
    const rows = createRowsBuilder();
    const runs = createBlockRuns();
    let checksum = 0n;
    for (const line of linesOf(entries)) {
      const entry = JSON.parse(line) as LogBatch['entries'][number];
      const { listing: id, owner, item: text, ledger, closedAt, payers, position, hidden: isHidden } = entry;
      checksum ^= hashOf({ id, ...entry });
      if (text === REMOVED) rows.add({ values: valuesOfRemoved(id, position) });
      const item = readItem(text);
      if (item === undefined) continue;
      const wording = wordingIn(item);
      const content = { owner, item, text, close: closeIn(ledger, closedAt), payers, position };
      const values = valuesOf({ id, key: keyOf(item), isHidden, ...content }, wording);
      rows.add({ values, traits: traitsOf(item) });
      const { words, facets } = runs.of(blockOf(id));
      const place = placeOf(id);
      for (const [word, frequency] of wording.words) words.add(word, place, frequency);
      for (const facet of facetsOf(item)) facets.add(facet, place, 1);
    }
    const wordings = JSON.parse(earlierWordings) as LogBatch['earlierWordings'];
    return { ...batch, earlierWordings: wordings, rows: rows.built(), runs: runs.built(), checksum };
  };
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

/** Gathers words and facets, block by block. */
function createBlockRuns() {
  const built: BlockRuns[] = [];
  const begin = (block: number) => ({
    block,
    words: createRunBuilder('words', block),
    facets: createRunBuilder('facets', block),
  });
  let underWay: ReturnType<typeof begin> | undefined;

  function end(): void {
    if (underWay !== undefined)
      built.push({ words: underWay.words.built(), facets: underWay.facets.built() });
    underWay = undefined;
  }

  return {
    of(block: number) {
      if (underWay?.block !== block) end();
      return (underWay ??= begin(block));
    },
    built() {
      end();
      return built;
    },
  };
}
