import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fillJournal, names } from '../../bench/operator/filledJournal.ts';
import { combinations } from '../../bench/operator/questions.ts';
import type { RecordFilters } from '../../src/journal/index.ts';
import { openFileRecords } from '../../src/journal/records/open.ts';

/** Of a page, the service looks at no more than 2,000. */
const SETTLEMENTS = 1_900;

test('a filled journal has all kinds of settlements, of which a question finds many, few or none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'filled-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'journal.db');
  using _quiet = vi.spyOn(console, 'error').mockImplementation(() => {});
  const filled = fillJournal(path, SETTLEMENTS);
  const { records, close } = openFileRecords(path);
  onTestFinished(() => close());

  const all = await records.page({}, SETTLEMENTS + 1);
  expect(all!.records).toHaveLength(SETTLEMENTS);
  expect(new Set(all!.records.map(({ status }) => status)).size).toBe(6);
  expect(all!.records[0]).toMatchObject({ hash: names.hash(SETTLEMENTS - 1), status: 'pending' });
  const counts: number[] = [];
  for (const { since, until, ...filters } of combinations(filled)) {
    const times = { since: since && new Date(since), until: until && new Date(until) };
    const page = await records.page({ ...filters, ...times } as RecordFilters, SETTLEMENTS);
    counts.push(page!.records.length);
  }
  for (const isSo of [
    (n: number) => n > SETTLEMENTS / 10,
    (n: number) => n > 0 && n < SETTLEMENTS / 100,
    (n: number) => n === 0,
  ])
    expect(counts.filter(isSo).length).toBeGreaterThan(10);
});
