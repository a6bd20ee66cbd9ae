import { DatabaseSync } from 'node:sqlite';
import type { Filters } from '../../src/catalog/index.ts';
import { parameterText } from '../../src/catalog/declaration/parameterText.ts';
import { PAGE_CACHE_KIB } from '../../src/catalog/limits.ts';
import type { Settlement } from '../../src/catalog/store.ts';

/** Plain FTS5 over the same texts, with the same weights: every match is ranked, the best are taken. */
export interface Peer extends Disposable {
  /** Row ids, which count from 1, best first. */
  search(words: readonly string[], filters: Filters, limit: number, offset: number): number[];
}

export function openPeer(path: string): Peer {
  const db = new DatabaseSync(path, { readOnly: true });
  db.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
  return {
    search(words, filters, limit, offset) {
      const match = words.map((word) => `"${word}"`).join(' OR ');
      const chosen = Object.entries(filters);
      const join = chosen.length === 0 ? '' : 'JOIN listing ON listing.id = fts.rowid';
      const where = ['fts MATCH ?', ...chosen.map(([name]) => `listing.${name} = ?`)].join(' AND ');
      const select = db.prepare(
        `SELECT fts.rowid AS id, bm25(fts, 4, 3, 2, 1) AS score FROM fts ${join} WHERE ${where}
         ORDER BY score, fts.rowid LIMIT ? OFFSET ?`,
      );
      const values = chosen.map(([, value]) => String(value));
      return (select.all(match, ...values, limit, offset) as { id: number }[]).map(({ id }) => id);
    },
    [Symbol.dispose]: () => db.close(),
  };
}

/** Writes batches of listings to a new file. */
export function createPeer(path: string): { put(settlements: readonly Settlement[]): void; close(): void } {
  const db = new DatabaseSync(path);
  db.exec(`
    PRAGMA synchronous = OFF; PRAGMA cache_size = -600000;
    CREATE VIRTUAL TABLE fts USING fts5(name, tags, description, parameters, content = '');
    CREATE TABLE listing (id INTEGER PRIMARY KEY, type TEXT, payTo TEXT, scheme TEXT, network TEXT) STRICT;
    CREATE INDEX listing_of ON listing (payTo);
  `);
  const insertText = db.prepare(
    'INSERT INTO fts (rowid, name, tags, description, parameters) VALUES (?, ?, ?, ?, ?)',
  );
  const insertListing = db.prepare(
    'INSERT INTO listing (id, type, payTo, scheme, network) VALUES (?, ?, ?, ?, ?)',
  );
  let listings = 0;
  return {
    put(settlements) {
      db.exec('BEGIN');
      for (const { declaration, requirements } of settlements) {
        const { serviceName = '', tags = [], description = '' } = declaration.metadata;
        listings += 1;
        insertText.run(listings, serviceName, tags.join(' '), description, parameterText(declaration));
        insertListing.run(
          listings,
          declaration.type,
          requirements.payTo,
          requirements.scheme,
          requirements.network,
        );
      }
      db.exec('COMMIT');
    },
    close: () => db.close(),
  };
}
