import type { DatabaseSync } from 'node:sqlite';
import { wordScore, type LengthNorm } from '../search/ranking.ts';
import { blockOf } from './blocks.ts';

/** A listing that was reworded since a walk began. The walk ranks it by its earlier wording. */
export interface Reworded {
  readonly listing: number;
  /** Returns what it scored then; 0 if it did not match. */
  score(norm: LengthNorm): number;
}

export interface EarlierWordings {
  in(block: number): readonly Reworded[];
}

interface Row {
  listing: number;
  words: string;
  length: number;
}

/** Looks up the listings that were reworded since `clock`, with their wording of that time. */
export function earlierWordingsIn(db: DatabaseSync) {
  const select = db.prepare(
    'SELECT listing, words, length FROM earlier_wording WHERE reworded > ? ORDER BY reworded',
  );

  return (clock: number, asked: readonly { word: string; idf: number }[]): EarlierWordings => {
    const byListing = new Map<number, Reworded>();
    for (const row of select.iterate(clock) as Iterable<unknown>) {
      const { listing, words, length } = row as Row;
      // The first row holds the wording at that time. Skip later ones.
      if (byListing.has(listing)) continue;
      const found = asked.flatMap(({ word, idf }) => {
        const frequency = frequencyIn(words, word);
        return frequency === 0 ? [] : [{ idf, frequency }];
      });
      byListing.set(listing, {
        listing,
        score: (norm) =>
          found.reduce((sum, { idf, frequency }) => sum + wordScore(idf, frequency, length, norm), 0),
      });
    }
    const byBlock = Map.groupBy(byListing.values(), ({ listing }) => blockOf(listing));
    return { in: (block) => byBlock.get(block) ?? [] };
  };
}

/** Looks up a word in a text like `[["weather",4],["city",1]]` without parsing all of it. Words contain no quotes. */
function frequencyIn(words: string, word: string): number {
  const start = `["${word}",`;
  const at = words.indexOf(start);
  return at === -1 ? 0 : Number.parseInt(words.slice(at + start.length, words.indexOf(']', at)), 10);
}
