// Words as they stand in the texts of listings: a few that are everywhere, and the others by Zipf's law.

/** Numbers from 0 to below 1, the same ones for the same seeds (sfc32). */
export type Random = () => number;

const WARM_UP_ROUNDS = 12;

export function createRandom(seed: number, stream: number): Random {
  let [a, b, c, counter] = [seed | 0, stream | 0, 0x9e3779b9 | 0, 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < WARM_UP_ROUNDS; round++) next();
  return next;
}

export const between = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));

/** Spread evenly over the orders of magnitude. */
export const logBetween = (random: Random, least: number, most: number): number =>
  least * (most / least) ** random();

/** From 70 % of all listings for the first down to 5 % for the last. */
const FILLERS =
  'the a for of to is in and get api with by on data or from best what can how that it at you your this are all which i service new use an my be any as find not'.split(
    ' ',
  );
/** The larger, the more alike the commonest are. */
const FILLER_FLATNESS = 1.2;
const CONTENT_FLATNESS = 10;
/** Words that more than one listing may choose; beyond them are the names of single services. */
export const CONTENT_WORDS = 300_000;

/** A rank from 0 to below `count`, with a probability of about 1 / (rank + flatness). */
function zipf(random: Random, count: number, flatness: number): number {
  return Math.floor(flatness * ((count + flatness) / flatness) ** random() - flatness);
}

export const filler = (random: Random): string => FILLERS[zipf(random, FILLERS.length, FILLER_FLATNESS)]!;

export const content = (random: Random): string => wordAt(zipf(random, CONTENT_WORDS, CONTENT_FLATNESS));

/** `count` words, `fillerShare` of which say nothing. */
export function text(random: Random, count: number, fillerShare: number): string {
  return Array.from({ length: count }, () =>
    random() < fillerShare ? filler(random) : content(random),
  ).join(' ');
}

/** The rank of a word that stands in about `matches` of `listings`, with `perListing` words each. */
export function rankFor(matches: number, listings: number, perListing: number): number {
  const share = perListing / Math.log(CONTENT_WORDS / CONTENT_FLATNESS);
  const rank = (listings * share) / matches - CONTENT_FLATNESS;
  return Math.max(0, Math.min(CONTENT_WORDS - 1, Math.floor(rank)));
}

const SYLLABLES = [...'bdfgklmnprstvz'].flatMap((consonant) =>
  [...'aeiou'].map((vowel) => consonant + vowel),
);

/** Three syllables or more, a different word for each rank. */
export function wordAt(rank: number): string {
  const syllables: string[] = [];
  for (let left = rank + SYLLABLES.length ** 2; left > 0; left = Math.floor(left / SYLLABLES.length))
    syllables.push(SYLLABLES[left % SYLLABLES.length]!);
  return syllables.join('');
}
