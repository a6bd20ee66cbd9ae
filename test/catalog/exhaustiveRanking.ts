import { DatabaseSync } from 'node:sqlite';

/** The texts of a listing by which it is searched. */
export interface Texts {
  readonly serviceName: string;
  readonly tags: string;
  readonly description: string;
  readonly parameters: string;
}

export interface Ranked {
  readonly listing: number;
  /** Higher is better. */
  readonly score: number;
}

/** SQLite's own full-text index, which scores every match: what a search must equal (specification 4.5). */
export interface ExhaustiveRanking extends Disposable {
  set(listing: number, texts: Texts): void;
  /** All listings with any of `words`, best first, the older first among equals. Words are letters and digits. */
  rank(words: readonly string[]): Ranked[];
}

export function exhaustiveRanking(): ExhaustiveRanking {
  const db = new DatabaseSync(':memory:');
  db.exec("CREATE VIRTUAL TABLE fts USING fts5(serviceName, tags, description, parameters, detail = 'full')");
  const remove = db.prepare('DELETE FROM fts WHERE rowid = ?');
  const insert = db.prepare(
    'INSERT INTO fts (rowid, serviceName, tags, description, parameters) VALUES (?, ?, ?, ?, ?)',
  );
  const select = db.prepare(
    'SELECT rowid AS listing, -bm25(fts, 4, 3, 2, 1) AS score FROM fts WHERE fts MATCH ? ORDER BY score DESC, rowid',
  );
  return {
    set(listing, { serviceName, tags, description, parameters }) {
      remove.run(listing);
      insert.run(listing, serviceName, tags, description, parameters);
    },
    rank: (words) =>
      select.all(words.map((word) => `"${word}"`).join(' OR ')) as unknown as {
        listing: number;
        score: number;
      }[],
    [Symbol.dispose]: () => db.close(),
  };
}

/** Scores that differ by less, of their size, are equal but for the order in which they were added up. */
const ROUNDING = 1e-9;

/**
 * A ranking as text, to compare: listings whose scores are equal but for rounding stand together, in the order of
 * `listings`' own names, so that only these may change places.
 */
export function withoutRounding(found: readonly number[], ranked: readonly Ranked[]): number[] {
  const scores = new Map(ranked.map(({ listing, score }) => [listing, score]));
  const result: number[] = [];
  let equal: number[] = [];
  const flush = (): void => {
    result.push(...equal.sort((a, b) => a - b));
    equal = [];
  };
  for (const listing of found) {
    const [last, score] = [scores.get(equal.at(-1) ?? -1) ?? NaN, scores.get(listing) ?? NaN];
    if (!(Math.abs(last - score) <= ROUNDING * Math.abs(score))) flush();
    equal.push(listing);
  }
  flush();
  return result;
}
