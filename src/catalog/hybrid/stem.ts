import { stemmer } from '@orama/stemmers/english';
import { detached } from './detached.ts';

/** Stems that are remembered: most words of a catalog are few. */
const REMEMBERED = 50_000;
const remembered = new Map<string, string>();

/** Returns the stem of an English word, by Snowball's rules; other words stay as they are. */
export function stemOf(word: string): string {
  let stem = remembered.get(word);
  if (stem !== undefined) return stem;
  if (remembered.size >= REMEMBERED) remembered.clear();
  remembered.set(detached(word), (stem = detached(stemmer(word))));
  return stem;
}
