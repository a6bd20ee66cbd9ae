import type { DatabaseSync } from 'node:sqlite';
import { wordScore } from '../search/ranking.ts';
import type { LengthNorm } from '../search/ranking.ts';
import { blockOf } from './blocks.ts';

/** A listing that was reworded since a walk began: the walk goes on by its earlier wording. */
export interface Reworded {
  readonly listing: number;
  /** What it scored then; 0 where it was no match. */
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

/** Looks up what was said when the clock stood at `clock` by the listings that were reworded since. */
export function earlierWordingsIn(db: DatabaseSync) {
  const select = db.prepare(
    'SELECT listing, words, length FROM earlier_wording WHERE reworded > ? ORDER BY reworded',
  );

  return (clock: number, asked: readonly { word: string; idf: number }[]): EarlierWordings => {
    const byListing = new Map<number, Reworded>();
    for (const row of select.iterate(clock) as Iterable<unknown>) {
      const { listing, words, length } = row as Row;
      // The first change since then took away what the listing said then.
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

/** Looks a word up in a text like `[["weather",4],["city",1]]` without reading all of it. Words hold no quotes. */
function frequencyIn(words: string, word: string): number {
  const start = `["${word}",`;
  const at = words.indexOf(start);
  return at === -1 ? 0 : Number.parseInt(words.slice(at + start.length, words.indexOf(']', at)), 10);
}
