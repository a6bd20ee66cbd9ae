import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvHeader, csvLine } from '../../src/journal/records/csv.ts';
import type { SettlementRecord } from '../../src/journal/records/record.ts';
import { SHOWN_NAMES, shownRecord } from '../../src/journal/records/shown.ts';

const RECORD: SettlementRecord = {
  hash: 'a'.repeat(64),
  status: 'settled',
  payer: 'GPAYER',
  payTo: 'GSHOP',
  amount: '10000',
  asset: 'CASSET',
  resource: 'https://shop.example/weather',
  caller: 'anonymous',
  requestId: 'request-1',
  code: undefined,
  message: undefined,
  result: 'txSuccess',
  submitter: 'GSUBMITTER',
  bidStroops: 23_200,
  feeStroops: 22_000,
  ledger: 71,
  askedAt: new Date('2026-11-23T08:00:00.100Z'),
  verifiedAt: new Date('2026-11-23T08:00:00.200Z'),
  sentAt: new Date('2026-11-23T08:00:00.300Z'),
  closedAt: new Date('2026-11-23T08:00:05Z'),
  endedAt: new Date('2026-11-23T08:00:05.250Z'),
  listing: 'listed',
  listedAt: new Date('2026-11-23T08:00:05.500Z'),
  paymentIdentifier: 'pay_7d5d747be160e280',
};

test('JSON has each fact of a record once, times as ISO texts', () => {
  const shown = shownRecord(RECORD);
  expect(Object.keys(RECORD).sort()).toEqual([...SHOWN_NAMES].sort());
  expect(shown).toMatchObject({ bidStroops: 23_200, closedAt: '2026-11-23T08:00:05.000Z' });
  expect(JSON.parse(JSON.stringify(shown))).toEqual(JSON.parse(JSON.stringify(RECORD)));
});

test('JSON leaves out what a record lacks', () => {
  expect(Object.keys(shownRecord(RECORD))).not.toContain('code');
});

test('CSV has a header, and a line for each record', () => {
  expect(csvHeader).toMatch(/^hash,status,payer,payTo,amount,.*,listing,listedAt,paymentIdentifier\r\n$/);
  expect(csvLine(RECORD)).toBe(
    `${'a'.repeat(64)},settled,GPAYER,GSHOP,10000,CASSET,https://shop.example/weather,anonymous,request-1,,,txSuccess,` +
      'GSUBMITTER,23200,22000,71,2026-11-23T08:00:00.100Z,2026-11-23T08:00:00.200Z,2026-11-23T08:00:00.300Z,' +
      '2026-11-23T08:00:05.000Z,2026-11-23T08:00:05.250Z,listed,2026-11-23T08:00:05.500Z,pay_7d5d747be160e280\r\n',
  );
});

test.each([
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM', "'@SUM"],
  ['＝1', "'＝1"],
  [' \t=1', " \t'=1"],
  ['\u00a0@SUM', "\u00a0'@SUM"],
  ['x;=1;y', "x;'=1;y"],
  ['x; =1', "x; '=1"],
  ['x\t+1', "x\t'+1"],
  ['x;"=1;y', `"x;""'=1;y"`],
  ['x\n-1', `"x\n'-1"`],
  ['https://shop.example/a=1;b-2,-3', '"https://shop.example/a=1;b-2,-3"'],
])('CSV quotes what needs it, and disarms formulas: %j', (resource, cell) => {
  expect(csvLine({ ...RECORD, resource })).toContain(`,${cell},anonymous,`);
});

test('no text makes a cell that begins like a formula, whatever separates the cells', () => {
  const piece = fc.constantFrom(
    '=',
    '+',
    '-',
    '@',
    ';',
    ',',
    '\t',
    '\r',
    '\n',
    '"',
    ' ',
    "'",
    '\0',
    'x',
    '1',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const line = csvLine({ ...RECORD, resource: pieces.join('') });
      // Cells as they are where the comma does not separate: quotes inside of a cell mean nothing then.
      const cells = line.split(/[;\t\r\n]/).map((cell) => cell.replace(/^[\s\0"]+/, ''));
      // Cells as they are where it does.
      cells.push(
        ...[...line.matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|[^",]*)(?=,|\r\n)/g)].map(([all, quoted]) =>
          (quoted ?? all).trimStart(),
        ),
      );
      for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@]/);
    }),
    { seed: 20261204, numRuns: 2_000 },
  );
});
