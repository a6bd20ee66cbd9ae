import type { DatabaseSync } from 'node:sqlite';
import { RETRIEVAL_CAP_POSTINGS } from '../limits.ts';
import { createBest } from '../search/best.ts';
import type { Hit } from '../search/best.ts';
import type { Snapshot } from '../search/cursor.ts';
import { idf, lengthNorm, SATURATION } from '../search/ranking.ts';
import type { Position } from '../store.ts';
import {
  BLOCK_SIZE,
  blockOf,
  blockOfRow,
  find,
  placeOf,
  readMembers,
  readPostings,
  rowId,
  uint16sOf,
} from './blocks.ts';
import type { Members, Postings } from './blocks.ts';
import { earlierWordingsIn } from './earlierWordings.ts';
import type { EarlierWordings } from './earlierWordings.ts';

/** Below this many listings per block on average, all of a word's rows are read at once. */
const SPARSE_PER_BLOCK = 32;
/** Up to so many listings of a block are looked up one by one in the rows of the remaining words. */
const FEW_CANDIDATES = 128;

export interface Found {
  /** Best first: at most one more than asked for, which shows that another page follows. */
  readonly hits: readonly Hit[];
  readonly snapshot: Snapshot;
  readonly capped: boolean;
}

/** A word of the query, with what it can add to a score at most. */
interface Term {
  readonly word: string;
  readonly idf: number;
  readonly bound: number;
  readonly matches: number;
  /** Undefined where no listing has the word any more. */
  readonly id: number | undefined;
}

/** Where a word's rows come from; undefined where it is not in a block. */
type Source = Term & { has(block: number): boolean; read(block: number): Postings | undefined };

export function createSearch(db: DatabaseSync) {
  const selectState = db.prepare('SELECT listings, tokens, clock, forgotten FROM state');
  const selectTerm = db.prepare('SELECT id, listings FROM term WHERE word = ?');
  const selectPosting = db.prepare('SELECT data FROM posting WHERE id = ?');
  const selectPostings = db.prepare('SELECT id, data FROM posting WHERE id BETWEEN ? AND ?');
  const selectLength = db.prepare('SELECT data FROM length WHERE block = ?');
  const selectFacet = db.prepare('SELECT id FROM facet WHERE filters = ?');
  const selectMember = db.prepare('SELECT data FROM member WHERE id = ?');
  const wordingsSince = earlierWordingsIn(db);
  const scores = new Float64Array(BLOCK_SIZE);

  /**
   * The `limit + 1` best listings with any of `tokens`, under a combination of filters; null where the walk has
   * expired. Goes through the listings block by block, rare words first, and leaves a block as soon as the words that
   * remain cannot lift any of its listings among the best: so the commonest words are hardly ever read.
   */
  return (tokens: readonly string[], facet: string, limit: number, after: Position | null): Found | null => {
    const { forgotten, ...now } = selectState.get() as {
      listings: number;
      tokens: number;
      clock: number;
      forgotten: number;
    };
    const known = tokens.map((word) => selectTerm.get(word) as { id: number; listings: number } | undefined);
    const snapshot = after?.snapshot ?? { ...now, matches: known.map((term) => term?.listings ?? 0) };
    if (snapshot.clock < forgotten || snapshot.matches.length !== tokens.length) return null;

    const terms = termsOf(
      snapshot,
      tokens,
      known.map((term) => term?.id),
    );
    const { kept, lastListing, capped } = underCap(terms, snapshot.listings);
    const best = createBest(limit + 1, after);
    const filter = facet === 'all' ? everything : membersOf(facet);
    if (kept.length > 0 && filter !== undefined) {
      const earlier = wordingsSince(after === null ? null : snapshot, kept);
      const sources = kept.map((term) => sourceOf(term, blockOf(lastListing)));
      const norm = lengthNorm(snapshot);
      for (const block of blocksOf(sources, earlier, blockOf(lastListing))) scan(block);

      function scan(block: number): void {
        const present = sources.filter((source) => source.has(block));
        const changed = earlier.in(block);
        const bound = present.reduce((sum, source) => sum + source.bound, 0);
        if (changed === undefined && bound <= best.threshold) return;
        const members = filter!(block);
        if (members === undefined) return;
        const threshold = changed === undefined ? best.threshold : -Infinity;
        const candidates = score(block, present, bound, threshold);
        for (const { listing, score: earlierScore } of changed ?? [])
          scores[placeOf(listing)] = earlierScore(norm);

        const offer = (place: number): void => {
          const listing = block * BLOCK_SIZE + place;
          if (scores[place]! > best.threshold && listing <= lastListing && members.has(place))
            best.offer(listing, scores[place]!);
        };
        if (candidates !== undefined) candidates.forEach(offer);
        else for (let place = 0; place < BLOCK_SIZE; place++) if (scores[place]! > 0) offer(place);
      }
    }
    return { hits: best.hits(), snapshot, capped };

    /**
     * Adds up the scores of a block's listings. Returns the places of those that may be above `threshold` as soon as
     * they are few, and only their scores are complete then; undefined when all scores are.
     */
    function score(
      block: number,
      present: readonly Source[],
      bound: number,
      threshold: number,
    ): number[] | undefined {
      const { base, slope } = lengthNorm(snapshot);
      const lengths = uint16sOf((selectLength.get(block) as { data: Uint8Array }).data);
      scores.fill(0);
      let rest = bound;
      let candidates: number[] | undefined;
      for (const source of present) {
        rest -= source.bound;
        const postings = source.read(block);
        if (postings === undefined) continue;
        const { count, places, frequencies } = postings;
        const weight = source.idf;
        const part = (frequency: number, place: number): number =>
          weight * ((frequency * SATURATION) / (frequency + base + slope * lengths[place]!));
        if (candidates === undefined) {
          for (let at = 0; at < count; at++) {
            const place = places[at]!;
            const frequency = frequencies[at]!;
            scores[place]! +=
              weight * ((frequency * SATURATION) / (frequency + base + slope * lengths[place]!));
          }
        } else {
          for (const place of candidates) {
            const at = find(places, count, place);
            if (at >= 0) scores[place]! += part(frequencies[at]!, place);
          }
        }
        if (rest <= threshold) {
          candidates = above(threshold - rest, candidates);
          if (candidates?.length === 0) return candidates;
        }
      }
      return candidates;
    }
  };

  /** The places whose score is above `least`, among `candidates` or all; undefined where they are too many. */
  function above(least: number, candidates: readonly number[] | undefined): number[] | undefined {
    if (candidates !== undefined) return candidates.filter((place) => scores[place]! > least);
    const found: number[] = [];
    for (let place = 0; place < BLOCK_SIZE; place++) {
      if (scores[place]! <= least) continue;
      if (found.length === FEW_CANDIDATES) return undefined;
      found.push(place);
    }
    return found;
  }

  function sourceOf(term: Term, lastBlock: number): Source {
    const { id, matches } = term;
    if (id === undefined) return { ...term, has: () => false, read: () => undefined };
    if (matches <= SPARSE_PER_BLOCK * (lastBlock + 1)) {
      const rows = selectPostings.all(rowId(id, 0), rowId(id, lastBlock)) as {
        id: number;
        data: Uint8Array;
      }[];
      const byBlock = new Map(rows.map((row) => [blockOfRow(row.id), row.data]));
      return {
        ...term,
        has: (block) => byBlock.has(block),
        read: (block) => postingsOf(byBlock.get(block)),
      };
    }
    return {
      ...term,
      has: () => true,
      read: (block) =>
        postingsOf((selectPosting.get(rowId(id, block)) as { data: Uint8Array } | undefined)?.data),
    };
  }

  function membersOf(facet: string): ((block: number) => Members | undefined) | undefined {
    const row = selectFacet.get(facet) as { id: number } | undefined;
    if (row === undefined) return undefined;
    return (block) => {
      const member = selectMember.get(rowId(row.id, block)) as { data: Uint8Array } | undefined;
      return member && readMembers(member.data);
    };
  }
}

const ALL: Members = { has: () => true, slice: () => [] };
const everything = (): Members => ALL;

const postingsOf = (data: Uint8Array | undefined): Postings | undefined => data && readPostings(data);

/** Rare words first. */
function termsOf(
  snapshot: Snapshot,
  tokens: readonly string[],
  ids: readonly (number | undefined)[],
): Term[] {
  return tokens
    .map((word, at) => {
      const matches = snapshot.matches[at] ?? 0;
      const weight = idf(snapshot, matches);
      return { word, matches, id: ids[at], idf: weight, bound: weight * SATURATION };
    })
    .filter(({ matches }) => matches > 0)
    .sort((a, b) => a.matches - b.matches);
}

/** The retrieval cap: leaves the commonest words out, and of a single word that is too common the newest listings. */
function underCap(
  terms: readonly Term[],
  listings: number,
): { kept: Term[]; lastListing: number; capped: boolean } {
  let postings = 0;
  const kept = terms.filter(({ matches }, at) => (postings += matches) <= RETRIEVAL_CAP_POSTINGS || at === 0);
  const share = Math.min(1, RETRIEVAL_CAP_POSTINGS / (kept[0]?.matches ?? 1));
  return { kept, lastListing: Math.floor(listings * share), capped: kept.length < terms.length || share < 1 };
}

/** The blocks to go through, in order. */
function blocksOf(sources: readonly Source[], earlier: EarlierWordings, lastBlock: number): number[] {
  const blocks = Array.from({ length: lastBlock + 1 }, (_, block) => block);
  return blocks.filter(
    (block) => earlier.in(block) !== undefined || sources.some((source) => source.has(block)),
  );
}
