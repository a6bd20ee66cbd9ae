import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ask, begin, INITIALIZE, openHttpTools } from './support/httpTools.ts';
import { openSeller } from './support/seller.ts';
import { askSessionless, connectSessionless, payRaw, requestOf, REVISION } from './support/sessionless.ts';
import { newWallet, useAgentStage } from './support/stage.ts';
import { gate } from './support/waiting.ts';

const stage = useAgentStage();

describe('a request of the revision 2026-07-28', () => {
  const TOKEN = '0123456789abcdef0123456789abcdef';
  const portOf = (url: string): string => new URL(url).port;

  test.each([
    ['for this machine', (url: string) => ({ host: `localhost:${portOf(url)}` }), 200],
    ['for another host', (url: string) => ({ host: `evil.example:${portOf(url)}` }), 403],
    ['from a page of another site', () => ({ origin: 'https://evil.example' }), 403],
    ['with a session that does not exist', () => ({ 'mcp-session-id': 'x' }), 404],
  ])('%s gets its answer by its headers', async (_name, headersFor, status) => {
    const { url } = await openHttpTools({});
    expect((await askSessionless(url, 'tools/list', { headers: headersFor(url) })).status).toBe(status);
  });

  test('needs the token if there is one', async () => {
    const { url } = await openHttpTools({ ...newWallet(stage).environment, SVC_MCP_HTTP_TOKEN: TOKEN });
    expect((await askSessionless(url, 'tools/list')).status).toBe(401);
    const headers = { authorization: `Bearer ${TOKEN}x` };
    expect((await askSessionless(url, 'tools/list', { headers })).status).toBe(401);
    await expect(connectSessionless(url)).rejects.toThrow(/401|token/i);
    const { client } = await connectSessionless(url, { token: TOKEN });
    expect((await client.listTools()).tools).toHaveLength(2);
  });

  test.each<[string, number, object, object]>([
    ['without the header of its revision', 400, { 'mcp-protocol-version': undefined }, {}],
    ['without the header of its method', 400, { 'mcp-method': undefined }, {}],
    ['whose header names another method', 400, { 'mcp-method': 'tools/call' }, {}],
    ['whose message names no revision', 400, {}, { params: {} }],
    ['for initialize', 400, { 'mcp-method': 'initialize' }, INITIALIZE],
    ['for a method that is not there', 404, { 'mcp-method': 'ping' }, { method: 'ping' }],
    ['of another media type', 415, { 'content-type': 'text/plain' }, {}],
  ])('%s gets %i', async (_name, status, headers, message) => {
    const { url } = await openHttpTools({});
    const { headers: own, body } = requestOf('tools/list');
    const sent = Object.entries({ ...own, ...headers }).filter(([, value]) => value !== undefined);
    const answer = await ask(url, { headers: Object.fromEntries(sent), body: { ...body, ...message } });
    expect(answer.status).toBe(status);
  });

  test('that names an unknown revision learns which is there', async () => {
    const { url } = await openHttpTools({});
    const headers = { 'mcp-protocol-version': '2030-01-01' };
    const { body } = requestOf('tools/list');
    const _meta = { ...body.params._meta, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' };
    const { status, text } = await ask(url, { headers, body: { ...body, params: { _meta } } });
    expect([status, JSON.parse(text).error.data.supported]).toEqual([400, [REVISION]]);
  });

  test('has at most 2 MiB, and 64 KiB if its header names no revision', async () => {
    const { url } = await openHttpTools({});
    const { headers, body } = requestOf('tools/list');
    const padded = (bytes: number) => JSON.stringify(body) + ' '.repeat(bytes - JSON.stringify(body).length);
    const sent = async (bytes: number, named: object) =>
      (await ask(url, { headers: named, body: padded(bytes) })).status;
    expect(await sent(2 * 1024 * 1024, headers)).toBe(200);
    expect(await sent(2 * 1024 * 1024 + 1, headers)).toBe(413);
    expect(await sent(64 * 1024 + 1, {})).toBe(413);
    expect((await ask(url, { headers, body: `${'['.repeat(80)}${']'.repeat(80)}` })).status).toBe(400);
  });

  test('has at most 64 KiB beside the arguments of a call, as those of a session have', async () => {
    const { url } = await openHttpTools({});
    const { headers, body } = requestOf('tools/call', { name: 'search_resources' });
    const keys = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key${n}`, 1]));
    const { _meta, ...params } = body.params;
    const older = await begin(url);
    for (const own of [headers, older]) {
      const sent = async (changes: object) =>
        ask(url, { headers: own, body: { ...body, params: { ...params, _meta, ...changes } } });
      expect((await sent({ arguments: { query: 'weather', ...keys } })).status).toBe(200);
      for (const changes of [{ _meta: { ..._meta, ...keys } }, { inputResponses: keys }, keys]) {
        const { status, text } = await sent(changes);
        expect([status, JSON.parse(text).error.message]).toEqual([
          413,
          'All but params.arguments may have 65536 bytes.',
        ]);
      }
    }
  });

  test('that is one too many is told when to try again, and sessions are not touched', async () => {
    const { opened, open } = gate();
    const seller = await openSeller(stage, async (visit) => {
      await opened;
      visit.deliver();
    });
    const { url } = await openHttpTools(newWallet(stage).environment, {
      streamable: { maxSessionlessRequests: 2 },
    });
    const two = [1, 2].map((n) => payRaw(url, { url: `${seller.url}?n=${n}` }));
    await expect.poll(() => seller.visits.length).toBe(2);
    const refused = await askSessionless(url, 'tools/list');
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '30']);
    const headers = await begin(url);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await ask(url, { headers, body: list })).status).toBe(200);
    open();
    for (const { isError } of await Promise.all(two)) expect(isError).toBeUndefined();
    expect((await askSessionless(url, 'tools/list')).status).toBe(200);
  });

  test('that would listen for changes is answered at once: there are none', async () => {
    const { url } = await openHttpTools({});
    const { headers, body } = requestOf('subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    const { status, text } = await ask(url, { headers, body });
    expect(status).toBe(200);
    expect(text).toContain('"resultType":"complete"');
  });

  test('that failed to load what serves it does not fail the next', async () => {
    const module = '../../src/agent/sessionless/server.ts';
    const loaded = await vi.importActual<typeof import('../../src/agent/sessionless/server.ts')>(module);
    const createSessionless = vi.fn(loaded.createSessionless).mockImplementationOnce(() => {
      throw new Error('no memory');
    });
    vi.doMock(module, () => ({ createSessionless }));
    onTestFinished(() => void vi.doUnmock(module));
    const { url } = await openHttpTools({});
    expect((await askSessionless(url, 'tools/list')).status).toBe(500);
    expect((await askSessionless(url, 'tools/list')).status).toBe(200);
  });
});

describe('a host of an older revision that names it in its messages', () => {
  const naming = (version: unknown) => ({
    ...INITIALIZE,
    params: { ...INITIALIZE.params, _meta: { 'io.modelcontextprotocol/protocolVersion': version } },
  });

  test('has a session', async () => {
    const { url } = await openHttpTools({});
    const { status, headers } = await ask(url, { body: naming('2025-11-25') });
    expect([status, headers['mcp-session-id']]).toEqual([200, expect.any(String)]);
  });

  test.each([REVISION, '2030-01-01', '2025', '', 1, null])('has none by the name %j', async (version) => {
    const { url } = await openHttpTools({});
    const { status, headers } = await ask(url, { body: naming(version) });
    expect([status, headers['mcp-session-id']]).toEqual([400, undefined]);
  });
});
