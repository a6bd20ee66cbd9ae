import { MAX_EARLIER_WORDINGS } from '../limits.ts';
import type { Position, Snapshot } from './cursor.ts';
import { embedQuestion } from './embedding.ts';
import { foldedIn, type ReadListing } from './fold.ts';
import type { HybridIndex } from './hybridIndex.ts';
import { lifted } from './lift.ts';
import { idf, readQuestion, weightIn } from './question.ts';
import { createHalves, fuseScores, similarityOf, type Halves } from './scores.ts';
import { trustIn } from '../payers.ts';
import { createBest, isBefore, type Hit } from '../search/best.ts';
import { BEHIND_PAID } from '../search/ranking.ts';

/** Hits among which near-duplicates are folded, and trusted ones lifted. */
const HEAD = 50;
/** The rank of the hits that are not in the head. */
const OTHERS = Infinity;

export interface HybridFound {
  /** Best first. One hit more than asked for shows that another page follows. */
  readonly hits: readonly Hit[];
  readonly snapshot: Snapshot;
  /** True if the question has more words than count. */
  readonly capped: boolean;
}

/** The state of the catalog that the index is in step with. */
export interface Standing {
  readonly listings: number;
  readonly clock: number;
  /** The index knows the wordings since then, except the gaps. */
  readonly knownSince: number;
  readonly gaps: readonly Gap[];
}

/** What a listing said from one time of the clock until another is not known. */
export interface Gap {
  readonly listing: number;
  readonly from: number;
  readonly until: number;
}

export interface HybridSearch {
  readonly query: string;
  readonly limit: number;
  readonly after: Position | undefined;
  readonly standing: Standing;
  /** True if a listing passes the filters. */
  isMember(listing: number): boolean;
  isHidden(listing: number): boolean;
  /** True if a listing comes after all that were paid for here. */
  isImported(listing: number): boolean;
  readonly read: ReadListing;
}

/** Finds the `limit + 1` best listings after a position. Returns undefined if the walk has expired. */
export function createHybridSearch(index: HybridIndex) {
  const halvesOf = createHalves(index);

  return (search: HybridSearch): HybridFound | undefined => {
    const { after, standing } = search;
    if (after !== undefined && hasExpired(after.snapshot, standing)) return undefined;
    const asked = after?.snapshot ?? begin(search.query, index, standing);
    const halves = halvesOf(asked);
    const fused = fuse(asked, after === undefined, index, halves);
    const scores = halves.words;
    const snapshot =
      after === undefined ? withHead(fused, headOf(fused, index, scores, search), search) : fused;
    return { hits: pageOf(snapshot, index, scores, search), snapshot, capped: snapshot.isCut };
  };

  /** Puts the head into the order in which it is shown: what is folded comes last. */
  function withHead(snapshot: Snapshot, head: readonly Hit[], { read }: HybridSearch): Snapshot {
    const known = new Map(head.map(({ listing }) => [listing, read(listing)]));
    const folded = foldedIn(head, index.model, (listing) => known.get(listing));
    const kept = head.filter(({ listing }) => !folded.includes(listing));
    const trustOf = (listing: number): number => {
      const { item, payers = null } = known.get(listing) ?? {};
      return item === undefined ? 0 : trustIn(payers, Date.parse(item.lastUpdated));
    };
    const shown = [...lifted(kept, trustOf).map(({ listing }) => listing), ...folded];
    return { ...snapshot, head: shown, headScore: head.at(-1)?.score ?? 0 };
  }
}

function hasExpired({ clock, listings }: Snapshot, now: Standing): boolean {
  return (
    clock < now.knownSince ||
    clock < now.clock - MAX_EARLIER_WORDINGS ||
    clock > now.clock ||
    listings > now.listings ||
    now.gaps.some(({ listing, from, until }) => listing <= listings && from <= clock && clock < until)
  );
}

/** Returns what the question asks for. */
function begin(query: string, index: HybridIndex, { listings, clock }: Standing): Snapshot {
  const totals = index.totals();
  const { terms, text, isCut } = readQuestion(query, index);
  return {
    listings,
    clock,
    meanLength: totals.words / Math.max(1, totals.listings),
    terms: terms.map(({ term, weight }) => ({
      term,
      weight: weight * idf(totals.listings, index.vocabulary.count(term)),
    })),
    vector: embedQuestion(index.model, text, weightIn(index)),
    isCut,
    mostWords: 0,
    nearest: 0,
    head: [],
    headScore: 0,
  };
}

/** Puts the halves together, in the array of the first. Returns the snapshot with the numbers that this takes. */
function fuse(asked: Snapshot, isFirst: boolean, index: HybridIndex, { words, products }: Halves): Snapshot {
  const snapshot = isFirst ? { ...asked, ...bestsOf(asked, index, { words, products }) } : asked;
  fuseScores({ words, products }, snapshot, { slots: index.segments.slots, quality: index.quality });
  return snapshot;
}

function bestsOf(
  { clock }: Snapshot,
  index: HybridIndex,
  { words, products }: Halves,
): Pick<Snapshot, 'mostWords' | 'nearest'> {
  let mostWords = 0;
  let nearest = 0;
  const { slots } = index.segments;
  for (let slot = 0; slot < slots; slot += 1) {
    if (words[slot]! <= mostWords && products[slot]! <= nearest) continue;
    if (!index.wasSaidAt(slot, clock)) continue;
    mostWords = Math.max(mostWords, words[slot]!);
    nearest = Math.max(nearest, products[slot]!);
  }
  return { mostWords, nearest: similarityOf(nearest) };
}

/**
 * Returns the best hits that were paid for here. Hidden ones do not fold others; the snapshot keeps their order for the
 * whole walk.
 */
function headOf(snapshot: Snapshot, index: HybridIndex, scores: Float32Array, search: HybridSearch): Hit[] {
  const best = createBest(HEAD);
  const offer = (hit: Hit): void => {
    if (!search.isHidden(hit.listing) && !search.isImported(hit.listing)) best.offer(hit);
  };
  eachHit(snapshot, index, scores, search, () => best.threshold, offer);
  return best.hits();
}

/** Returns the hits of a page: first the head, then all others. */
function pageOf(
  snapshot: Snapshot,
  index: HybridIndex,
  scores: Float32Array,
  search: HybridSearch,
): HybridFound['hits'] {
  const { limit, after, isHidden } = search;
  const rankOf = createRankOf(snapshot);
  const rankAfter = after && rankOf(after);
  const head: Hit[] = [];
  const others = createBest(limit + 1);
  const take = (hit: Hit): void => {
    const rank = rankOf(hit);
    const isShown =
      rankAfter === undefined ||
      rank > rankAfter ||
      (rank === OTHERS && rankAfter === OTHERS && isBefore(after!, hit));
    if (!isShown || isHidden(hit.listing)) return;
    if (rank === OTHERS) others.offer(hit);
    else head.push(hit);
  };
  // The head may score less than listings that were hidden when the walk began.
  const threshold = (): number => Math.min(others.threshold, snapshot.headScore);
  eachHit(snapshot, index, scores, search, threshold, take);
  head.sort((one, other) => rankOf(one) - rankOf(other));
  return [...head, ...others.hits()].slice(0, limit + 1);
}

/** Calls back for each match that passes the filters and scores at least `threshold`. */
function eachHit(
  { listings, clock }: Snapshot,
  index: HybridIndex,
  scores: Float32Array,
  { isMember, isImported }: HybridSearch,
  threshold: () => number,
  take: (hit: Hit) => void,
): void {
  const { slots } = index.segments;
  let least = threshold();
  for (let slot = 0; slot < slots; slot += 1) {
    const score = scores[slot]!;
    if (score === 0 || score < least) continue;
    const listing = index.listingOf(slot);
    if (listing > listings || !index.wasSaidAt(slot, clock) || !isMember(listing)) continue;
    take({ listing, score: isImported(listing) ? score - BEHIND_PAID : score });
    least = threshold();
  }
}

/** Returns a function that returns a hit's place in the head. */
function createRankOf({ head }: Snapshot): (hit: Hit) => number {
  const ranks = new Map(head.map((listing, rank) => [listing, rank]));
  return ({ listing }) => ranks.get(listing) ?? OTHERS;
}
