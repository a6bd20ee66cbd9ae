import type { DatabaseSync } from 'node:sqlite';
import type { Best } from '../search/best.ts';
import { BEHIND_PAID, type LengthNorm } from '../search/ranking.ts';
import { addScores } from './blockScores.ts';
import { BLOCK_SIZE, placeOf, uint16sOf } from './blocks.ts';
import type { EarlierWordings } from './earlierWordings.ts';
import type { QueryWord } from './queryWords.ts';
import type { Source } from './sources.ts';

/** One search on its way through the blocks. */
export interface Walk {
  readonly words: readonly (QueryWord & { readonly source: Source })[];
  readonly earlier: EarlierWordings;
  /** The listings that match the filters, by block. */
  readonly members: { in(block: number): { has(place: number): boolean } | undefined };
  /** The listings that are not shown, by block. */
  readonly hidden: { in(block: number): { has(place: number): boolean } | undefined };
  /** The listings that come after all others, by block; undefined if there are none. */
  readonly imported: { in(block: number): { has(place: number): boolean } | undefined } | undefined;
  readonly norm: LengthNorm;
  readonly best: Best;
  /** Later listings do not count. */
  readonly lastListing: number;
}

/**
 * Offers the listings of a block that may be among the best. Leaves the block as soon as the remaining words cannot
 * lift any of its listings among them, so the most common words are hardly ever read.
 */
export function createBlockRanking(db: DatabaseSync): (block: number, walk: Walk) => void {
  const selectLength = db.prepare('SELECT data FROM length WHERE block = ?');
  const scores = new Float64Array(BLOCK_SIZE);

  return (block, { words, earlier, members, hidden, imported, norm, best, lastListing }) => {
    const present = words.filter(({ source }) => source.has(block));
    const reworded = earlier.in(block);
    if (present.length + reworded.length === 0) return;
    // The bounds do not cover reworded listings, so skip nothing in their blocks.
    const threshold = reworded.length === 0 ? best.threshold : -Infinity;
    if (present.reduce((sum, { bound }) => sum + bound, 0) <= threshold) return;
    const matching = members.in(block);
    if (matching === undefined) return;
    const notShown = hidden.in(block);
    const notPaid = imported?.in(block);

    const inBlock = present.map(({ idf, bound, source }) => ({ idf, bound, read: () => source.read(block) }));
    const places = addScores({ scores, lengths: lengthsOf(block), norm }, inBlock, threshold);
    for (const { listing, score } of reworded) scores[placeOf(listing)] = score(norm);
    for (let at = 0; at < places.length; at += 1) {
      const place = places[at]!;
      const score = scores[place]!;
      if (score <= 0 || score <= best.threshold) continue;
      const listing = block * BLOCK_SIZE + place;
      if (listing > lastListing || !matching.has(place) || notShown?.has(place)) continue;
      best.offer({ listing, score: notPaid?.has(place) === true ? score - BEHIND_PAID : score });
    }
  };

  function lengthsOf(block: number): Uint16Array {
    const row = selectLength.get(block) as { data: Uint8Array } | undefined;
    const lengths = uint16sOf(row?.data ?? new Uint8Array());
    if (lengths.length === BLOCK_SIZE) return lengths;
    // The row is damaged or gone. Count a listing of unknown length as short.
    const whole = new Uint16Array(BLOCK_SIZE);
    whole.set(lengths.subarray(0, BLOCK_SIZE));
    return whole;
  }
}
