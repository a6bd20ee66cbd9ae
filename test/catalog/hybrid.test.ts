import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Position } from '../../src/catalog/hybrid/cursor.ts';
import type { SearchPage, Store } from '../../src/catalog/store.ts';
import { namesOf, settlementOf, TERMS, type Draft } from './drafts.ts';
import { described, fill, opened, options } from './hybridCatalog.ts';
import { openCatalog, pagesOf, walk } from './openCatalog.ts';
import { localStores, quickStore, stores } from './stores.ts';

const ALICE = { payTo: 'GAALICE' };
const BOB = { payTo: 'GABOB' };

describe.each(stores)('the hybrid ranking, kept by $name,', (kind) => {
  const start = [
    described('weather', 'The weather forecast for any city, for each of the next ten days.'),
    described('rates', 'Converts an amount of money from one currency to another at the rate of the day.'),
    described('spelling', 'Corrects the spelling of a text and says what was wrong with it.'),
    described('airQuality', 'What the air is like outside.', { serviceName: 'airQualityIndex' }),
  ];

  test.each([
    ['other forms of a word', 'forecasting', 'weather'],
    ['the words of a compound in camel case', 'quality index', 'airQuality'],
    ['a compound whose words the listing writes apart', 'weatherforecast', 'weather'],
    ['words that the listing writes as one', 'air quality index', 'airQuality'],
    ['a misspelt word', 'wether forcast', 'weather'],
    ['a word with two letters swapped', 'curerncy', 'rates'],
    ['a long word that nobody has, by the one it begins with', 'currencywechselkurs', 'rates'],
    ['a word that means about the same', 'euros and dollars', 'rates'],
    ['a question full of words without meaning', 'could you please tell me what the weather is', 'weather'],
  ])('finds %s', (_, query, name) => {
    using catalog = opened(kind, ...start);
    expect(catalog.found(query)[0]).toBe(name);
  });

  test('finds nothing for letters that are no word, though words begin like them', () => {
    using catalog = opened(kind, ...start);
    expect(catalog.found('moneqqxxzz asdfghjkl forxqzt')).toEqual([]);
  });

  test('finds nothing for a question without words', () => {
    using catalog = opened(kind, ...start);
    expect(catalog.found('!?')).toEqual([]);
  });

  test('says that it was used, and answers lexical searches by words alone', () => {
    using catalog = opened(kind, ...start);
    expect(catalog.search('forecasting')).toMatchObject({ ranking: 'hybrid' });
    expect(catalog.search('forecasting', { ranking: 'lexical' })).toMatchObject({
      ranking: 'lexical',
      resources: [],
    });
  });

  test('answers by words alone until all listings are in its index', () => {
    using catalog = openCatalog(kind, options);
    catalog.put(...start);
    expect(catalog.search('forecast')).toMatchObject({ ranking: 'lexical' });
    fill(catalog);
    expect(catalog.search('forecast')).toMatchObject({ ranking: 'hybrid' });
  });

  test.each<[string, Draft]>([
    [
      'lists words',
      described(
        'spam',
        'weather forecast rain sun wind best weather cheap weather forecast storm snow hail api',
      ),
    ],
    [
      'repeats a word',
      described('spam', 'The weather is the weather, and weather is what the weather of weather is.'),
    ],
    ['has only a name', described('spam', 'Tool.', { serviceName: 'Weather Forecast' })],
  ])('puts a listing that %s behind one that describes itself', (_, spam) => {
    using catalog = opened(kind, { ...spam, terms: BOB }, ...start);
    expect(catalog.found('weather forecast').indexOf('weather')).toBe(0);
  });

  test('puts near-duplicates of one seller behind the others', () => {
    const text = (city: string): string =>
      `The weather forecast for ${city}: rain, wind and clouds for each hour of the day, from the nearest station.`;
    using catalog = opened(
      kind,
      ...['Rome', 'Oslo', 'Lima'].map((city) => described(city, text(city), { terms: ALICE })),
      described('other', 'Weather in short.', { terms: BOB }),
    );
    expect(catalog.found('weather forecast').slice(0, 2)).toContain('other');
    expect(new Set(catalog.found('weather forecast')).size).toBe(4);
  });

  test("puts a listing that uses another seller's name behind the others", () => {
    using catalog = opened(
      kind,
      described('original', 'The forecast of rain for a city.', { serviceName: 'Skyvanex', terms: ALICE }),
      described('copy', 'The forecast of rain for a city, like Skyvanex.', { terms: BOB }),
      described('honest', 'Says whether rain is likely in a town.', { terms: { payTo: 'GACAROL' } }),
    );
    expect(catalog.found('forecast of rain for a city').at(-1)).toBe('copy');
  });

  test('follows what is listed and reworded', () => {
    using catalog = opened(kind, ...start);
    catalog.put(described('new', 'Tides at a harbour.'), described('rates', 'Plays chess.'));
    expect(catalog.found('tide')[0]).toBe('new');
    expect(catalog.found('chess')[0]).toBe('rates');
  });

  test('follows a change of capitals, which splits words', () => {
    using catalog = opened(kind, described('a', 'getfxrate'), described('b', 'x'));
    catalog.put(described('a', 'getFxRate'));
    expect(catalog.found('fx')).toEqual(['a']);
  });

  test('keeps to the filters', () => {
    using catalog = opened(kind, ...start, described('bob', 'The weather forecast.', { terms: BOB }));
    expect(catalog.found('weather', { filters: BOB })).toEqual(['bob']);
    expect(catalog.found('weather', { filters: { payTo: 'GANOBODY' } })).toEqual([]);
  });
});

test('a listing that uses the name of another seller is put behind the others once its proof has ended', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  using catalog = opened(
    quickStore,
    described('original', 'The forecast of rain for a city.', { serviceName: 'Skyvanex' }),
    described('copy', 'The forecast of rain for a city, like Skyvanex.', { terms: BOB }),
    described('honest', 'Says whether rain is likely in a town.', { terms: { payTo: 'GACAROL' } }),
  );
  const until = new Date(Date.now() + 1_000).toISOString();
  catalog.store.proofs.record({ id: 2, owner: BOB.payTo, verified: { by: 'live-402', at: until, until } });
  expect(catalog.found('forecast of rain for a city').at(-1)).toBe('honest');
  vi.advanceTimersByTime(1_000);
  expect(catalog.found('forecast of rain for a city').at(-1)).toBe('copy');
});

test('the hybrid ranking finds by `verified` only what has a proof that holds', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const text = 'The weather forecast for a city.';
  using catalog = opened(quickStore, described('a', text), described('b', text, { terms: BOB }));
  const until = new Date(Date.now() + 1_000).toISOString();
  const verified = { by: 'live-402', at: until, until } as const;
  catalog.store.proofs.record({ id: 1, owner: TERMS.payTo, verified });
  const found = (verified: boolean) => {
    const answer = catalog.search('weather', { filters: { verified } });
    expect(answer).toMatchObject({ ranking: 'hybrid' });
    return namesOf(answer!.resources);
  };
  expect([found(true), found(false)]).toEqual([['a'], ['b']]);
  vi.advanceTimersByTime(1_000);
  expect(found(true)).toEqual([]);
  expect(found(false).sort()).toEqual(['a', 'b']);
});

describe.each(localStores)('the hybrid ranking, kept by $name, of what the operator hides,', (kind) => {
  test('does not put a listing behind a copy that is hidden', () => {
    const text = 'The weather forecast for a city: rain, wind and clouds for each hour of the day, as JSON.';
    using catalog = opened(
      kind,
      described('v1', text, { terms: ALICE }),
      described('v2', text, { terms: ALICE }),
      described('other', 'Says the weather.', { terms: BOB }),
    );
    expect(catalog.found('weather forecast').at(-1)).toBe('v2');
    const act = { source: 'command', actor: 'ada', reason: '' } as never;
    catalog.store.keeper.setHidden({ id: 1, isHidden: true, act });
    expect(catalog.found('weather forecast')).toEqual(['v2', 'other']);
  });

  test('misses none if better ones are shown again meanwhile', () => {
    const better = ['a', 'b', 'c'].map((name) =>
      described(name, 'The weather forecast.', { terms: { payTo: `GA${name}` } }),
    );
    const worse = ['x', 'y', 'z'].map((name) =>
      described(name, 'Says how the weather is, and many other things.', { terms: { payTo: `GA${name}` } }),
    );
    using catalog = opened(kind, ...better, ...worse);
    const act = { source: 'command', actor: 'ada', reason: '' } as never;
    const setHidden = (isHidden: boolean): void =>
      better.forEach((_, at) => catalog.store.keeper.setHidden({ id: at + 1, isHidden, act }));
    setHidden(true);
    const visited = walk(catalog, 'weather forecast', { limits: [1] }, (page) => {
      if (page === 1) setHidden(false);
    });
    expect(visited).toEqual(expect.arrayContaining(['x', 'y', 'z']));
    expect(new Set(visited).size).toBe(visited.length);
  });
});

describe.each(stores)('a walk along cursors of the hybrid ranking, kept by $name,', (kind) => {
  const text = (at: number): string =>
    `The weather forecast ${'for a city '.repeat((at % 7) + 1)} number ${at}.`;
  const start = Array.from({ length: 120 }, (_, at) =>
    described(`n${at}`, text(at), { terms: { payTo: `GA${at % 5}` } }),
  );
  const names = start.map(({ name }) => name).toSorted();

  test.each([1, 7, 50, 100])('visits each match exactly once, %i at a time', (limit) => {
    using catalog = opened(kind, ...start);
    const visited = walk(catalog, 'weather forecast', { limits: [limit] });
    expect(visited.toSorted()).toEqual(names);
    expect(visited).toEqual(catalog.found('weather forecast', { limit: 100 }).concat(visited.slice(100)));
  });

  test.each<[string, Draft[]]>([
    ['listings are new', Array.from({ length: 30 }, (_, at) => described(`new${at}`, 'weather forecast'))],
    [
      'shown and due ones are reworded',
      start.slice(0, 60).map((draft) => ({ ...draft, description: 'weather' })),
    ],
    [
      'some are no match any more',
      start.slice(30, 90).map((draft) => ({ ...draft, description: 'chess moves' })),
    ],
  ])('visits what it would have visited while %s', (_, meanwhile) => {
    for (const limit of [3, 40]) {
      using catalog = opened(kind, ...start);
      const expected = walk(catalog, 'weather forecast', { limits: [limit] });
      const visited = walk(catalog, 'weather forecast', { limits: [limit] }, (page) => {
        if (page === 1) catalog.put(...meanwhile);
      });
      expect(visited).toEqual(expected);
    }
  });

  test('goes on by the ranking that it began with', () => {
    using catalog = opened(kind, ...start);
    const [page] = pagesOf(catalog, 'weather', { limits: [10], ranking: 'lexical' });
    const cursor = page!.pagination.cursor!;
    expect(catalog.search('weather', { cursor })).toMatchObject({ ranking: 'lexical' });
    const hybrid = catalog.search('weather', { limit: 10 })!.pagination.cursor!;
    expect(catalog.search('weather', { cursor: hybrid, ranking: 'lexical' })).toBeUndefined();
  });

  if (kind.lasts)
    test('finds the same from an index that followed as from one that was filled', () => {
      using catalog = opened(kind, ...start);
      catalog.put(
        ...start
          .slice(20, 40)
          .map((draft) => ({ ...draft, description: 'Weather at sea, with wind and waves.' })),
      );
      const followed = walk(catalog, 'wind at sea');
      const filled = catalog.connect();
      fill(filled);
      expect(walk(filled, 'wind at sea')).toEqual(followed);
    });
});

describe('the index of the hybrid ranking', () => {
  test('forgets earlier wordings once they are many, and finds the same', () => {
    using catalog = opened(quickStore, described('other', 'Plays chess.'));
    const { hybrid } = catalog.store;
    for (let round = 0; round < 16; round += 1) {
      catalog.put(...Array.from({ length: 1_000 }, (_, at) => described(`n${at}`, `Tides ${round} ${at}.`)));
      hybrid!.step();
    }
    const found = catalog.found('tides 15', { limit: 100 });
    expect(hybrid!.isBusy).toBe(true);
    while (hybrid!.isBusy) hybrid!.step();
    expect(catalog.found('tides 15', { limit: 100 })).toEqual(found);
  });

  test('forgets what was removed, as an index does that never knew it', () => {
    const one = described('one', 'Plays chess by the rules of chess.');
    const place = quickStore.place(options);
    const db = place.connect();
    using other = opened(quickStore, one);
    db.put([one, described('two', 'Chess and chess and chess once more, and chess.')].map(settlementOf));
    while (db.hybrid!.isBusy) db.hybrid!.step();
    db.keeper.remove({ id: 2, act: { source: 'command', actor: 'ada', reason: '' } as never });
    const found = (store: Store) => store.hybrid!.search('chess', {}, 10, undefined) as SearchPage<Position>;
    expect(JSON.stringify(found(db))).toBe(JSON.stringify(found(other.store)));
    place[Symbol.dispose]();
  });

  test('takes no cursor of another model', () => {
    const one = openCatalog(quickStore, options);
    const model = { ...options.model!, name: 'another' };
    const other = openCatalog(quickStore, { model });
    for (const catalog of [one, other]) {
      catalog.put(described('a', 'Plays chess.'), described('b', 'Plays chess.'));
      fill(catalog);
    }
    const cursor = one.search('chess', { limit: 1 })!.pagination.cursor!;
    expect(one.search('chess', { limit: 1, cursor })).toMatchObject({ ranking: 'hybrid' });
    expect(other.search('chess', { limit: 1, cursor })).toBeUndefined();
    for (const catalog of [one, other]) catalog[Symbol.dispose]();
  });

  test('is not waited for if it lacks many listings', () => {
    using catalog = opened(quickStore, described('first', 'Plays chess.'));
    catalog.put(...Array.from({ length: 501 }, (_, at) => described(`n${at}`, 'Plays chess.')));
    expect(catalog.search('chess')).toMatchObject({ ranking: 'lexical' });
    catalog.store.hybrid!.step();
    expect(catalog.search('chess')).toMatchObject({ ranking: 'hybrid' });
    expect(walk(catalog, 'chess')).toHaveLength(502);
  });

  test('counts so many words of a question, and says that it left others out', () => {
    using catalog = opened(
      quickStore,
      described('last', 'Speaks of zebras.'),
      described('a', 'Says a word.'),
    );
    const words = Array.from({ length: 24 }, (_, at) => `word${at}`).join(' ');
    expect(catalog.search(`${words} zebras`)).toMatchObject({ partialResults: true });
    expect(catalog.search(words)).toMatchObject({ partialResults: false });
  });
});
