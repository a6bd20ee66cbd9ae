import { describe, expect, test } from 'vitest';
import { CATALOG_LIMITS } from '../../src/agent/limits.ts';
import { openAgent } from './support/agent.ts';
import { openHttpServer } from './support/httpServer.ts';
import { useAgentStage } from './support/stage.ts';

const stage = useAgentStage();

describe('when a search fails', () => {
  test.each([
    ['a blank query', '  ', {}, 'svc_missing_search_query'],
    ['a cursor of another search', 'tides', { cursor: 'bm9uc2Vuc2U' }, 'svc_invalid_search_cursor'],
  ])("%s keeps the facilitator's code", async (_name, query, filters, errorCode) => {
    const { isError, structured } = await (await stage.searcher()).search(query, filters);
    expect(isError).toBe(true);
    expect(structured).toEqual({ errorCode, reason: expect.any(String) });
  });

  test.each([
    ['no query', {}],
    ['a query that is no text', { query: 5 }],
    ['a query without end', { query: 'x'.repeat(CATALOG_LIMITS.maxQueryChars + 1) }],
    ['a limit of 0', { query: 'x', filters: { limit: 0 } }],
    ['a limit of 101', { query: 'x', filters: { limit: 101 } }],
    ['a filter that there is not', { query: 'x', filters: { payto: 'G' } }],
    ['filters that are no object', { query: 'x', filters: 'http' }],
    ['an argument that there is not', { query: 'x', limit: 5 }],
  ])('%s is svc_mcp_invalid_arguments', async (_name, args) => {
    const { isError, structured } = await (await stage.searcher()).call('search_resources', args);
    expect(isError).toBe(true);
    expect(structured).toMatchObject({ errorCode: 'svc_mcp_invalid_arguments' });
  });

  test('no answer is svc_mcp_facilitator_unreachable', async () => {
    const cut = await openHttpServer((_request, response) => void response.destroy());
    const cutLater = await openHttpServer((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{');
      setTimeout(() => response.destroy(), 20);
    });
    for (const FACILITATOR_URL of ['http://127.0.0.1:1', cut, cutLater]) {
      const { structured } = await (await openAgent({ FACILITATOR_URL })).search('x');
      expect(structured).toMatchObject({
        errorCode: 'svc_mcp_facilitator_unreachable',
        reason: expect.stringContaining(FACILITATOR_URL),
      });
    }
  });

  test.each([
    ['a page of HTML', 502, '<h1>Bad gateway</h1>'],
    ['an unknown code', 400, '{"error":{"code":"something_else","reason":"no"}}'],
    ['a redirect without end', 302, ''],
    ['an answer without resources', 200, '{"x402Version":2}'],
    ['a list', 200, '[]'],
    ['resources that are no list', 200, '{"resources":{}}'],
    ['100,000 levels', 200, '['.repeat(100_000)],
  ])('%s is svc_mcp_search_failed', async (_name, status, body) => {
    const FACILITATOR_URL = await openHttpServer(
      (_request, response) => void response.writeHead(status).end(body),
    );
    const { structured } = await (await openAgent({ FACILITATOR_URL })).search('x');
    expect(structured).toMatchObject({ errorCode: 'svc_mcp_search_failed' });
  });

  test('a redirect is not followed: it is the facilitator alone that was configured', async () => {
    const asked: unknown[] = [];
    const other = await openHttpServer((request, response) => {
      asked.push(request.url);
      response.end('{"resources":[]}');
    });
    const FACILITATOR_URL = await openHttpServer(
      (_request, response) => void response.writeHead(302, { location: `${other}/admin` }).end(),
    );
    const { structured } = await (await openAgent({ FACILITATOR_URL })).search('x');
    expect(structured).toMatchObject({ errorCode: 'svc_mcp_search_failed' });
    expect(asked).toEqual([]);
  });

  test('listings that make no sense are left out', async () => {
    const good = {
      type: 'http',
      resource: 'https://good.example/',
      accepts: [],
      lastUpdated: 'x',
      extensions: {},
    };
    const resources = [
      null,
      5,
      'x',
      [],
      {},
      { type: 'http' },
      { ...good, type: 'ftp' },
      { ...good, resource: 'ftp://x' },
      { ...good, type: 'mcp' },
      { ...good, accepts: 5, tags: {}, serviceName: {}, extensions: { bazaar: { info: [] } } },
      good,
    ];
    const body = JSON.stringify({ resources, partialResults: 'yes', pagination: null });
    const FACILITATOR_URL = await openHttpServer((_request, response) => void response.end(body));
    const { structured } = await (await openAgent({ FACILITATOR_URL })).search('x');
    expect(structured).toMatchObject({ count: 2, partialResults: false, cursor: null });
    expect(structured.resources[0]).toMatchObject({
      resource: 'https://good.example/',
      price: null,
      name: null,
      tags: [],
    });
  });
});
