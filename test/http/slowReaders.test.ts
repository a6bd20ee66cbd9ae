import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { openDatabase } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../src/catalog/sqlite/store.ts';
import type { DiscoveryListResponse } from '../../src/contract/index.ts';
import { settlementOf } from '../catalog/drafts.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { ask, startService, type LogLine, type TestService } from './support.ts';

// Large pages of the whole catalog, with its threads, over HTTP.

/** The service's own limits are too long for tests. */
const GRACE_MS = 1_000;
const httpLimits = { sendGraceMs: GRACE_MS, minBytesPerSecond: 64 * 1024 };

const READERS = 43;
const READER_BYTES_PER_SECOND = 500;
const QUESTIONS = 50;
const LISTINGS = 100;
const LISTING_BYTES = 60_000;
const LARGE_PAGE = '/discovery/resources?limit=100';

/** A service over a catalog whose page of 100 listings has 6 MB. */
async function start(): Promise<TestService> {
  const path = join(temporaryFolder(), 'catalog.db');
  const store = createSqliteStore(openDatabase(path));
  const padding = 'x'.repeat(LISTING_BYTES);
  const large = Array.from({ length: LISTINGS }, (_, nth) => {
    const { declaration, ...settlement } = settlementOf({ name: `n${nth}`, description: 'large' });
    return { ...settlement, declaration: { ...declaration, bazaar: { ...declaration.bazaar, padding } } };
  });
  store.put([...large, settlementOf({ name: 'small', description: 'ordinary' })]);
  store.close();
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  return startService({}, await openCatalog({ dbPath: path, log: silent }), httpLimits);
}

interface Reader {
  /** Reads the rest as fast as it comes; returns how many bytes it was sent in all. */
  finish(): Promise<number>;
}

async function openSlowReader(port: number): Promise<Reader> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`GET ${LARGE_PAGE} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  // It may be over before the rest is asked for.
  const closed = once(socket, 'close');
  let received = 0;
  const read = (): void => {
    const bytes = socket.read(READER_BYTES_PER_SECOND / 10) as Buffer | null;
    received += bytes?.length ?? 0;
  };
  const reading = setInterval(read, 100);
  return {
    async finish() {
      clearInterval(reading);
      socket.on('data', (bytes: Buffer) => (received += bytes.length));
      socket.resume();
      await closed;
      return received;
    },
  };
}

test('readers of large pages that are slow cost others no answer, and are cut off', async () => {
  const service = await start();
  const readers = await Promise.all(Array.from({ length: READERS }, () => openSlowReader(service.port)));
  const statuses: number[] = [];
  for (let nth = 0; nth < QUESTIONS; nth += 1)
    statuses.push((await ask(`${service.url}/discovery/search?query=ordinary`)).status);
  expect(statuses).toEqual(statuses.map(() => 200));
  const isBegun = ({ path, status }: LogLine): boolean => path === '/discovery/resources' && status === 200;
  expect(service.log.filter(isBegun).length).toBeGreaterThan(0);
  expect(await service.logged('cut off: clients do not read their answers')).toMatchObject({
    caller: '127.0.0.1',
    why: 'too slow',
  });
  await sleep(2 * GRACE_MS);
  const received = await Promise.all(readers.map((reader) => reader.finish()));
  for (const bytes of received) expect(bytes).toBeLessThan(LISTINGS * LISTING_BYTES);
});

test('a large page comes whole to all who read it, many at a time', async () => {
  const service = await start();
  const pages = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const { status, body } = await ask(service.url + LARGE_PAGE);
      expect(status).toBe(200);
      return (body as DiscoveryListResponse).items.map(({ resource }) => resource);
    }),
  );
  for (const page of pages) expect(new Set(page).size).toBe(LISTINGS);
});
