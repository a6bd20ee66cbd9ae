import { BLOCK_SIZE, find, postingsData, readPostings } from './blocks.ts';

/** Holds the postings of one word and block while they are changed. */
export interface PostingBuffer {
  /** Sets how often the word occurs in the listing at `place`; 0 removes it. */
  set(place: number, frequency: number): void;
  /** Returns the bytes to write; undefined if nothing is left. */
  data(): Uint8Array | undefined;
}

const LEAST_CAPACITY = 8;

export function postingBuffer(data: Uint8Array | undefined): PostingBuffer {
  let count = data === undefined ? 0 : Math.floor(data.byteLength / 4);
  let places = new Uint16Array(capacityFor(count));
  let frequencies = new Uint16Array(places.length);
  if (data !== undefined) {
    const read = readPostings(data);
    places.set(read.places);
    frequencies.set(read.frequencies);
  }

  function grow(): void {
    const capacity = capacityFor(count);
    const [smallPlaces, smallFrequencies] = [places, frequencies];
    places = new Uint16Array(capacity);
    frequencies = new Uint16Array(capacity);
    places.set(smallPlaces);
    frequencies.set(smallFrequencies);
  }
  function insert(at: number, place: number, frequency: number): void {
    if (count === places.length) grow();
    for (const [numbers, number] of [
      [places, place],
      [frequencies, frequency],
    ] as const) {
      numbers.copyWithin(at + 1, at, count);
      numbers[at] = number;
    }
    count += 1;
  }
  function remove(at: number): void {
    for (const numbers of [places, frequencies]) numbers.copyWithin(at, at + 1, count);
    count -= 1;
  }

  return {
    set(place, frequency) {
      const at = find(places, count, place);
      if (at < 0) {
        if (frequency > 0) insert(~at, place, frequency);
      } else if (frequency > 0) frequencies[at] = frequency;
      else remove(at);
    },
    data() {
      return count === 0
        ? undefined
        : postingsData(places.subarray(0, count), frequencies.subarray(0, count));
    },
  };
}

/** Returns room for one more entry, and half as much again. */
function capacityFor(count: number): number {
  return Math.min(BLOCK_SIZE, Math.max(LEAST_CAPACITY, Math.ceil((count + 1) * 1.5)));
}
