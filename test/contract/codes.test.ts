import { describe, expect, test } from 'vitest';
import { readCodes, type Codes } from '../../codegen/codes/families.ts';
import { findingsIn, renderPage } from '../../codegen/codes/page.ts';
import { stale, untested } from '../../codegen/codes/problems.ts';
import { findingsOf, rowOf, type Finding, type PassedTest } from '../../codegen/codes/sightings.ts';

const codes: Codes = {
  paths: ['/verify', '/settle'],
  families: [
    {
      name: 'ReasonCode',
      text: 'Two codes.',
      heading: 'Condition',
      rows: [
        { code: 'one', condition: 'it is `1`' },
        { code: 'two', condition: 'it is 2' },
      ],
    },
  ],
};
const [ONE, TWO] = ['ReasonCode one', 'ReasonCode two'];
const [at, status] = ['`/verify`', 200];

/** A test that saw these codes. */
function saw(seen: string[], { file = 'test/scheme/a.test.ts', place = at } = {}): PassedTest {
  return { file, sightings: seen.map((code) => ({ row: rowOf('ReasonCode', code), place, status })) };
}

const choice = (passed: PassedTest[], now = new Map<string, Finding>()) =>
  findingsOf(codes, passed, now).get(ONE);

test('the families of the contract are those of the specification and what this service adds', async () => {
  const { families, paths } = await readCodes();
  expect(families.map(({ name, rows }) => [name, rows.length])).toEqual([
    ['ReasonCode', 30 + 7 + 6 + 21],
    ['CatalogCode', 7 + 2],
    ['ErrorDetail.code', 6 + 8],
  ]);
  for (const { code, condition } of families.flatMap(({ rows }) => rows))
    expect(condition, code).toMatch(/\w/);
  expect(paths).toContain('/verify');
});

describe('the file that is named for a code', () => {
  test('stays the same while it reaches the code', () => {
    const named = 'test/scheme/named.test.ts';
    const passed = [saw(['one']), saw(['one', 'two'], { file: named })];
    const nowIn = (file: string) => choice(passed, new Map([[ONE, { file, where: '' }]]))?.file;
    expect(nowIn(named)).toBe(named);
    expect(nowIn('test/scheme/gone.test.ts')).toBe('test/scheme/a.test.ts');
  });

  test('has a table of codes before it sees no other, or comes first', () => {
    const inOrder = [
      saw(['one', 'two'], { file: 'test/z/codes.test.ts' }),
      saw(['one'], { file: 'test/x/x.test.ts' }),
      saw(['one', 'two'], { file: 'test/v/v.test.ts' }),
      saw(['one', 'two'], { file: 'test/w/w.test.ts' }),
    ];
    for (const [index, { file }] of inOrder.entries()) {
      expect(choice(inOrder.slice(index).reverse())).toMatchObject({ file });
    }
  });

  test('is none where the scheme was played or the answer made up', () => {
    expect(choice([saw(['one'], { file: 'test/http/a.test.ts' })])).toBeUndefined();
    expect(choice([saw(['one'], { file: 'test/contract/a.test.ts' })])).toBeUndefined();
  });
});

test('all places of a code are told, in the order of the contract, those with the same statuses together', () => {
  const passed = ['elsewhere', '`/settle`', '`/verify`'].map((place) => saw(['one'], { place }));
  expect(choice(passed)?.where).toBe('`/verify`, `/settle`, elsewhere: 200');
  passed.push({ ...passed[0]!, sightings: [{ row: ONE, place: '`/settle`', status: 413 }] });
  expect(choice(passed)?.where).toBe('`/verify`, elsewhere: 200; `/settle`: 200, 413');
});

test('a page reads back as it was written', async () => {
  const findings = findingsOf(codes, [saw(['one']), saw(['two'])], new Map());
  const page = await renderPage(codes.families, findings);
  expect(findingsIn(page)).toEqual(findings);
  expect(page).toContain('it is `1`');
});

describe('it is told', () => {
  const both = findingsOf(codes, [saw(['one', 'two'])], new Map());
  const toldOf = (said: Map<string, Finding>) => stale(said, both).slice(1);
  const row = both.get(ONE)!;

  test('which code no test reaches', () => {
    expect(untested(codes, both)).toEqual([]);
    expect(untested(codes, findingsOf(codes, [saw(['one'])], new Map()))).toEqual([
      `${TWO}: no test reaches this code of openapi.yaml; write one`,
    ]);
  });

  test('which code the contract does not have', () => {
    const findings = findingsOf(codes, [saw(['one', 'two', 'three'])], new Map());
    expect(untested(codes, findings)).toEqual([
      'ReasonCode three: is not in openapi.yaml, but test/scheme/a.test.ts saw it',
    ]);
  });

  test('which row does not hold any more', () => {
    expect(toldOf(both)).toEqual([]);
    expect(toldOf(new Map([[TWO, both.get(TWO)!]]))).toEqual([`${ONE}: has no row`]);
    expect(toldOf(new Map([...both, [ONE, { ...row, where: '`/settle`: 200' }]]))).toEqual([
      `${ONE}: was seen at \`/verify\`: 200, but its row says \`/settle\`: 200`,
    ]);
    expect(toldOf(new Map([...both, [ONE, { ...row, file: 'test/b.test.ts' }]]))).toEqual([
      `${ONE}: is no longer reached by the tests of its row, test/b.test.ts`,
    ]);
  });
});
