import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { document } from '../../src/contract/index.ts';
import { VERSION } from '../../src/process/version.ts';
import { ask, startService } from './support.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

/** Asks for what is not JSON. */
async function fetchText(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init);
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  };
}

test.each([undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5', 'image/png'])(
  'GET / with Accept %s names the service and links that are served',
  async (accept) => {
    const { url } = await startService();
    const { status, headers, body } = await ask(`${url}/`, {
      headers: accept === undefined ? {} : { accept },
    });
    expect(status).toBe(200);
    expect(headers['vary']).toBe('accept');
    expect(body).toMatchObject({ name: 'stellar-facilitator', version: VERSION });
    const { verify, settle, ...others } = (body as { links: Record<string, string> }).links;
    expect([verify, settle]).toEqual(['verify', 'settle']);
    for (const link of Object.values(others)) {
      const query = link === 'discovery/search' ? '?query=x' : '';
      expect((await fetch(new URL(link + query, `${url}/`))).status, link).toBe(200);
    }
  },
);

test.each([BROWSER, 'text/html', 'TEXT/HTML'])('GET / with Accept %s is a page', async (accept) => {
  const { url } = await startService();
  const { status, headers, text } = await fetchText(`${url}/`, { headers: { accept } });
  expect(status).toBe(200);
  expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', vary: 'accept' });
  expect(text).toContain('<code>exact</code> on <code>stellar:testnet</code>');
  expect(text).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|\sstyle=/);
  const links = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = '']) => link);
  for (const link of links.filter((one) => !one.startsWith('https://')))
    expect((await fetch(new URL(link, `${url}/`))).status, link).toBe(200);
});

test('the page says if sellers need a key', async () => {
  const page = async (needKey: boolean): Promise<string> => {
    const { url } = await startService({}, {}, {}, { needKey });
    return (await fetchText(`${url}/`, { headers: { accept: BROWSER } })).text;
  };
  expect(await page(true)).toContain('needs a key');
  expect(await page(false)).not.toContain('needs a key');
});

test.each([
  ['/', 'text/html; charset=utf-8'],
  ['/home.js', 'text/javascript; charset=utf-8'],
  ['/home.css', 'text/css; charset=utf-8'],
])('%s may load nothing from elsewhere, and is framed by nobody', async (path, type) => {
  const { url } = await startService();
  const { headers } = await fetchText(url + path, { headers: { accept: BROWSER } });
  expect(headers['content-type']).toBe(type);
  const policy = headers['content-security-policy']!.split('; ');
  expect(policy).toEqual(
    expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
  );
  expect(policy.join()).not.toMatch(/unsafe|\*|https?:/);
  expect(headers['x-content-type-options']).toBe('nosniff');
});

test('HEAD of the page and its files answers as GET does, without the body', async () => {
  const { url } = await startService();
  for (const path of ['/', '/home.js', '/home.css', '/openapi.json']) {
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => fetchText(url + path, { method, headers: { accept: BROWSER } })),
    );
    expect(head!.text).toBe('');
    expect(head!.status).toBe(200);
    for (const name of ['content-type', 'content-length', 'content-security-policy'])
      expect(head!.headers[name]).toBe(get!.headers[name]);
  }
});

test('/openapi.json is the contract', async () => {
  const { url } = await startService();
  expect(JSON.parse((await fetchText(`${url}/openapi.json`)).text)).toEqual(document);
});

test('browsers find the icon of the console where they look for one', async () => {
  const { url } = await startService();
  const { status, headers, text } = await fetchText(`${url}/favicon.ico`);
  expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml']);
  expect(text).toBe(readFileSync('console/public/favicon.svg', 'utf8'));
});

test('where discovery needs a key, so does what this is', async () => {
  const { url } = await startService({}, {}, {}, { discoveryNeedsKey: true });
  expect(await ask(`${url}/`)).toMatchObject({ status: 401, body: { error: { code: 'svc_unauthorized' } } });
});
