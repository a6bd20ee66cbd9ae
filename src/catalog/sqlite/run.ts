/** Which listings each word has, or each facet, gathered in memory in order of listings. */
export interface Run {
  /** Roughly what it takes in memory. */
  readonly bytes: number;
  add(entry: string, listing: number, frequency: number): void;
  /** Adds what another run has gathered. Its listings come after those of this one. */
  addAll(occurrences: Occurrences): void;
  /** Returns what is gathered, in the order in which it was added. */
  occurrences(): Occurrences;
  /** Yields the entries in order of their texts. Nothing may be added meanwhile. */
  sorted(): Iterable<RunEntry>;
}

/** One place in three lists for each word, or each facet, of each listing. */
export interface Occurrences {
  readonly texts: readonly string[];
  /** Indexes in `texts`. */
  readonly entries: Uint32Array;
  readonly listings: Uint32Array;
  readonly frequencies: Uint16Array;
}

export interface RunEntry {
  readonly text: string;
  /** Ids, in order. */
  readonly listings: Uint32Array;
  /** How often the entry occurs in each. */
  readonly frequencies: Uint16Array;
}

const LEAST_CAPACITY = 2 ** 16;
const BYTES_PER_OCCURRENCE = 16;
const BYTES_PER_ENTRY = 100;

export function createRun(): Run {
  const numbers = new Map<string, number>();
  let count = 0;
  let entries = new Uint32Array(LEAST_CAPACITY);
  let listings = new Uint32Array(LEAST_CAPACITY);
  let frequencies = new Uint16Array(LEAST_CAPACITY);

  function makeRoom(more: number): void {
    if (count + more <= entries.length) return;
    const capacity = Math.max(2 * entries.length, count + more);
    const [fewEntries, fewListings, fewFrequencies] = [entries, listings, frequencies];
    entries = new Uint32Array(capacity);
    listings = new Uint32Array(capacity);
    frequencies = new Uint16Array(capacity);
    entries.set(fewEntries);
    listings.set(fewListings);
    frequencies.set(fewFrequencies);
  }

  function numberOf(text: string): number {
    let number = numbers.get(text);
    if (number === undefined) numbers.set(text, (number = numbers.size));
    return number;
  }

  /** Returns where the occurrences of each entry begin once they are sorted, and where the last ones end. */
  function starts(): Uint32Array {
    const at = new Uint32Array(numbers.size + 1);
    for (let nth = 0; nth < count; nth++) at[entries[nth]! + 1]! += 1;
    for (let entry = 0; entry < numbers.size; entry++) at[entry + 1]! += at[entry]!;
    return at;
  }

  return {
    get bytes() {
      return count * BYTES_PER_OCCURRENCE + numbers.size * BYTES_PER_ENTRY;
    },
    add(text, listing, frequency) {
      makeRoom(1);
      entries[count] = numberOf(text);
      listings[count] = listing;
      frequencies[count] = frequency;
      count += 1;
    },
    addAll(added) {
      makeRoom(added.entries.length);
      const numbersHere = Uint32Array.from(added.texts, numberOf);
      listings.set(added.listings, count);
      frequencies.set(added.frequencies, count);
      for (const entry of added.entries) entries[count++] = numbersHere[entry]!;
    },
    occurrences: () => ({
      texts: [...numbers.keys()],
      entries: entries.subarray(0, count),
      listings: listings.subarray(0, count),
      frequencies: frequencies.subarray(0, count),
    }),
    *sorted() {
      const from = starts();
      const next = from.slice();
      const sortedListings = new Uint32Array(count);
      const sortedFrequencies = new Uint16Array(count);
      for (let nth = 0; nth < count; nth++) {
        const at = next[entries[nth]!]!++;
        sortedListings[at] = listings[nth]!;
        sortedFrequencies[at] = frequencies[nth]!;
      }
      for (const text of [...numbers.keys()].sort()) {
        const entry = numbers.get(text)!;
        const [start, end] = [from[entry]!, from[entry + 1]!];
        yield {
          text,
          listings: sortedListings.subarray(start, end),
          frequencies: sortedFrequencies.subarray(start, end),
        };
      }
    },
  };
}
