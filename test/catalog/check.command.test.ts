import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Catalog, SettledPayment } from '../../src/catalog/index.ts';
import { CHECK_LIMITS } from '../../src/doctor/limits.ts';
import type { DiscoveryListResponse, PaymentRequirements } from '../../src/contract/index.ts';
import { STORES, storeInFile, type StoreOfKeys } from '../callers/stores.ts';
import { playSeller, requiredHeader, type PlayedAnswer } from '../doctor/seller.ts';
import { runInside } from '../support/cli.ts';
import { freePort } from '../support/freePort.ts';
import { markAll } from './markAll.ts';
import { openOn } from './openOn.ts';
import { readPage } from './pages.ts';
import { accountOf, BY_ADA } from './sellers.ts';
import { bazaar, termsFor } from './settledPayments.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const ALICE = accountOf('alice');
const TERMS = termsFor(ALICE, 5);
/** Nobody listens there. */
const DEAD = `http://127.0.0.1:${await freePort()}/weather`;

const offer = (...accepts: Partial<PaymentRequirements>[]): PlayedAnswer => ({
  headers: requiredHeader({ x402Version: 2, accepts }),
});

const paymentFor = (url: string, changes: Partial<SettledPayment> = {}): SettledPayment => ({
  extensions: { bazaar },
  resource: { url, description: 'The weather' },
  requirements: TERMS,
  isStellarAsset: true,
  ...changes,
});

const declared = (input: object): SettledPayment['extensions'] => ({
  bazaar: { ...bazaar, info: { input: { type: 'http', ...input } } },
});

const listed = async ({ list }: Catalog): Promise<DiscoveryListResponse['items']> =>
  (await readPage(await list({ filters: {} }))).items;

const marks = async (catalog: Catalog) => (await listed(catalog)).map(({ stale }) => stale?.reason);

/** A seller that answers what `answer` is at the time, and notes the methods of the requests. */
async function openSeller(first: PlayedAnswer = offer(TERMS)) {
  const seller = { answer: first, methods: [] as string[], url: '' };
  seller.url = await playSeller((_url, method) => {
    seller.methods.push(method);
    return seller.answer;
  });
  return seller;
}

const check = async (store: StoreOfKeys, ...args: string[]) => {
  const { code, stdout, stderr } = await runInside(
    ['catalog', 'check', '--json', ...args],
    store.environment,
  );
  return { code, stderr, ...(JSON.parse(stdout) as Record<string, number | null>) };
};

describe.each(STORES)('a check of the catalog in %s, while the service runs,', (_store, openStore) => {
  async function opened() {
    const store = await openStore();
    return { store, catalog: await openOn(store) };
  }

  test('leaves what is offered as it is listed, also among other terms', async () => {
    const { store, catalog } = await opened();
    const seller = await openSeller(offer(termsFor(ALICE, 7), TERMS));
    await catalog.submit(paymentFor(seller.url));
    const before = await listed(catalog);
    expect(await check(store, '--local')).toMatchObject({ code: 0, listings: 1, offered: 1, stale: 0 });
    expect(await listed(catalog)).toEqual(before);
    expect(seller.methods).toEqual(['GET']);
  });

  test('marks what does not answer, asks for nothing or asks for other terms, where it stands', async () => {
    const { store, catalog } = await opened();
    const free = await openSeller({ status: 200 });
    const dearer = await openSeller(offer(termsFor(ALICE, 6)));
    const fine = await openSeller();
    const urls = [DEAD, free.url, dearer.url, fine.url];
    for (const url of urls) await catalog.submit(paymentFor(url));
    const { code, stderr, ...totals } = await check(store, '--local');
    expect({ code, ...totals }).toEqual({
      ...{ code: 1, listings: 4, offered: 1, stale: 3, notTold: 0, notAsked: 0 },
      ...{ marked: 3, unmarked: 0, next: null },
    });
    expect(stderr).toContain(`listing 3 is marked other_terms: ${dearer.url}`);
    await expect.poll(() => marks(catalog)).toEqual(['no_answer', 'no_402', 'other_terms', undefined]);
    const items = await listed(catalog);
    expect(items.map(({ resource }) => resource)).toEqual(urls);
    const found = await readPage(await catalog.search({ query: 'weather', filters: {} }));
    expect(found).toHaveProperty('resources.length', 4);
    expect(JSON.stringify(found)).toContain('"stale":{"reason":"no_answer"');
  });

  test('keeps since when a listing is stale, and takes the mark away once it is offered again', async () => {
    const { store, catalog } = await opened();
    const seller = await openSeller({ status: 200 });
    await catalog.submit(paymentFor(seller.url));
    await check(store, '--local');
    await expect.poll(() => marks(catalog)).toEqual(['no_402']);
    const [{ stale: first } = {}] = await listed(catalog);
    seller.answer = offer(termsFor(ALICE, 6));
    expect(await check(store, '--local')).toMatchObject({ code: 1, stale: 1, marked: 0 });
    await expect.poll(() => marks(catalog)).toEqual(['other_terms']);
    expect((await listed(catalog))[0]!.stale!.since).toBe(first!.since);
    seller.answer = offer(TERMS);
    expect(await check(store, '--local')).toMatchObject({ code: 0, offered: 1, unmarked: 1 });
    await expect.poll(() => marks(catalog)).toEqual([undefined]);
  });

  test('takes back that nobody answers, once anybody does', async () => {
    const { store, catalog } = await opened();
    const seller = await openSeller({ status: 404 });
    await catalog.submit(paymentFor(seller.url, { extensions: declared({ method: 'POST' }) }));
    await expect.poll(() => marks(catalog)).toEqual([undefined]);
    await markAll(store, { reason: 'no_answer', since: '2026-02-03T04:05:06.000Z' });
    await expect.poll(() => marks(catalog)).toEqual(['no_answer']);
    expect(await check(store, '--local')).toMatchObject({ code: 3, notTold: 1, unmarked: 1 });
    await expect.poll(() => marks(catalog)).toEqual([undefined]);
  });

  test('is overtaken by a payment, which takes the mark away', async () => {
    const { store, catalog } = await opened();
    await catalog.submit(paymentFor(DEAD));
    await check(store, '--local');
    await expect.poll(() => marks(catalog)).toEqual(['no_answer']);
    await catalog.submit(paymentFor(DEAD));
    await expect.poll(() => marks(catalog)).toEqual([undefined]);
  });

  test('writes nothing about a listing that is paid for while it asks', async () => {
    const { store, catalog } = await opened();
    const url = await playSeller(async () => {
      await catalog.submit(paymentFor(url, { requirements: termsFor(ALICE, 8) }));
      return { status: 200 };
    });
    await catalog.submit(paymentFor(url));
    expect(await check(store, '--local')).toMatchObject({ code: 3, notTold: 1, stale: 0 });
    expect(await marks(catalog)).toEqual([undefined]);
  });

  test('asks no private address unless it is told to, nor what is hidden or no http listing', async () => {
    const { store, catalog } = await opened();
    const seller = await openSeller({ status: 200 });
    const hidden = await openSeller({ status: 200 });
    await catalog.submit(paymentFor(hidden.url));
    await catalog.keeper.hide(1, BY_ADA);
    await catalog.submit(paymentFor(seller.url));
    await catalog.submit(paymentFor(seller.url.replace('127.0.0.1', 'localhost')));
    const input = { type: 'mcp', toolName: 'weather', inputSchema: { type: 'object' } };
    await catalog.submit(paymentFor(seller.url, { extensions: { bazaar: { ...bazaar, info: { input } } } }));
    expect(await check(store)).toMatchObject({ code: 0, listings: 3, notAsked: 3 });
    expect(await check(store, '--local', '--after', '3')).toMatchObject({ listings: 1, notAsked: 1 });
    const { stderr } = await runInside(['catalog', 'check'], store.environment);
    expect(stderr).toMatch(/^Not asked were MCP servers, and addresses that are not public; --local asks /);
    expect([...seller.methods, ...hidden.methods]).toEqual([]);
    expect(await marks(catalog)).toEqual([undefined, undefined, undefined]);
  });

  test('is not carried by an export', async () => {
    const { store, catalog } = await opened();
    await catalog.submit(paymentFor(DEAD));
    await check(store, '--local');
    await expect.poll(() => marks(catalog)).toEqual(['no_answer']);
    const { stdout } = await runInside(['catalog', 'export'], store.environment);
    const [{ stale: _, ...item } = {}] = await listed(catalog);
    expect((JSON.parse(stdout) as DiscoveryListResponse).items).toEqual([item]);
  });

  test('is kept by an import that says the same, and ended by one that says something else', async () => {
    const { store, catalog } = await opened();
    const item = {
      ...{ resource: 'https://api.example.com/weather', type: 'http', x402Version: 2, accepts: [TERMS] },
      ...{ lastUpdated: '2026-01-02T03:04:05.000Z', extensions: { bazaar } },
    };
    const imported = async (changes: object = {}): Promise<unknown> => {
      const file = join(temporaryFolder(), 'import.json');
      writeFileSync(file, JSON.stringify({ items: [{ ...item, ...changes }] }));
      const args = ['catalog', 'import', file, '--source', 'https://other.example.com', '--json'];
      return JSON.parse((await runInside(args, store.environment)).stdout);
    };
    await imported();
    await expect.poll(() => marks(catalog)).toEqual([undefined]);
    await markAll(store, { reason: 'no_answer', since: '2026-02-03T04:05:06.000Z' });
    await expect.poll(() => marks(catalog)).toEqual(['no_answer']);
    expect(await imported()).toMatchObject({ changed: 0, removed: 0 });
    expect(await marks(catalog)).toEqual(['no_answer']);
    expect(await imported({ accepts: [termsFor(ALICE, 6)] })).toMatchObject({ changed: 1, removed: 0 });
    await expect.poll(() => marks(catalog)).toEqual([undefined]);
  });

  test('goes on after a listing where an earlier one ended', async () => {
    const { store, catalog } = await opened();
    for (const path of ['a', 'b', 'c']) await catalog.submit(paymentFor(`${DEAD}/${path}`));
    const first = await check(store, '--local', '--limit', '2');
    expect(first).toMatchObject({ listings: 2, stale: 2, next: 2 });
    expect(first.stderr).toContain('More follow: --after 2\n');
    expect(await check(store, '--local', '--limit', '2', '--after', '2')).toMatchObject({
      listings: 1,
      next: null,
    });
    await expect.poll(() => marks(catalog)).toEqual(['no_answer', 'no_answer', 'no_answer']);
  });
});

describe('of a listing in a file, a check', () => {
  async function found(answer: PlayedAnswer, changes: Partial<SettledPayment> = {}) {
    const store = storeInFile();
    const catalog = await openOn(store);
    const seller = await openSeller(answer);
    await catalog.submit(paymentFor(seller.url, changes));
    const { code } = await check(store, '--local');
    const [mark] = await marks(catalog);
    return { code, mark, methods: seller.methods };
  }

  test.each([400, 408, 422, 425, 429])('cannot tell by status %i', async (status) => {
    expect(await found({ status })).toEqual({ code: 3, mark: undefined, methods: ['GET'] });
  });

  test.each([401, 404, 500])('takes status %i for no 402', async (status) => {
    expect(await found({ status })).toMatchObject({ code: 1, mark: 'no_402' });
  });

  test.each([
    ['no header', {}],
    ['a header that is not base64', { 'payment-required': '{}' }],
    ['a header that is no object', requiredHeader([])],
  ])('takes a 402 with %s for none', async (_name, headers) => {
    expect(await found({ headers })).toMatchObject({ code: 1, mark: 'no_402' });
  });

  test.each([{}, { accepts: 'all' }, { accepts: [null, 'x'] }])('finds no terms in %j', async (required) => {
    expect(await found({ headers: requiredHeader(required) })).toMatchObject({ mark: 'other_terms' });
  });

  test.each(['scheme', 'network', 'asset', 'amount', 'payTo'])('compares %s', async (name) => {
    expect(await found(offer({ ...TERMS, [name]: 'other' }))).toMatchObject({ mark: 'other_terms' });
  });

  test('follows no redirect', async () => {
    const other = await openSeller();
    expect(await found({ status: 307, headers: { location: other.url } })).toMatchObject({ mark: 'no_402' });
    expect(other.methods).toEqual([]);
  });

  test('takes an answer whose head is too long for none', async () => {
    const long = { 'x-long': 'x'.repeat(CHECK_LIMITS.maxHeaderBytes) };
    expect(await found({ headers: { ...offer(TERMS).headers, ...long } })).toMatchObject({
      mark: 'no_answer',
    });
  });

  test('sends HEAD where that is declared', async () => {
    const changes = { extensions: declared({ method: 'HEAD' }) };
    expect(await found(offer(TERMS), changes)).toEqual({ code: 0, mark: undefined, methods: ['HEAD'] });
    expect(await found({ status: 404 }, changes)).toMatchObject({ mark: 'no_402' });
  });

  test.each([
    ['POST', declared({ method: 'POST', bodyType: 'json', body: {} })],
    ['no method', declared({})],
    ['places for parameters', { bazaar: { ...bazaar, routeTemplate: '/weather/:city' } }],
  ])('sends GET for %s, and can tell only that it is offered', async (_name, extensions) => {
    const changes = { extensions };
    expect(await found(offer(TERMS), changes)).toEqual({ code: 0, mark: undefined, methods: ['GET'] });
    expect(await found({ status: 404 }, changes)).toEqual({ code: 3, mark: undefined, methods: ['GET'] });
  });
});

test('no host is asked twice at once, whatever its ports', async () => {
  const store = storeInFile();
  const catalog = await openOn(store);
  let [underWay, most] = [0, 0];
  const answer = async (): Promise<PlayedAnswer> => {
    most = Math.max(most, (underWay += 1));
    await sleep(200);
    underWay -= 1;
    return offer(TERMS);
  };
  for (const url of [await playSeller(answer), await playSeller(answer)])
    await catalog.submit(paymentFor(url));
  expect(await check(store, '--local')).toMatchObject({ offered: 2 });
  expect(most).toBe(1);
});

test.each([
  [['--limit', '0'], {}],
  [['--after', 'x'], {}],
  [['--local'], { NETWORK: 'stellar:pubnet' }],
])('%j with %j is wrong usage', async (args, environment) => {
  expect(await runInside(['catalog', 'check', ...args], environment)).toMatchObject({ code: 64 });
});
