import { describe, expect, test } from 'vitest';
import { trustIn } from '../../src/catalog/payers.ts';
import { FIRST_SETTLED_AT, type Draft } from './drafts.ts';
import { described, opened } from './hybridCatalog.ts';
import { walk, type TestCatalog } from './openCatalog.ts';
import { accountOf, muxed } from './sellers.ts';
import { localStores, stores } from './stores.ts';

const DAY_MS = 24 * 3_600_000;
const TEXT = 'The weather forecast for a city, for each of the next ten days.';
const QUERY = 'weather forecast for a city';

const SPAMMER = accountOf('spammer');

/** Listings with the same text, each of a seller of its own: the older ones come first. */
const [first, second, third, spam] = ['GAONE', 'GATWO', 'GATHREE', muxed(SPAMMER, 1n)].map((payTo, at) =>
  described(`n${at + 1}`, TEXT, { terms: { payTo } }),
) as [Draft, Draft, Draft, Draft];
const start = [first, second, third, spam];

const day = (days: number): Date => new Date(FIRST_SETTLED_AT.getTime() + days * DAY_MS);
const payers = (number: number, name = 'GABUYER'): string[] =>
  Array.from({ length: number }, (_, at) => name + at);

/** Payments for a listing on a day, one of each payer. */
const paid = (draft: Draft, by: readonly string[], days = 0, more: Partial<Draft> = {}): Draft[] =>
  by.map((payer) => ({ ...draft, payer, settledAt: day(days), ...more }));

/** So many payments for a listing, one a day. */
const thousand = (draft: Draft, payerOn: (day: number) => string): Draft[] =>
  Array.from({ length: 1_000 }, (_, days) => paid(draft, [payerOn(days)], days)).flat();

const namesFound = (catalog: TestCatalog): string[] => catalog.found(QUERY);

describe.each(stores)('among listings that are about as good, in $name,', (kind) => {
  test.each<[string, Draft[]]>([
    ['that more payers have paid', [...paid(first, payers(2)), ...paid(second, payers(5))]],
    ['that somebody has paid, where nobody is known', paid(second, payers(2))],
    [
      'whose payers came back',
      [
        ...paid(first, payers(3)),
        ...paid(second, payers(3)),
        ...paid(first, ['GAZ'], 2),
        ...paid(second, ['GABUYER1', 'GAZ'], 2),
      ],
    ],
    [
      'that has been paid for longer',
      [
        ...paid(first, payers(3), 50),
        ...paid(second, payers(3), 0),
        ...paid(second, ['GABUYER0'], 50),
        ...paid(first, ['GABUYER0'], 52),
      ],
    ],
  ])('one %s comes before the one before it', (_, payments) => {
    using catalog = opened(kind, ...start, ...payments);
    expect(namesFound(catalog)).toEqual(['n2', 'n1', 'n3', 'n4']);
  });

  test('one whose payers only paid again at once stays where it is', () => {
    const again = Array.from({ length: 50 }, () => paid(second, payers(3))).flat();
    using catalog = opened(kind, ...start, ...paid(first, payers(3)), ...again);
    expect(namesFound(catalog)).toEqual(['n1', 'n2', 'n3', 'n4']);
  });

  test('one comes before a slightly better one, not before one that is much better', () => {
    const slightly = described('better', 'The weather forecast for a city, for each of the next five days.');
    const much = described('worse', 'The weather forecast for a town.', { terms: { payTo: 'GAWORSE' } });
    using catalog = opened(kind, slightly, first, ...paid(first, payers(20)));
    expect(namesFound(catalog)).toEqual(['n1', 'better']);
    using other = opened(kind, first, much, ...paid(much, payers(20)), ...paid(much, payers(20), 200));
    expect(namesFound(other)).toEqual(['n1', 'worse']);
  });

  test('one moves by one place at most, also behind others', () => {
    const trusted = [second, third, spam].flatMap((draft) => paid(draft, payers(16)));
    using catalog = opened(kind, ...start, ...trusted);
    expect(namesFound(catalog)).toEqual(['n2', 'n1', 'n3', 'n4']);
  });

  test('payments of before do not count for the recipient that a listing moves to', () => {
    const verified = { by: 'well-known', at: day(1).toISOString(), until: day(30).toISOString() } as const;
    using catalog = opened(kind, ...start, ...paid(second, payers(9)));
    catalog.put({ ...second, terms: { payTo: 'GANEW' }, claim: { verified, named: ['GANEW'] } });
    expect(namesFound(catalog)).toEqual(['n1', 'n2', 'n3', 'n4']);
  });

  test('a walk along cursors keeps the order that it began with, and visits each once', () => {
    using catalog = opened(kind, ...start, ...paid(second, payers(5)));
    const visited = walk(catalog, QUERY, { limits: [1] }, () => {
      catalog.put(...paid(spam, payers(9)), ...paid(first, payers(9)));
    });
    expect(visited).toEqual(['n2', 'n1', 'n3', 'n4']);
  });

  test('what is served does not show who has paid', () => {
    using catalog = opened(kind, ...start, ...paid(first, payers(3)));
    const served = JSON.stringify([catalog.list(), catalog.search(QUERY)]);
    using unpaid = opened(kind, ...start);
    expect(served).toBe(JSON.stringify([unpaid.list(), unpaid.search(QUERY)]));
  });
});

describe.each(localStores)('a spammer with 1,000 payments, in $name,', (kind) => {
  const sellers = payers(1_000, 'GASELLER').map((payTo) =>
    described(payTo, 'Plays chess.', { terms: { payTo } }),
  );

  test.each<[string, Draft[]]>([
    ['from itself', [...paid(spam, ['GAOTHER']), ...thousand(spam, () => SPAMMER)]],
    ['from one account', thousand(spam, () => 'GAOTHER')],
    ['from sellers here', [...sellers, ...thousand(spam, (at) => `GASELLER${at}`)]],
    [
      'from accounts behind muxed sellers here',
      [
        ...Array.from({ length: 9 }, (_, at) =>
          described(`muxed${at}`, 'Plays chess.', { terms: { payTo: muxed(accountOf(`s${at}`), 7n) } }),
        ),
        ...thousand(spam, (at) => accountOf(`s${at % 9}`)),
      ],
    ],
    [
      'in a token of its own',
      thousand(spam, (at) => `GAOTHER${at}`).map((one) => ({ ...one, isStellarAsset: false })),
    ],
  ])('gains no place by payments %s', (_, payments) => {
    using catalog = opened(kind, ...start, ...payments);
    expect(namesFound(catalog)).toEqual(['n1', 'n2', 'n3', 'n4']);
  });

  test.each<[string, (day: number) => string]>([
    ['from so many accounts', (at) => `GAOTHER${at}`],
    ['from a few accounts that come back for years', (at) => `GAOTHER${at % 20}`],
  ])('gains one place by payments %s', (_, payerOn) => {
    using catalog = opened(kind, ...start, ...thousand(spam, payerOn));
    expect(namesFound(catalog)).toEqual(['n1', 'n2', 'n4', 'n3']);
  });
});

test.each(['', '{', 'null', '[null,null]', '[[1,2,3],[1,2,3]]', '[["a"],["b"]]'])(
  'payers that are stored as %j say nothing for a listing',
  (damaged) => {
    expect(trustIn(damaged, FIRST_SETTLED_AT.getTime())).toBe(0);
  },
);
