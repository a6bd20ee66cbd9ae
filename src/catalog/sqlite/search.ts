import type { DatabaseSync } from 'node:sqlite';
import { MAX_EARLIER_WORDINGS, RETRIEVAL_CAP_POSTINGS } from '../limits.ts';
import { ALL_LISTINGS } from '../facets.ts';
import { createBest } from '../search/best.ts';
import type { Hit } from '../search/best.ts';
import type { Position, Snapshot } from '../search/cursor.ts';
import { idf, lengthNorm, SATURATION } from '../search/ranking.ts';
import { createBlockScores } from './blockScores.ts';
import { BLOCK_SIZE, blockOf, placeOf, uint16sOf } from './blocks.ts';
import { earlierWordingsIn } from './earlierWordings.ts';
import { createMembers } from './members.ts';
import { createSources } from './sources.ts';
import type { Source } from './sources.ts';

export interface Found {
  /** Best first. One hit more than asked for shows that another page follows. */
  readonly hits: readonly Hit[];
  readonly snapshot: Snapshot;
  /** True if the retrieval cap left matches out. */
  readonly capped: boolean;
}

/** A word of the query. */
interface QueryWord {
  readonly word: string;
  /** Id of its row; undefined if no listing has it any more. */
  readonly id: number | undefined;
  readonly matches: number;
  readonly idf: number;
  /** An upper bound: more than it can add to a score. */
  readonly bound: number;
}

interface State {
  listings: number;
  tokens: number;
  clock: number;
}

const EVERYONE = { in: () => ({ has: () => true }) };

/**
 * Finds the `limit + 1` best listings with any of `tokens` under a facet; undefined if the walk that stands at `after` has
 * expired. Goes through the listings block by block. Leaves a block as soon as the remaining words cannot lift any of
 * its listings among the best, so the most common words are hardly ever read.
 */
export function createSearch(db: DatabaseSync, retrievalCap = RETRIEVAL_CAP_POSTINGS) {
  const selectState = db.prepare('SELECT listings, tokens, clock FROM state');
  const selectWord = db.prepare('SELECT id, listings FROM word WHERE word = ?');
  const selectLength = db.prepare('SELECT data FROM length WHERE block = ?');
  const openSource = createSources(db);
  const membersOf = createMembers(db);
  const wordingsSince = earlierWordingsIn(db);
  const { scores, add } = createBlockScores();

  return (
    tokens: readonly string[],
    facet: string,
    limit: number,
    after: Position | undefined,
  ): Found | undefined => {
    const now = selectState.get() as unknown as State;
    const rows = tokens.map((word) => selectWord.get(word) as { id: number; listings: number } | undefined);
    const snapshot = after?.snapshot ?? {
      ...now,
      matches: rows.map((row) => row?.listings ?? 0),
    };
    if (hasExpired(snapshot, now, tokens.length)) return undefined;

    const asked = queryWordsOf(tokens, rows, snapshot);
    const { kept, lastListing, capped } = underCap(asked, snapshot.listings, retrievalCap);
    const best = createBest(limit + 1, after);
    const members = facet === ALL_LISTINGS ? EVERYONE : membersOf(facet);
    if (members === undefined) return { hits: [], snapshot, capped };

    const lastBlock = blockOf(lastListing);
    const words = kept.map((word) => ({
      ...word,
      source: openSource(word.id, word.matches, lastBlock),
    }));
    const earlier = wordingsSince(snapshot.clock, kept);
    const norm = lengthNorm(snapshot);
    for (let block = 0; block <= lastBlock; block += 1) {
      const present = words.filter(({ source }) => source.has(block));
      const reworded = earlier.in(block);
      if (present.length + reworded.length === 0) continue;
      // The bounds do not cover reworded listings, so skip nothing in their blocks.
      const threshold = reworded.length === 0 ? best.threshold : -Infinity;
      if (present.reduce((sum, { bound }) => sum + bound, 0) <= threshold) continue;
      const matching = members.in(block);
      if (matching === undefined) continue;

      const places = add(
        present.map((word) => inBlock(word, block)),
        lengthsOf(block),
        norm,
        threshold,
      );
      for (const { listing, score } of reworded) scores[placeOf(listing)] = score(norm);
      for (let at = 0; at < places.length; at += 1) {
        const place = places[at]!;
        const score = scores[place]!;
        if (score <= 0 || score <= best.threshold) continue;
        const listing = block * BLOCK_SIZE + place;
        if (listing <= lastListing && matching.has(place)) best.offer(listing, score);
      }
    }
    return { hits: best.hits(), snapshot, capped };
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

function inBlock({ idf: weight, bound, source }: QueryWord & { source: Source }, block: number) {
  return { idf: weight, bound, read: () => source.read(block) };
}

/**
 * True if the walk needs wordings that have been forgotten, if the catalog is an older copy than the walk knew, or if
 * the query has a different number of words.
 */
function hasExpired(snapshot: Snapshot, now: State, words: number): boolean {
  return (
    snapshot.clock < now.clock - MAX_EARLIER_WORDINGS ||
    snapshot.clock > now.clock ||
    snapshot.listings > now.listings ||
    snapshot.matches.length !== words
  );
}

/** Returns the words that match any listing, rare ones first. */
function queryWordsOf(
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
function underCap(
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
