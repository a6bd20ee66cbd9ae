import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IN_MEMORY } from '../../../src/store/sqliteFile.ts';
import { openDatabase } from '../../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../../src/catalog/sqlite/store.ts';
import { sample } from '../../support/sample.ts';
import { settlementOf, TERMS, type Draft } from '../drafts.ts';
import { indexContent } from './indexContent.ts';

const SEED = 20261125;

/** The index after settlements, in transactions of so many. */
function indexAfter(drafts: readonly Draft[], perTransaction = 1) {
  const db = openDatabase(IN_MEMORY);
  const store = createSqliteStore(db);
  try {
    for (let at = 0; at < drafts.length; at += perTransaction) {
      store.put(drafts.slice(at, at + perTransaction).map(settlementOf));
    }
    return indexContent(db);
  } finally {
    store.close();
  }
}

/** The fewest settlements that lead to the same listings: each says from the start what its listing says in the end. */
function inOneGo(drafts: readonly Draft[]): Draft[] {
  const byName = Map.groupBy(drafts, ({ name }) => name);
  return [...byName.values()].flatMap((ofOne) => {
    const owner = ofOne[0]!.terms?.payTo;
    const counted = ofOne.filter(({ terms }) => terms?.payTo === owner);
    const { parameters = {} } = counted.at(-1)!;
    const final = Object.assign({}, ...counted) as Draft;
    return counted.map(({ terms = {} }) => ({ ...final, parameters, terms }));
  });
}

function expectAsAfresh(drafts: readonly Draft[]): void {
  const afresh = indexAfter(inOneGo(drafts));
  expect(indexAfter(drafts)).toEqual(afresh);
  expect(indexAfter(drafts, 3)).toEqual(afresh);
}

describe('refreshing leaves the index as if built afresh', () => {
  const rain: Draft = { name: 'a', serviceName: 'Rain', tags: ['wet'], description: 'rain falls' };

  test.each<[string, Draft[]]>([
    ['nothing changes', [rain, rain]],
    ['a word is new', [rain, { ...rain, description: 'rain falls down' }]],
    ['a word is gone', [rain, { ...rain, description: 'rain' }]],
    ['all words change', [rain, { ...rain, serviceName: 'Sun', tags: ['dry'], description: 'sun shines' }]],
    ['a word stands there more often', [rain, { ...rain, description: 'rain falls rain' }]],
    ['a word moves to another field', [rain, { ...rain, tags: ['falls'], description: 'rain wet' }]],
    ['the words are those of another order', [rain, { ...rain, description: 'falls rain' }]],
    ['words go and come back', [rain, { ...rain, description: 'sun' }, rain]],
    ['nothing is declared', [rain, { name: 'a' }]],
    [
      'another listing has the same words',
      [
        rain,
        { ...rain, name: 'b' },
        { ...rain, description: 'sun' },
        { ...rain, name: 'b', tags: ['falls'] },
      ],
    ],
    ['terms are added', [rain, { ...rain, terms: { network: 'stellar:pubnet', scheme: 'upto' } }]],
    ['another payee settles', [rain, { name: 'a', description: 'mine', terms: { payTo: 'GB' } }]],
  ])('where %s', (_, drafts) => {
    expectAsAfresh(drafts);
  });

  test('where the weighted occurrences stay and the number of words changes', () => {
    // Twice as a parameter counts as much as once in the description.
    expectAsAfresh([
      { name: 'a', description: 'rain' },
      { name: 'a', description: '!', parameters: { rain: 'rain' } },
    ]);
  });

  const text = fc
    .array(fc.constantFrom('sun', 'rain', 'wind', 'fog', 'hail', '!'), { maxLength: 4 })
    .map((words) => words.join(' '));
  const drafts = fc.array(
    fc
      .record(
        {
          name: fc.constantFrom('a', 'b', 'c', 'd'),
          serviceName: text,
          tags: fc.array(text, { maxLength: 2 }),
          description: text,
          parameters: fc.dictionary(fc.constantFrom('sun', 'rain', 'snow'), text, { maxKeys: 2 }),
          network: fc.constantFrom('n1', 'n2'),
          payTo: fc.constantFrom(TERMS.payTo, TERMS.payTo, TERMS.payTo, 'GB'),
        },
        { requiredKeys: ['name', 'network', 'payTo'] },
      )
      .map(({ network, payTo, ...draft }): Draft => ({ ...draft, terms: { network, payTo } })),
    { minLength: 1, maxLength: 12 },
  );

  test(`whatever is settled in whatever order (seed ${SEED})`, () => {
    fc.assert(fc.property(drafts, expectAsAfresh), { seed: SEED, numRuns: sample(30, 150) });
  });
});
