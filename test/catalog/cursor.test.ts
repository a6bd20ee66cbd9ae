import { describe, expect, test } from 'vitest';
import { MAX_EARLIER_WORDINGS } from '../../src/catalog/limits.ts';
import type { Filters } from '../../src/catalog/requests.ts';
import { readCursor } from '../../src/catalog/search/cursor.ts';
import { FIRST_SETTLED_AT, TERMS, type Draft } from './drafts.ts';
import { openCatalog, type Connection, type TestCatalog } from './openCatalog.ts';
import { lastingStores, quickStore, stores, type StoreKind } from './stores.ts';

const SUNNY: Draft[] = Array.from({ length: 5 }, (_, at) => ({ name: `n${at}`, description: 'sun' }));

/** A catalog of five listings in which `sun` stands. */
function sunny(kind: StoreKind): TestCatalog {
  const catalog = openCatalog(kind);
  catalog.put(...SUNNY);
  return catalog;
}

function firstCursor({ search }: Pick<Connection, 'search'>, query = 'sun', filters: Filters = {}): string {
  const cursor = search(query, { filters, limit: 2 })?.pagination.cursor;
  if (cursor == null) throw new Error('there is no second page');
  return cursor;
}

describe.each(stores)('a cursor, kept by $name,', (kind) => {
  test('leads to the page behind the one that it came with', () => {
    using catalog = sunny(kind);
    const cursor = firstCursor(catalog);
    expect(catalog.found('sun', { cursor, limit: 2 })).toEqual(['n2', 'n3']);
  });

  test('may be used again, with the same answer', () => {
    using catalog = sunny(kind);
    const cursor = firstCursor(catalog);
    expect(catalog.search('sun', { cursor })).toEqual(catalog.search('sun', { cursor }));
  });

  test('is not bound to the limit', () => {
    using catalog = sunny(kind);
    const cursor = firstCursor(catalog);
    expect(catalog.found('sun', { cursor, limit: 1 })).toEqual(['n2']);
    expect(catalog.found('sun', { cursor })).toEqual(['n2', 'n3', 'n4']);
  });

  test('is a short text that a URL can hold', () => {
    using catalog = sunny(kind);
    expect(firstCursor(catalog)).toMatch(/^[A-Za-z0-9_-]{1,100}$/);
  });

  test.each(['sun ', 'Sun', 'sun sun', 'sun rain', 'moon', 'sún', '"sun"'])(
    'is refused for another query: %j',
    (query) => {
      using catalog = sunny(kind);
      expect(catalog.search(query, { cursor: firstCursor(catalog) })).toBeUndefined();
    },
  );

  describe('is bound to every filter:', () => {
    const filters = {
      type: 'http',
      payTo: 'GA',
      scheme: 'exact',
      network: 'stellar:testnet',
      extensions: 'bazaar',
      asset: TERMS.asset,
      maxAmount: TERMS.amount,
      updatedSince: FIRST_SETTLED_AT.toISOString(),
    };
    const withPayee = (catalog: TestCatalog): void => {
      catalog.put(
        ...Array.from({ length: 4 }, (_, at) => ({
          name: `p${at}`,
          description: 'sun',
          terms: { payTo: 'GA' },
        })),
      );
    };

    test.each(Object.keys(filters) as (keyof typeof filters)[])('%s', (name) => {
      using catalog = sunny(kind);
      withPayee(catalog);
      const cursor = firstCursor(catalog, 'sun', filters);
      expect(catalog.found('sun', { filters, cursor })).toEqual(['p2', 'p3']);
      const { [name]: value, ...others } = filters;
      for (const other of [undefined, '', `${value} `, `${value}x`, 'null']) {
        expect(catalog.search('sun', { filters: { ...others, [name]: other }, cursor })).toBeUndefined();
      }
      expect(catalog.search('sun', { filters: others, cursor })).toBeUndefined();
      expect(catalog.search('sun', { cursor })).toBeUndefined();
    });

    test('verified', () => {
      using catalog = sunny(kind);
      const cursor = firstCursor(catalog, 'sun', { verified: false });
      expect(catalog.search('sun', { filters: { verified: false }, cursor })).toBeDefined();
      for (const filters of [{}, { verified: true }])
        expect(catalog.search('sun', { filters, cursor })).toBeUndefined();
      expect(
        catalog.search('sun', { filters: { verified: false }, cursor: firstCursor(catalog) }),
      ).toBeUndefined();
    });

    test('which value stands in which', () => {
      using catalog = sunny(kind);
      withPayee(catalog);
      const cursor = firstCursor(catalog, 'sun', { payTo: 'GA' });
      expect(catalog.search('sun', { filters: { scheme: 'GA' }, cursor })).toBeUndefined();
      const unfiltered = firstCursor(catalog);
      expect(
        catalog.search('sun', { filters: { extensions: 'bazaar' }, cursor: unfiltered }),
      ).toBeUndefined();
    });
  });

  test('of another catalog is refused', () => {
    using catalog = sunny(kind);
    using other = sunny(kind);
    expect(catalog.search('sun', { cursor: firstCursor(other) })).toBeUndefined();
  });

  test.each([
    ['nothing', ''],
    ['blank', ' '],
    ['null', 'null'],
    ['no base64url', '$$$$'],
    ['JSON in base64url', Buffer.from('{"v":1,"id":1}').toString('base64url')],
    ['zeros', Buffer.alloc(64).toString('base64url')],
    ['very long', 'A'.repeat(1_000_000)],
    ['very long and no base64url', '€'.repeat(1_000_000)],
    ['half of a character', '\ud800'],
  ])('that was never issued is refused: %s', (_, cursor) => {
    using catalog = sunny(kind);
    expect(catalog.search('sun', { cursor })).toBeUndefined();
    expect(catalog.search('', { cursor })).toBeUndefined();
  });
});

test('a cursor that an earlier version issued leads on', () => {
  const context = { query: 'sun', filters: { type: 'http' }, key: new Uint8Array(32) };
  const issued = 'ZjkG1VINzbLoYw4VwAkSyQAAAAAAABRAAAAAAAAAIkAAAAAAAADwPwAAAAAAAPg_AAAAAAAAAEAAAAAAAAAUQA';
  expect(readCursor(issued, context)).toEqual({
    snapshot: { listings: 5, tokens: 9, clock: 1, matches: [5] },
    score: 1.5,
    listing: 2,
  });
});

describe('a cursor that was changed is refused:', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

  test('each bit of each character', () => {
    using catalog = sunny(quickStore);
    const cursor = firstCursor(catalog);
    for (let at = 0; at < cursor.length; at++) {
      for (let bit = 1; bit < 64; bit *= 2) {
        const flipped = alphabet[alphabet.indexOf(cursor[at]!) ^ bit]!;
        const forged = cursor.slice(0, at) + flipped + cursor.slice(at + 1);
        expect(catalog.search('sun', { cursor: forged }), `bit ${bit} of character ${at}`).toBeUndefined();
      }
    }
  });

  test('cut anywhere', () => {
    using catalog = sunny(quickStore);
    const cursor = firstCursor(catalog);
    for (let at = 0; at < cursor.length; at++) {
      expect(catalog.search('sun', { cursor: cursor.slice(0, at) }), `up to ${at}`).toBeUndefined();
      if (at > 0) expect(catalog.search('sun', { cursor: cursor.slice(at) }), `from ${at}`).toBeUndefined();
    }
  });

  test.each([
    ['a character', (cursor: string) => `${cursor}A`],
    ['a number', (cursor: string) => cursor + Buffer.alloc(8).toString('base64url')],
    ['padding', (cursor: string) => `${cursor}==`],
    ['a space', (cursor: string) => `${cursor} `],
    ['a space in front', (cursor: string) => ` ${cursor}`],
    ['a line break within', (cursor: string) => `${cursor.slice(0, 9)}\n${cursor.slice(9)}`],
    ['a character that is none of base64', (cursor: string) => `${cursor}€`],
    ['itself', (cursor: string) => cursor + cursor],
  ])('extended by %s', (_, extend) => {
    using catalog = sunny(quickStore);
    expect(catalog.search('sun', { cursor: extend(firstCursor(catalog)) })).toBeUndefined();
  });

  test('written with the other base64 alphabet', () => {
    using catalog = sunny(quickStore);
    let cursor = firstCursor(catalog);
    for (let tried = 0; !/[-_]/.test(cursor); tried++) {
      if (tried === 1_000) throw new Error('no cursor has a character that differs');
      catalog.put({ name: `more${tried}`, description: 'sun' });
      cursor = firstCursor(catalog);
    }
    const other = cursor.replaceAll('-', '+').replaceAll('_', '/');
    expect(catalog.search('sun', { cursor: other })).toBeUndefined();
  });

  test('put together from two that were issued', () => {
    using catalog = sunny(quickStore);
    const [one, another] = [firstCursor(catalog), firstCursor(catalog, 'sun', { type: 'http' })];
    for (let at = 1; at < one.length; at++) {
      const forged = one.slice(0, at) + another.slice(at);
      if (forged !== one && forged !== another)
        expect(catalog.search('sun', { cursor: forged })).toBeUndefined();
    }
  });
});

describe.each(lastingStores)('a cursor, kept by $name,', (kind) => {
  test('leads on from another connection', () => {
    using catalog = sunny(kind);
    const cursor = firstCursor(catalog);
    expect(catalog.connect().found('sun', { cursor })).toEqual(['n2', 'n3', 'n4']);
  });

  test('leads on after a restart, and sees what another connection reworded', () => {
    using catalog = sunny(kind);
    const cursor = firstCursor(catalog);
    catalog.store.close();
    const again = catalog.connect();
    again.put({ name: 'n2', description: 'rain' });
    expect(again.found('sun', { cursor })).toEqual(['n2', 'n3', 'n4']);
  });
});

describe('a cursor expires', () => {
  const NOISE: Draft[] = [
    { name: 'noise', description: 'this' },
    { name: 'noise', description: 'that' },
  ];
  const rewordings = (count: number): Draft[] => Array.from({ length: count }, (_, at) => NOISE[at % 2]!);

  test(`when more than ${MAX_EARLIER_WORDINGS} wordings changed since the first page of its walk`, () => {
    using catalog = sunny(quickStore);
    catalog.put(NOISE[1]!);
    // Forgotten first: it is older than the walk.
    catalog.put(...rewordings(10), { name: 'n0', description: 'sun sun' });
    const cursor = firstCursor(catalog);
    const expected = catalog.found('sun', { cursor });
    expect(expected).toEqual(['n2', 'n3', 'n4']);
    catalog.put({ name: 'n3', description: 'rain' }, ...rewordings(MAX_EARLIER_WORDINGS - 1));
    expect(catalog.found('sun', { cursor })).toEqual(expected);
    const later = firstCursor(catalog);
    catalog.put(...rewordings(2));
    expect(catalog.search('sun', { cursor })).toBeUndefined();
    expect(catalog.found('sun', { cursor: later })).toEqual(['n2', 'n4']);
  });

  test('when its query is read as another number of words since', () => {
    using catalog = sunny(quickStore);
    const { next } = catalog.store.search(['sun'], {}, 2, undefined)!;
    expect(catalog.store.search(['sun'], {}, 2, next)?.items).toHaveLength(2);
    expect(catalog.store.search(['sun', 'rain'], {}, 2, next)).toBeUndefined();
    expect(catalog.store.search([], {}, 2, next)).toBeUndefined();
  });

  test('not by listings that are new, refreshed with the same words, or refused', () => {
    using catalog = sunny(quickStore);
    const cursor = firstCursor(catalog);
    const more = Array.from({ length: MAX_EARLIER_WORDINGS + 1 }, (_, at) => at);
    catalog.put(...more.map((at) => ({ name: `more${at}` })));
    catalog.put(...more.map(() => SUNNY[3]!));
    catalog.put(...more.map(() => ({ name: 'n3', description: 'mine', terms: { payTo: 'GB' } })));
    expect(catalog.found('sun', { cursor })).toEqual(['n2', 'n3', 'n4']);
  });
});
