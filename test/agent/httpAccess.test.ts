import { Keypair } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { ask, begin, INITIALIZE, openHttpTools, spawnHttpTools } from './support/httpTools.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const KEY = Keypair.random().secret();
const wallet = { CLIENT_STELLAR_PRIVATE_KEY: KEY };
const portOf = (url: string): string => new URL(url).port;

describe('a request over HTTP', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1', 200],
    ['127.0.0.1', 'localhost', 200],
    ['127.0.0.1', '[::1]', 200],
    ['127.0.0.1', 'evil.example', 403],
    ['127.0.0.1', 'localhost.evil.example', 403],
    ['127.0.0.1', '192.168.0.7', 403],
    ['127.0.0.1', 'user@127.0.0.1', 403],
    ['localhost', '127.0.0.1', 200],
    ['0.0.0.0', '192.168.0.7', 200],
    ['0.0.0.0', '[fe80::1]', 200],
    ['0.0.0.0', 'evil.example', 403],
    ['0.0.0.0', 'tools.example', 200],
  ])('that listens on %s, for the host %s, gets %i', async (listened, asked, status) => {
    const environment = { SVC_MCP_HTTP_HOST: listened, SVC_MCP_HTTP_NAMES: 'Tools.example,other' };
    const { url } = await openHttpTools(environment);
    const headers = { host: `${asked}:${portOf(url)}` };
    expect((await ask(url, { headers, body: INITIALIZE })).status).toBe(status);
  });

  test.each([
    ['of the server itself', (url: string) => new URL(url).origin, 200],
    ['of another site', () => 'https://evil.example', 403],
    ['of another port of this machine', () => 'http://127.0.0.1:1', 403],
    ['that is hidden', () => 'null', 403],
  ])('from a page %s gets its answer by its origin', async (_name, originOf, status) => {
    const { url } = await openHttpTools({});
    const headers = { origin: originOf(url) };
    expect((await ask(url, { headers, body: INITIALIZE })).status).toBe(status);
    expect((await ask(url, { method: 'GET', headers })).status).toBe(status === 200 ? 400 : 403);
  });

  test('needs the token if there is one, and learns from a 401 that it is a bearer token', async () => {
    const { url, host } = await openHttpTools({ ...wallet, SVC_MCP_HTTP_TOKEN: TOKEN });
    const asked = (authorization?: string) =>
      ask(url, { headers: authorization === undefined ? {} : { authorization }, body: INITIALIZE });
    expect(await asked()).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    for (const wrong of [`Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, 'Bearer x'])
      expect(await asked(wrong)).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
      });
    expect((await asked(`Basic ${TOKEN}`)).status).toBe(401);
    expect((await asked(`bearer ${TOKEN}`)).status).toBe(200);
    await expect(host()).rejects.toThrow(/401|token/i);
    const { client } = await host({ token: TOKEN });
    expect((await client.listTools()).tools).toHaveLength(2);
  });

  test.each<[string, number, (url: string) => Parameters<typeof ask>]>([
    ['to another path', 404, (url) => [new URL('/', url).href]],
    ['of another method', 405, (url) => [url, { method: 'PUT' }]],
    ['without a session', 400, (url) => [url, { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }]],
    ['of a session that does not exist', 404, (url) => [url, { headers: { 'mcp-session-id': 'x' } }]],
    ['with a batch', 400, (url) => [url, { body: [INITIALIZE] }]],
    ['that is no JSON', 400, (url) => [url, { body: '{' }]],
    ['nested too deep', 400, (url) => [url, { body: `${'['.repeat(80)}${']'.repeat(80)}` }]],
    ['that is large and has no session', 413, (url) => [url, { body: ' '.repeat(65_537) }]],
    ['that accepts no stream', 406, (url) => [url, { headers: { accept: '*/*' }, body: INITIALIZE }]],
    ['with large headers', 431, (url) => [url, { headers: { large: 'x'.repeat(17_000) } }]],
  ])('%s gets %i', async (_name, status, requestTo) => {
    const { url } = await openHttpTools({});
    expect((await ask(...requestTo(url))).status).toBe(status);
  });

  test('has at most 2 MiB within a session', async () => {
    const { url } = await openHttpTools({});
    const headers = await begin(url);
    const ping = (bytes: number) => {
      const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      return ask(url, { headers, body: message + ' '.repeat(bytes - message.length) });
    };
    expect((await ping(2 * 1024 * 1024)).status).toBe(200);
    expect((await ping(2 * 1024 * 1024 + 1)).status).toBe(413);
  });
});

describe('the process', () => {
  test.each([
    ['a wallet', wallet],
    ['a key at the facilitator', { FACILITATOR_KEY: 'sf_key' }],
  ])('does not open %s to other machines without a token', async (_name, guarded) => {
    const { exit, output } = await spawnHttpTools({ ...guarded, SVC_MCP_HTTP_HOST: '0.0.0.0' });
    expect(await exit).toBe(78);
    expect(output.stderr).toMatch(/^SVC_MCP_HTTP_TOKEN must be set .*openssl rand -hex 32\n$/);
  });

  test('ends with 78 if its own settings are wrong, and shows no token', async () => {
    const { exit, output } = await spawnHttpTools({
      SVC_MCP_HTTP_HOST: 'example.com',
      SVC_MCP_HTTP_PORT: '65536',
      SVC_MCP_HTTP_NAMES: 'a.example:80',
      SVC_MCP_HTTP_TOKEN: 'short',
    });
    expect(await exit).toBe(78);
    const named = output.stderr.trimEnd().split('\n');
    expect(named.map((line) => line.split(' ')[0])).toEqual([
      'SVC_MCP_HTTP_HOST',
      'SVC_MCP_HTTP_PORT',
      'SVC_MCP_HTTP_NAMES',
      'SVC_MCP_HTTP_TOKEN',
    ]);
    expect(output.stderr).not.toContain('short');
  });

  test('never writes its token, opens its wallet to other machines with one, and ends with 0 on SIGINT', async () => {
    const environment = { ...wallet, SVC_MCP_HTTP_HOST: '0.0.0.0', SVC_MCP_HTTP_TOKEN: TOKEN };
    const { child, exit, output, url } = await spawnHttpTools(environment);
    const headers = { authorization: `Bearer ${TOKEN}`, 'mcp-protocol-version': TOKEN };
    expect((await ask(url, { headers, body: INITIALIZE })).status).toBe(200);
    expect((await ask(url, { headers: { authorization: `Bearer x${TOKEN}` } })).status).toBe(401);
    child.kill('SIGINT');
    expect(await exit).toBe(0);
    expect(output.stderr + output.stdout).not.toContain(TOKEN);
  });

  test('ends with 1 and says so if its port is in use', async () => {
    const { url } = await openHttpTools({});
    const { exit, output } = await spawnHttpTools({ SVC_MCP_HTTP_PORT: portOf(url) });
    expect(await exit).toBe(1);
    expect(output.stderr).toMatch(
      /^SVC_MCP_HTTP_PORT \d+ on 127.0.0.1 cannot be listened on \(EADDRINUSE\)/m,
    );
  });
});
