import { describe, expect, test } from 'vitest';
import { MAX_QUERY_WORDS } from '../../src/catalog/limits.ts';
import type { Filters } from '../../src/catalog/requests.ts';
import { type Draft, namesOf } from './drafts.ts';
import { openCatalog, pagesOf, walk, type Connection } from './openCatalog.ts';
import { stores } from './stores.ts';

/** So many listings with these words. */
const several = (count: number, description: string, prefix = description): Draft[] =>
  Array.from({ length: count }, (_, at) => ({ name: `${prefix}${at}`, description }));

const names = (drafts: readonly Draft[]): string[] => drafts.map(({ name }) => name);

/** What each page of a walk says. */
function pages(catalog: Connection, query: string, limit: number, filters: Filters = {}) {
  return pagesOf(catalog, query, { filters, limits: [limit] }).map(
    ({ resources, partialResults, pagination }) => {
      expect(pagination.limit).toBe(resources.length);
      return { names: namesOf(resources), partialResults };
    },
  );
}

const partial = (...found: string[]) => ({ names: found, partialResults: true });
const whole = (...found: string[]) => ({ names: found, partialResults: false });

describe.each(stores)('partialResults, kept by $name,', (kind) => {
  test('is true on every page but the last', () => {
    using catalog = openCatalog(kind);
    catalog.put(...several(5, 'sun'));
    expect(pages(catalog, 'sun', 2)).toEqual([
      partial('sun0', 'sun1'),
      partial('sun2', 'sun3'),
      whole('sun4'),
    ]);
  });

  test('is false where the page holds exactly what there is', () => {
    using catalog = openCatalog(kind);
    catalog.put(...several(4, 'sun'), ...several(3, 'rain'));
    expect(pages(catalog, 'sun', 4)).toEqual([whole('sun0', 'sun1', 'sun2', 'sun3')]);
    expect(pages(catalog, 'sun', 2)).toEqual([partial('sun0', 'sun1'), whole('sun2', 'sun3')]);
  });

  test('does not count what the filters leave out', () => {
    using catalog = openCatalog(kind);
    catalog.put({ name: 'tool', toolName: 't', description: 'sun' }, ...several(3, 'sun'));
    expect(pages(catalog, 'sun', 1, { type: 'mcp' })).toEqual([whole('tool')]);
  });

  test(`is true on every page where more than ${MAX_QUERY_WORDS} different words are looked for`, () => {
    using catalog = openCatalog(kind);
    const words = (count: number): string => Array.from({ length: count }, (_, at) => `w${at}`).join(' ');
    catalog.put({ name: 'first', description: 'w0' }, { name: 'second', description: 'w1 x' });
    expect(pages(catalog, words(MAX_QUERY_WORDS + 1), 1)).toEqual([partial('first'), partial('second')]);
    expect(pages(catalog, `w0 W0 ${words(MAX_QUERY_WORDS)}`, 1)).toEqual([partial('first'), whole('second')]);
  });

  test('is false where nothing is found', () => {
    using catalog = openCatalog(kind);
    expect(pages(catalog, 'sun', 1)).toEqual([whole()]);
  });
});

describe.each(stores)('the retrieval cap, kept by $name,', (kind) => {
  const retrievalCap = 10;

  test('is not reached by words that stand in so many places together', () => {
    using catalog = openCatalog(kind, { retrievalCap });
    const [rare, common] = [several(4, 'rare'), several(6, 'common')];
    catalog.put(...rare, ...common);
    expect(pages(catalog, 'common rare', 20)).toEqual([whole(...names(rare), ...names(common))]);
  });

  test('leaves the commonest words out, and every page says so', () => {
    using catalog = openCatalog(kind, { retrievalCap });
    catalog.put(...several(4, 'rare'), ...several(7, 'common'), { name: 'both', description: 'rare common' });
    const found = [partial('rare0', 'rare1'), partial('rare2', 'rare3'), partial('both')];
    expect(pages(catalog, 'common rare', 2)).toEqual(found);
    expect(pages(catalog, 'rare common', 2)).toEqual(found);
  });

  test('leaves all commoner words out, not only those by which it is passed', () => {
    using catalog = openCatalog(kind, { retrievalCap });
    catalog.put(...several(1, 'a'), ...several(5, 'b'), ...several(6, 'c'), ...several(6, 'd'));
    expect(pages(catalog, 'd c b a', 20)).toEqual([partial('a0', 'b0', 'b1', 'b2', 'b3', 'b4')]);
  });

  test('leaves the newest listings out where the only word is too common', () => {
    using catalog = openCatalog(kind, { retrievalCap });
    catalog.put(...several(20, 'sun'));
    const found = names(several(10, 'sun'));
    expect(pages(catalog, 'sun', 20)).toEqual([partial(...found)]);
    expect(walk(catalog, 'sun', { limits: [3] })).toEqual(found);
  });

  test('keeps one word where each is too common', () => {
    using catalog = openCatalog(kind, { retrievalCap });
    catalog.put(...several(20, 'sun moon'));
    expect(pages(catalog, 'moon sun', 20)).toEqual([partial(...names(several(10, 'sun moon')))]);
  });

  test('does not count words that stand nowhere', () => {
    using catalog = openCatalog(kind, { retrievalCap });
    catalog.put(...several(10, 'sun'));
    expect(pages(catalog, 'nowhere sun else', 20)).toEqual([whole(...names(several(10, 'sun')))]);
  });

  test('stays as it was at the first page when words become common or rare during a walk', () => {
    using catalog = openCatalog(kind, { retrievalCap });
    const [rare, common] = [several(3, 'rare'), several(7, 'common')];
    catalog.put(...rare, ...common);
    const found = [...names(rare), ...names(common)];
    const grown = walk(catalog, 'rare common', { limits: [4] }, () => {
      catalog.put(...several(30, 'common', 'new'));
    });
    expect(grown).toEqual(found);
    const shrunk = walk(catalog, 'rare common', { limits: [1] }, () => {
      catalog.put(...names(several(30, 'common', 'new')).map((name) => ({ name, description: 'other' })));
    });
    expect(shrunk).toEqual(names(rare));
  });
});
