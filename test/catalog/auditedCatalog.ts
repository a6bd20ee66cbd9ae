import { expect } from 'vitest';
import type { Filters } from '../../src/catalog/index.ts';
import { openDatabase } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../src/catalog/sqlite/store.ts';
import type { DiscoveryResource } from '../../src/contract/index.ts';
import type { Position } from '../../src/catalog/search/cursor.ts';
import type { SearchPage } from '../../src/catalog/store.ts';
import { tokensOf } from '../../src/catalog/search/tokens.ts';
import { nameOf } from './drafts.ts';

const PAGE_SIZE = 100;

/** A catalog file, read whole. */
export interface AuditedCatalog {
  /** By key. */
  readonly items: ReadonlyMap<string, DiscoveryResource>;
  /** The listings that say `word`, by the items themselves. */
  saying(word: string): ReadonlySet<string>;
  /** The keys that a search for `word` finds, all pages of it. */
  found(word: string): string[];
  /** How many listings there are under these filters, as the list says. */
  total(filters: Filters): number;
  integrity(): unknown;
  close(): void;
}

/** Opens a file as the service does, which checks its pages, and reads all listings. */
export function auditCatalog(path: string): AuditedCatalog {
  const db = openDatabase(path);
  const store = createSqliteStore(db);
  const total = (filters: Filters): number => store.list(filters, 0, 1).total;
  const items = new Map<string, DiscoveryResource>();
  for (let offset = 0; offset < total({}); offset += PAGE_SIZE) {
    for (const text of store.list({}, offset, PAGE_SIZE).items) {
      const item = JSON.parse(text) as DiscoveryResource;
      items.set(nameOf(item.resource), item);
    }
  }
  // A listing twice, or one that is counted and not there.
  expect(items.size).toBe(total({}));
  const saying = new Map<string, Set<string>>();
  for (const [key, item] of items) {
    for (const word of wordsOf(item)) saying.set(word, (saying.get(word) ?? new Set()).add(key));
  }
  return {
    items,
    saying: (word) => saying.get(word) ?? new Set(),
    found(word) {
      const keys: string[] = [];
      let after: Position | undefined;
      do {
        const { items: texts, next }: SearchPage = store.search([word], {}, PAGE_SIZE, after)!;
        keys.push(...texts.map((text) => nameOf((JSON.parse(text) as DiscoveryResource).resource)));
        after = next;
      } while (after !== undefined);
      return keys;
    },
    total,
    integrity: () => db.prepare('PRAGMA integrity_check').get(),
    close: () => store.close(),
  };
}

/** What the index has of an item, in the order in which it was written. */
export function wordsOf({ description = '' }: DiscoveryResource): string[] {
  return tokensOf(description);
}
