import { MAX_EARLIER_WORDINGS } from '../limits.ts';
import type { Position, Section, Snapshot } from './cursor.ts';
import { embedQuestion } from './embedding.ts';
import { foldedIn, type ReadListing } from './fold.ts';
import type { HybridIndex } from './hybridIndex.ts';
import { idf, readQuestion, weightIn } from './question.ts';
import { createHalves, fuseScores, similarityOf, type Halves } from './scores.ts';
import { createBest, isBefore, type Hit } from '../search/best.ts';

/** Hits among which near-duplicates are folded. */
const HEAD = 50;

export interface HybridFound {
  /** Best first. One hit more than asked for shows that another page follows. */
  readonly hits: readonly (Hit & { readonly section: Section })[];
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
      after === undefined ? folded(fused, headOf(fused, index, scores, search), search) : fused;
    return { hits: pageOf(snapshot, index, scores, search), snapshot, capped: snapshot.isCut };
  };

  function folded(snapshot: Snapshot, head: readonly Hit[], { read }: HybridSearch): Snapshot {
    return { ...snapshot, headEnd: head.at(-1), folded: foldedIn(head, index.model, read) };
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
    headEnd: undefined,
    folded: [],
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

/** Returns the best hits. Hidden ones do not fold others; the snapshot says for the whole walk which are folded. */
function headOf(snapshot: Snapshot, index: HybridIndex, scores: Float32Array, search: HybridSearch): Hit[] {
  const best = createBest(HEAD);
  const offer = (hit: Hit): void => {
    if (!search.isHidden(hit.listing)) best.offer(hit);
  };
  eachHit(snapshot, index, scores, search, () => best.threshold, offer);
  return best.hits();
}

/** Returns the hits of a page: first the head, then what is folded of it, then all others. */
function pageOf(
  snapshot: Snapshot,
  index: HybridIndex,
  scores: Float32Array,
  search: HybridSearch,
): HybridFound['hits'] {
  const { limit, after, isHidden } = search;
  const sectionOf = createSectionOf(snapshot);
  const isShown = (hit: SectionHit): boolean =>
    !isHidden(hit.listing) && (after === undefined || comesAfter(hit, after));
  const head: SectionHit[] = [];
  const others = createBest(limit + 1);
  eachHit(
    snapshot,
    index,
    scores,
    search,
    () => others.threshold,
    (hit) => {
      const section = sectionOf(hit);
      if (!isShown({ ...hit, section })) return;
      if (section === OTHERS) others.offer(hit);
      else head.push({ ...hit, section });
    },
  );
  head.sort((one, other) => (comesAfter(one, other) ? 1 : -1));
  return [...head, ...others.hits().map((hit) => ({ ...hit, section: OTHERS }))].slice(0, limit + 1);
}

/** Calls back for each match that passes the filters and scores at least `threshold`. */
function eachHit(
  { listings, clock }: Snapshot,
  index: HybridIndex,
  scores: Float32Array,
  { isMember }: HybridSearch,
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
    take({ listing, score });
    least = threshold();
  }
}

type SectionHit = Hit & { readonly section: Section };
const [HEAD_SECTION, FOLDED, OTHERS] = [0, 1, 2] as const;

function createSectionOf({ headEnd, folded }: Snapshot): (hit: Hit) => Section {
  const isFolded = new Set(folded);
  return (hit) => {
    if (headEnd === undefined || isBefore(headEnd, hit)) return OTHERS;
    return isFolded.has(hit.listing) ? FOLDED : HEAD_SECTION;
  };
}

function comesAfter(one: SectionHit, other: SectionHit): boolean {
  return one.section === other.section ? isBefore(other, one) : one.section > other.section;
}
