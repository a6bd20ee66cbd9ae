/** Holds which listings of one block have each word, or each facet. */
export interface Run {
  readonly block: number;
  /** The words or facets in order, one per line, in UTF-8. */
  readonly texts: Uint8Array;
  /** Gives how many listings have each of them. */
  readonly counts: Uint16Array;
  /** Gives, for each of them, the places of its listings in order, and after these the frequencies in a run of words. */
  readonly numbers: Uint16Array;
}

export type RunKind = 'words' | 'facets';

/** Says how many numbers of a run belong to each listing of a word or facet. */
export const NUMBERS_PER_LISTING: Readonly<Record<RunKind, number>> = { words: 2, facets: 1 };

/** Gathers a run. Listings are added in order. */
export interface RunBuilder {
  add(text: string, place: number, frequency: number): void;
  built(): Run;
}

const encoder = new TextEncoder();

const LEAST_CAPACITY = 2 ** 14;

export function createRunBuilder(kind: RunKind, block: number): RunBuilder {
  const numbers = new Map<string, number>();
  const counts: number[] = [];
  let length = 0;
  let entries = new Uint32Array(LEAST_CAPACITY);
  let places = new Uint16Array(LEAST_CAPACITY);
  let frequencies = new Uint16Array(LEAST_CAPACITY);

  function makeRoom(): void {
    const capacity = 2 * entries.length;
    const [fewEntries, fewPlaces, fewFrequencies] = [entries, places, frequencies];
    entries = new Uint32Array(capacity);
    places = new Uint16Array(capacity);
    frequencies = new Uint16Array(capacity);
    entries.set(fewEntries);
    places.set(fewPlaces);
    frequencies.set(fewFrequencies);
  }

  return {
    add(text, place, frequency) {
      if (length === entries.length) makeRoom();
      let entry = numbers.get(text);
      if (entry === undefined) {
        numbers.set(text, (entry = counts.length));
        counts.push(0);
      }
      counts[entry]! += 1;
      entries[length] = entry;
      places[length] = place;
      frequencies[length] = frequency;
      length += 1;
    },
    built() {
      const texts = [...numbers.keys()].sort();
      const perListing = NUMBERS_PER_LISTING[kind];
      const sortedCounts = new Uint16Array(texts.length);
      const next = new Uint32Array(texts.length);
      let start = 0;
      // No `from` with a callback for each text: it took 6 % of the time of a thread that prepares listings.
      for (let nth = 0; nth < texts.length; nth++) {
        const entry = numbers.get(texts[nth]!)!;
        sortedCounts[nth] = counts[entry]!;
        next[entry] = start;
        start += perListing * counts[entry]!;
      }
      const all = new Uint16Array(start);
      for (let nth = 0; nth < length; nth++) {
        const entry = entries[nth]!;
        const at = next[entry]!++;
        all[at] = places[nth]!;
        if (perListing === 2) all[at + counts[entry]!] = frequencies[nth]!;
      }
      return {
        block,
        texts: encoder.encode(texts.join('\n')),
        counts: sortedCounts,
        numbers: all,
      };
    },
  };
}
