import { readFileSync } from 'node:fs';
import { DIMENSIONS, type Source } from './source.ts';

/** As many words of the general language are kept; those of software are kept besides. */
const GENERAL_WORDS = 57_000;

const textOf = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/** Returns the vectors of the words that are kept, the most frequent word first. */
export function vectorsOf({ words, vectors }: Source): Map<string, Float64Array> {
  const latin = words.filter((word) => /^[a-z]{2,}$/.test(word));
  const software = new Set(textOf('software.txt').match(/[a-z]+/g));
  const kept = latin.filter((word, rank) => rank < GENERAL_WORDS || software.has(word));
  const table = new Map<string, Float64Array>(
    kept.map((word) => [word, Float64Array.from(vectors[word]!.slice(0, DIMENSIONS))]),
  );
  for (const [word, vector] of recentVectors(table)) table.set(word, vector);
  return table;
}

/** Makes vectors for recent words out of others. A word that has none yet comes after all others. */
function recentVectors(table: ReadonlyMap<string, Float64Array>): Map<string, Float64Array> {
  const made = new Map<string, Float64Array>();
  for (const line of textOf('recent.txt').split('\n')) {
    const [word, ...others] = line.startsWith('#') ? [] : (line.match(/[a-z0-9]+/g) ?? []);
    if (word === undefined) continue;
    const sum = new Float64Array(DIMENSIONS);
    for (const other of others) {
      const vector = made.get(other) ?? table.get(other);
      if (vector === undefined)
        throw new Error(`recent.txt: ${word} is made of ${other}, which has no vector`);
      const length = Math.hypot(...vector);
      vector.forEach((value, i) => (sum[i]! += value / length));
    }
    made.set(word, sum);
  }
  return made;
}
