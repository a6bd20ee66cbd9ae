import type { Snapshot } from '../search/cursor.ts';
import { idf, SATURATION } from '../search/ranking.ts';

/** A word of the query. */
export interface QueryWord {
  readonly word: string;
  /** Id of its row; undefined if no listing has it any more. */
  readonly id: number | undefined;
  readonly matches: number;
  readonly idf: number;
  /** An upper bound: more than it can add to a score. */
  readonly bound: number;
}

/** Returns the words that match any listing, rare ones first. */
export function queryWordsOf(
  tokens: readonly string[],
  rows: readonly ({ id: number } | undefined)[],
  snapshot: Snapshot,
): QueryWord[] {
  return tokens
    .map((word, at) => {
      const matches = snapshot.matches[at]!;
      const weight = idf(snapshot, matches);
      return {
        word,
        id: rows[at]?.id,
        matches,
        idf: weight,
        bound: weight * SATURATION,
      };
    })
    .filter(({ matches }) => matches > 0)
    .sort((a, b) => a.matches - b.matches);
}

/** Leaves out the most common words. If a single word is too common, leaves out the newest listings. */
export function underCap(
  asked: readonly QueryWord[],
  listings: number,
  cap: number,
): { kept: QueryWord[]; lastListing: number; capped: boolean } {
  let postings = 0;
  const kept = asked.filter(({ matches }, at) => (postings += matches) <= cap || at === 0);
  const share = Math.min(1, cap / (kept[0]?.matches ?? 1));
  return {
    kept,
    lastListing: Math.floor(listings * share),
    capped: kept.length < asked.length || share < 1,
  };
}
