// Each row stands for a block of listings: one row per word and block, and one per facet and block. A block holds the
// listings of BLOCK_SIZE consecutive ids, so a place in it takes 16 bits. The weighted word counts of a listing also
// take 16 bits, since its texts are bounded. So a row serves as an array as soon as it is read.

export const BLOCK_SIZE = 8_192;
/** Row ids are `entry * BLOCKS_PER_ENTRY + block`. The entry is a word or a facet. */
const BLOCKS_PER_ENTRY = 2 ** 20;

export const blockOf = (listing: number): number => Math.floor(listing / BLOCK_SIZE);
export const placeOf = (listing: number): number => listing % BLOCK_SIZE;
export const rowId = (entry: number, block: number): number => entry * BLOCKS_PER_ENTRY + block;
export const blockOfRow = (row: number): number => row % BLOCKS_PER_ENTRY;

/** A word's listings in a block: their places in order, and the word's weighted frequency in each. */
export interface Postings {
  readonly count: number;
  readonly places: Uint16Array;
  readonly frequencies: Uint16Array;
}

/** Reads `places` and then `frequencies`, 16 bits each. */
export function readPostings(data: Uint8Array): Postings {
  const count = Math.floor(data.byteLength / 4);
  const numbers = uint16sOf(data);
  return { count, places: numbers.subarray(0, count), frequencies: numbers.subarray(count, 2 * count) };
}

/** Returns the bytes that `readPostings` reads. */
export function postingsData(places: Uint16Array, frequencies: Uint16Array): Uint8Array {
  const numbers = new Uint16Array(2 * places.length);
  numbers.set(places);
  numbers.set(frequencies, places.length);
  return bytesOf(numbers);
}

/** Returns the index of `place` among the first `count`. If it is missing, returns `~index` of where it belongs. */
export function find(places: Uint16Array | Uint32Array, count: number, place: number): number {
  let low = 0;
  let high = count - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = places[middle]!;
    if (found < place) low = middle + 1;
    else if (found > place) high = middle - 1;
    else return middle;
  }
  return ~low;
}

/** Returns a view if the bytes are aligned, as in a row that was just read, else a copy. Drops an odd last byte. */
export function uint16sOf(data: Uint8Array): Uint16Array {
  const { buffer, byteOffset, byteLength } = data;
  return byteOffset % 2 === 0
    ? new Uint16Array(buffer, byteOffset, byteLength >> 1)
    : new Uint16Array(data.slice(0, byteLength & ~1).buffer);
}

export function bytesOf(numbers: Uint16Array | Float64Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** The listings of a block that are under a facet. */
export interface Members {
  has(place: number): boolean;
  /** Returns at most `limit` places, after the first `skip`. */
  slice(skip: number, limit: number): number[];
}

const BITMAP_BYTES = BLOCK_SIZE / 8;

/** Reads a list of places if there are few, or a bitmap if there are many: whichever is smaller. */
export function readMembers(data: Uint8Array): Members {
  if (data.byteLength < BITMAP_BYTES) {
    const places = uint16sOf(data);
    return {
      has: (place) => find(places, places.length, place) >= 0,
      slice: (skip, limit) => [...places.subarray(skip, skip + limit)],
    };
  }
  const has = (place: number): boolean => ((data[place >> 3]! >> (place & 7)) & 1) === 1;
  return {
    has,
    slice(skip, limit) {
      const places: number[] = [];
      let seen = 0;
      for (let place = 0; place < BLOCK_SIZE && places.length < limit; place++) {
        if (has(place) && seen++ >= skip) places.push(place);
      }
      return places;
    },
  };
}

/** Returns all places, in order. */
export function placesIn(data: Uint8Array): Uint16Array {
  if (data.byteLength < BITMAP_BYTES) return uint16sOf(data);
  const places = new Uint16Array(countIn(data));
  let nth = 0;
  for (let at = 0; at < BITMAP_BYTES; at++)
    for (let bits = data[at]!; bits !== 0; bits &= bits - 1)
      places[nth++] = 8 * at + (31 - Math.clz32(bits & -bits));
  return places;
}

/** Returns a bitmap of the members that the caller may change. */
export function bitmapOf(data: Uint8Array): Uint8Array {
  return data.byteLength < BITMAP_BYTES ? bitmapWith(uint16sOf(data)) : data.slice();
}

/** Returns a bitmap of the places, which may be in any order. */
export function bitmapWith(places: Uint16Array | readonly number[]): Uint8Array {
  const bitmap = new Uint8Array(BITMAP_BYTES);
  for (let at = 0; at < places.length; at++) bitmap[places[at]! >> 3]! |= 1 << (places[at]! & 7);
  return bitmap;
}

/** Returns how many places a bitmap has. */
export function countIn(bitmap: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < BITMAP_BYTES; at++) count += BITS_IN[bitmap[at]!]!;
  return count;
}

/** Returns how many places are in both. */
export function countBoth(one: Uint8Array, other: Uint8Array): number {
  if (one.byteLength === BITMAP_BYTES && other.byteLength === BITMAP_BYTES) {
    let both = 0;
    for (let at = 0; at < BITMAP_BYTES; at++) both += BITS_IN[one[at]! & other[at]!]!;
    return both;
  }
  const [few, others] = one.byteLength < BITMAP_BYTES ? [one, other] : [other, one];
  const { has } = readMembers(others);
  return uint16sOf(few).reduce((sum, place) => sum + Number(has(place)), 0);
}

/** The number of bits that are set in each byte. */
const BITS_IN = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

/** Returns the bytes that `readMembers` reads. The places must be in order. */
export function membersOf(places: Uint16Array): Uint8Array {
  return places.byteLength < BITMAP_BYTES ? bytesOf(places) : bitmapWith(places);
}

/** Returns the members with `place` added, or undefined if it is already among them. */
export function withMember(data: Uint8Array | undefined, place: number): Uint8Array | undefined {
  if (data === undefined) return bytesOf(Uint16Array.of(place));
  if (data.byteLength === BITMAP_BYTES) {
    const mask = 1 << (place & 7);
    if ((data[place >> 3]! & mask) !== 0) return undefined;
    const bitmap = data.slice();
    bitmap[place >> 3]! |= mask;
    return bitmap;
  }
  const places = uint16sOf(data);
  const at = find(places, places.length, place);
  if (at >= 0) return undefined;
  const more = new Uint16Array(places.length + 1);
  more.set(places.subarray(0, ~at));
  more[~at] = place;
  more.set(places.subarray(~at), ~at + 1);
  return membersOf(more);
}

/** Returns the members without `place`, or undefined if it is not among them. */
export function withoutMember(data: Uint8Array | undefined, place: number): Uint8Array | undefined {
  if (data === undefined) return undefined;
  if (data.byteLength === BITMAP_BYTES) {
    const mask = 1 << (place & 7);
    if ((data[place >> 3]! & mask) === 0) return undefined;
    const bitmap = data.slice();
    bitmap[place >> 3]! &= ~mask;
    return bitmap;
  }
  const places = uint16sOf(data);
  const at = find(places, places.length, place);
  return at < 0 ? undefined : bytesOf(places.filter((known) => known !== place));
}
