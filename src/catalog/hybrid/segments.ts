import { find } from '../sqlite/blocks.ts';
import { createNumbers } from './numbers.ts';

/** Places of a segment. A place fits 16 bits. */
const SEGMENT_SIZE = 8_192;
const MAX_FREQUENCY = 255;

/** What a term adds to the score of each place that has it. */
export interface TermScoring {
  readonly term: number;
  readonly weight: number;
  /** The constants of BM25 for this catalog, see ranking.ts. */
  readonly saturation: number;
  readonly base: number;
  readonly slope: number;
}

/** Holds the terms of each slot: listings in the order in which they were added. */
export interface Segments {
  readonly slots: number;
  /** Returns the slot. */
  add(terms: ReadonlyMap<number, number>, length: number): number;
  lengthOf(slot: number): number;
  /** Returns the terms of a slot. Goes through its whole segment. */
  termsOf(slot: number): number[];
  /** Adds a term's score to that of each slot that has it. */
  addScores(scoring: TermScoring, scores: Float32Array): void;
}

interface Sealed {
  /** In order, with the start of the postings of each, and one start more. */
  readonly terms: Uint32Array;
  readonly starts: Uint32Array;
  readonly places: Uint16Array;
  readonly frequencies: Uint8Array;
}

interface Open {
  readonly places: number[];
  readonly frequencies: number[];
}

export function createSegments(): Segments {
  const sealed: Sealed[] = [];
  const lengths = createNumbers(Uint16Array);
  let open = new Map<number, Open>();
  let slots = 0;

  return {
    get slots() {
      return slots;
    },
    add(terms, length) {
      const slot = slots;
      slots += 1;
      lengths.set(slot, Math.min(length, 0xffff));
      for (const [term, frequency] of terms) {
        let postings = open.get(term);
        if (postings === undefined) open.set(term, (postings = { places: [], frequencies: [] }));
        postings.places.push(slot % SEGMENT_SIZE);
        postings.frequencies.push(Math.min(frequency, MAX_FREQUENCY));
      }
      if (slots % SEGMENT_SIZE === 0) {
        sealed.push(seal(open));
        open = new Map();
      }
      return slot;
    },
    lengthOf: (slot) => lengths.data[slot]!,
    termsOf(slot) {
      const segment = sealed[Math.floor(slot / SEGMENT_SIZE)];
      const place = slot % SEGMENT_SIZE;
      if (segment !== undefined) return termsAt(segment, place);
      return [...open].filter(([, { places }]) => places.includes(place)).map(([term]) => term);
    },
    addScores(scoring, scores) {
      for (const [at, segment] of sealed.entries()) {
        const postings = postingsIn(segment, scoring.term);
        if (postings !== undefined)
          addPostings({ ...postings, first: at * SEGMENT_SIZE }, scoring, lengths.data, scores);
      }
      const last = open.get(scoring.term);
      if (last !== undefined)
        addPostings({ ...last, first: sealed.length * SEGMENT_SIZE }, scoring, lengths.data, scores);
    },
  };
}

/** Some postings of a term, and the slot of the segment's first place. */
interface Postings {
  readonly places: ArrayLike<number>;
  readonly frequencies: ArrayLike<number>;
  readonly first: number;
}

function addPostings(
  { places, frequencies, first }: Postings,
  { weight, saturation, base, slope }: TermScoring,
  lengths: Uint16Array,
  scores: Float32Array,
): void {
  const count = places.length;
  for (let at = 0; at < count; at += 1) {
    const slot = first + places[at]!;
    const frequency = frequencies[at]!;
    scores[slot]! += weight * ((frequency * saturation) / (frequency + base + slope * lengths[slot]!));
  }
}

function seal(open: ReadonlyMap<number, Open>): Sealed {
  const terms = Uint32Array.from(open.keys()).sort();
  const starts = new Uint32Array(terms.length + 1);
  for (const [at, term] of terms.entries()) starts[at + 1] = starts[at]! + open.get(term)!.places.length;
  const places = new Uint16Array(starts[terms.length]!);
  const frequencies = new Uint8Array(starts[terms.length]!);
  for (const [at, term] of terms.entries()) {
    const postings = open.get(term)!;
    places.set(postings.places, starts[at]);
    frequencies.set(postings.frequencies, starts[at]);
  }
  return { terms, starts, places, frequencies };
}

function termsAt({ terms, starts, places }: Sealed, place: number): number[] {
  const found: number[] = [];
  for (let at = 0; at < terms.length; at += 1)
    for (let nth = starts[at]!; nth < starts[at + 1]!; nth += 1)
      if (places[nth] === place) found.push(terms[at]!);
  return found;
}

function postingsIn({ terms, starts, places, frequencies }: Sealed, term: number) {
  const nth = find(terms, terms.length, term);
  if (nth < 0) return undefined;
  const [from, to] = [starts[nth]!, starts[nth + 1]!];
  return { places: places.subarray(from, to), frequencies: frequencies.subarray(from, to) };
}
