/** Which web pages may read answers, and ask for what. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { openHttpServer } from '../agent/support/httpServer.ts';
import { chromium } from '../console/console.ts';
import { launch } from '../support/browser.ts';
import { ask, JSON_TYPE, payment, startService, type TestService } from './support.ts';

const SHOP = 'https://shop.example';
const OPEN = ['/', '/supported', '/health', '/discovery/resources', '/discovery/search?query=x'];
const PAYMENTS = ['/verify', '/settle'];

const open = (corsOrigins: string[] = [], needKey = false): Promise<TestService> =>
  startService({}, {}, {}, { needKey, discoveryNeedsKey: needKey }, { corsOrigins });

const pay = (url: string, origin?: string) =>
  ask(url, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...(origin !== undefined && { origin }) },
    body: JSON.stringify(payment),
  });

/** What a browser asks before a request. */
async function preflight(url: string, method: string, origin = SHOP) {
  const headers = {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type',
  };
  const response = await fetch(url, { method: 'OPTIONS', headers });
  const text = await response.text();
  return { status: response.status, headers: Object.fromEntries(response.headers), text };
}

describe.each([[[]], [[SHOP]]])('with CORS_ORIGINS %j', (origins) => {
  test.each(OPEN)('every page may read GET %s, and its headers', async (path) => {
    const { url } = await open(origins);
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await ask(url + path, { method, headers: { origin: 'https://any.example' } });
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-expose-headers']).toContain('x-request-id');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  test.each(OPEN)('every page may send GET %s with a key', async (path) => {
    const { url } = await open(origins);
    const { status, headers, text } = await preflight(url + path, 'GET', 'https://any.example');
    expect([status, text]).toEqual([204, '']);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': expect.stringContaining('authorization, content-type, x-request-id'),
      'access-control-max-age': '7200',
    });
    expect(headers).not.toHaveProperty('content-type');
  });

  test.each(PAYMENTS)('a page of an origin that is not named may not use %s', async (path) => {
    const { url } = await open(origins);
    for (const origin of ['https://other.example', `${SHOP}.evil.example`, 'null', `${SHOP}:8443`]) {
      expect((await pay(url + path, origin)).headers).not.toHaveProperty('access-control-allow-origin');
      expect(await preflight(url + path, 'POST', origin)).toMatchObject({ status: 404 });
    }
  });
});

test('every page may read the contract at /openapi.json', async () => {
  const { url } = await open([], true);
  const { status, headers } = await fetch(`${url}/openapi.json`, { headers: { origin: SHOP } });
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*']);
});

test.each(PAYMENTS)('a page of an origin that is named may use %s', async (path) => {
  const { url } = await open(['http://localhost:3000', SHOP]);
  const { headers } = await pay(url + path, SHOP);
  expect(headers).toMatchObject({
    'access-control-allow-origin': SHOP,
    'access-control-expose-headers': expect.stringContaining('extension-responses'),
    vary: 'origin',
  });
  expect(await preflight(url + path, 'POST')).toMatchObject({
    status: 204,
    headers: {
      'access-control-allow-origin': SHOP,
      'access-control-allow-methods': 'POST',
      vary: 'origin',
    },
  });
});

test('once origins are named, caches keep the payments of each apart', async () => {
  const { url } = await open([SHOP]);
  for (const origin of [undefined, 'https://other.example'])
    expect((await pay(`${url}/verify`, origin)).headers['vary']).toBe('origin');
  expect((await pay(`${(await open()).url}/verify`, SHOP)).headers).not.toHaveProperty('vary');
});

test('a page may read why it was refused, and ask first without its key', async () => {
  const { url } = await open([SHOP], true);
  const refused = await ask(`${url}/supported`, { headers: { origin: SHOP } });
  expect(refused).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': '*' } });
  expect((await preflight(`${url}/supported`, 'GET')).status).toBe(204);
  expect(await pay(`${url}/settle`, SHOP)).toMatchObject({
    status: 401,
    headers: { 'access-control-allow-origin': SHOP },
  });
  expect((await preflight(`${url}/settle`, 'POST')).status).toBe(204);
});

test('a question for what is no route is none, and OPTIONS that asks for no method is no route', async () => {
  const { url } = await open([SHOP]);
  expect((await preflight(`${url}/nowhere`, 'GET')).status).toBe(404);
  expect((await preflight(`${url}/supported`, 'DELETE')).status).toBe(404);
  expect((await preflight(`${url}/verify`, 'GET')).status).toBe(404);
  const withoutMethod = await ask(`${url}/settle`, { method: 'OPTIONS', headers: { origin: SHOP } });
  expect(withoutMethod.status).toBe(404);
});

test.skipIf(!chromium)('a browser lets a page do what it may, and nothing else', async () => {
  const browser = await launch(chromium!);
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const shop = await openHttpServer((_request, response) => response.end());
  await page.goto(shop);
  /** The statuses that the page reads; 0 for an answer that it may not read. */
  const statuses = ({ url }: TestService): Promise<number[]> =>
    page.evaluate(async (service) => {
      const headers = { authorization: 'Bearer x', 'content-type': 'application/json' };
      const asked: [string, RequestInit][] = [
        ['/supported', { headers }],
        ['/discovery/search?query=x', {}],
        ['/verify', { method: 'POST', headers, body: '{}' }],
      ];
      const answers = asked.map(([path, init]) => fetch(service + path, init));
      return (await Promise.allSettled(answers)).map((one) => ('value' in one ? one.value.status : 0));
    }, url);
  expect(await statuses(await open())).toEqual([200, 200, 0]);
  expect(await statuses(await open([shop]))).toEqual([200, 200, 400]);
});
