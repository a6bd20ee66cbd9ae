import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { journalPathOf } from '../../src/config/databasePath.ts';
import { urlOf } from './drafts.ts';
import { LARGE, useServiceProcess } from './serviceProcess.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const { start, pay, urlsListed, stop } = useServiceProcess();

// heldListings.test.ts and pendingListings.test.ts in test/journal show each half of it, in process.
test('what settled while the disk was full is listed when there is room again', async () => {
  const path = join(temporaryFolder(), 'catalog.db');
  const journal = journalPathOf(path);
  const service = await start(path, { blocks: '800' });
  const paid: string[] = [];
  for (let faults = 0; faults < 5;) {
    paid.push(urlOf(`key${paid.length}`));
    const { listed } = await pay(service.url, `key${paid.length - 1}`, LARGE);
    if (listed === undefined) faults += 1;
  }
  expect((await urlsListed(service.url)).length).toBeLessThan(paid.length);
  // Neither file could be written.
  expect(settledIn(journal)).toBeLessThan(paid.length);
  await expect
    .poll(
      async () => {
        for (const file of [path, journal]) makeRoom(file);
        return (await urlsListed(service.url)).sort();
      },
      { timeout: 50_000, interval: 500 },
    )
    .toEqual([...paid].sort());
  const lines = await stop(service);
  expect(lines.filter(({ msg }) => String(msg).startsWith('listings are lost'))).toEqual([]);
}, 90_000);

/** Returns the number of payments that the journal's file records as settled. */
function settledIn(path: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  const row = db.prepare("SELECT count(*) AS n FROM entry WHERE status = 'success'").get();
  db.close();
  return row?.['n'];
}

/** Copies the write-ahead log into the file, as the service itself may not. */
function makeRoom(path: string): void {
  const db = new DatabaseSync(path, { timeout: 5_000 });
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}
