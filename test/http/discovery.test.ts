import { describe, expect, test } from 'vitest';
import { UNKNOWN_CURSOR } from '../../src/catalog/pages.ts';
import { OVERLOADED } from '../../src/catalog/queue.ts';
import type {
  DiscoveryListResponse,
  DiscoveryResource,
  DiscoverySearchResponse,
  ErrorEnvelope,
} from '../../src/contract/index.ts';
import { encoded } from '../support/catalogDouble.ts';
import { at } from '../support/contract.ts';
import { ask, requirements, startService } from './support.ts';

const listing: DiscoveryResource = {
  resource: 'https://api.example.com/wetter/:stadt',
  type: 'http',
  x402Version: 2,
  accepts: [requirements],
  lastUpdated: '2026-11-02T09:30:00.000Z',
  description: 'Wetter für Zürich 🌦 "heute" \u2028',
};
const list: DiscoveryListResponse = {
  x402Version: 2,
  items: [listing],
  pagination: { limit: 20, offset: 0, total: 1 },
};
const found: DiscoverySearchResponse = {
  x402Version: 2,
  resources: [listing],
  partialResults: true,
  pagination: { limit: 1, cursor: 'next' },
};

const example = (name: string): unknown =>
  (at(`#/components/examples/${name}`) as { value: ErrorEnvelope }).value;

test("the catalog's pages are sent as they were encoded, byte for byte", async () => {
  const { url } = await startService(
    {},
    { list: async () => encoded(list), search: async () => encoded(found) },
  );
  for (const [path, page] of [
    ['/discovery/resources', list],
    ['/discovery/search?query=wetter', found],
  ] as const) {
    expect(await ask(url + path)).toMatchObject({ status: 200, body: page });
    const response = await fetch(url + path);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.equals(Buffer.from(JSON.stringify(page)))).toBe(true);
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  }
});

test('a page is logged without what was asked and what was found', async () => {
  const { url, log } = await startService({}, { search: async () => encoded(found) });
  const { headers } = await ask(`${url}/discovery/search?query=wetter`);
  expect(log.filter(({ msg }) => msg === 'request')).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      msg: 'request',
      requestId: headers['x-request-id'],
      method: 'GET',
      path: '/discovery/search',
      caller: 'anonymous',
      address: '127.0.0.1',
      status: 200,
      durationMs: expect.any(Number),
    },
  ]);
});

test('a cursor that the catalog does not know is refused', async () => {
  const { url, log } = await startService({}, { search: async () => UNKNOWN_CURSOR });
  expect(await ask(`${url}/discovery/search?query=x&cursor=forged`)).toMatchObject({
    status: 400,
    body: example('InvalidSearchCursor'),
  });
  expect(log.at(-1)).toMatchObject({ status: 400, code: 'svc_invalid_search_cursor' });
});

test.each([
  ['/discovery/resources', { list: async () => OVERLOADED }],
  ['/discovery/search?query=wetter', { search: async () => OVERLOADED }],
])('a catalog that cannot answer in time is no fault: %s says when to try again', async (path, catalog) => {
  const { url, log } = await startService({}, catalog);
  expect(await ask(url + path)).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { error: { code: 'svc_overloaded' } },
  });
  expect(log.filter(({ msg }) => msg === 'fault')).toEqual([]);
});

describe('the examples of refusals are what the service answers', () => {
  test.each([
    ['InvalidQueryParameter', '/discovery/resources?limit=ten'],
    ['RepeatedQueryParameter', '/discovery/search?network=a&network=b'],
    ['MissingSearchQuery', '/discovery/search'],
    ['UnknownRoute', '/verify'],
  ])('%s', async (name, path) => {
    const { url } = await startService();
    expect((await ask(url + path)).body).toEqual(example(name));
  });
});

describe('a catalog that fails is a fault, whose cause the log has', () => {
  const failing = (): never => {
    throw new Error('disk on fire');
  };
  test.each([
    ['listResources', '/discovery/resources', { list: async () => failing() }],
    ['listResources', '/discovery/resources', { list: failing }],
    ['searchResources', '/discovery/search?query=x', { search: async () => failing() }],
    ['searchResources', '/discovery/search?query=x', { search: failing }],
  ])('%s at %s', async (operation, path, behaviour) => {
    const { url, log } = await startService({}, behaviour);
    const answer = await ask(url + path);
    expect(answer).toMatchObject({ status: 500, body: example('InternalError') });
    expect(log.find(({ msg }) => msg === 'fault')).toMatchObject({
      requestId: answer.headers['x-request-id'],
      operation,
      err: { message: 'disk on fire' },
    });
    expect(await ask(`${url}/health`)).toMatchObject({ status: 200 });
  });
});
