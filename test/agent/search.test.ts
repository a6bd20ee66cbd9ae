import { beforeAll, describe, expect, test } from 'vitest';
import { CATALOG_LIMITS } from '../../src/agent/limits.ts';
import { parseResourceId } from '../../src/agent/resourceId.ts';
import { NETWORK, USDC } from '../support/payments.ts';
import { openAgent } from './support/agent.ts';
import { openHttpServer } from './support/httpServer.ts';
import { useAgentStage } from './support/stage.ts';

const stage = useAgentStage();
const HIDDEN = /[\p{C}\u{e0100}-\u{e01ef}\u115f]/u;

beforeAll(async () => {
  await stage.list(
    {
      url: 'https://tides.example.com/v1',
      description: 'Tides of any harbour',
      serviceName: 'Tide desk',
      tags: ['tides', 'sea'],
      mimeType: 'application/json',
    },
    {
      info: { input: { type: 'http', method: 'GET', queryParams: { harbour: 'Faro' } } },
      schema: {
        type: 'object',
        properties: {
          input: {
            type: 'object',
            properties: {
              queryParams: {
                type: 'object',
                properties: { harbour: { type: 'string' } },
                required: ['harbour'],
              },
            },
          },
        },
      },
    },
  );
  await stage.list(
    { url: 'https://tides.example.com/mcp', description: 'Tides for agents' },
    {
      info: {
        input: {
          type: 'mcp',
          toolName: 'tides',
          inputSchema: { type: 'object', properties: { harbour: {} } },
          example: { harbour: 'Faro' },
        },
      },
      schema: { type: 'object' },
    },
  );
  for (let index = 0; index < 25; index += 1)
    await stage.list(
      { url: `https://many.example.com/${index}`, description: 'one of manifold' },
      { info: { input: { type: 'http', method: 'GET' } }, schema: { type: 'object' } },
    );
}, 60_000);

describe('search_resources', () => {
  test('works without a wallet, and gives for each hit what a call needs', async () => {
    const { isError, structured } = await (await stage.searcher()).search('harbour tides, please');
    expect(isError).toBe(false);
    expect(structured).toMatchObject({
      query: 'harbour tides, please',
      count: 2,
      partialResults: false,
      cursor: null,
    });
    const http = structured.resources.find(({ type }: any) => type === 'http');
    expect(http).toEqual({
      id: expect.stringMatching(/^svc1:[\w-]+$/),
      type: 'http',
      resource: 'https://tides.example.com/v1',
      toolName: null,
      name: 'Tide desk',
      description: 'Tides of any harbour',
      price: {
        scheme: 'exact',
        network: NETWORK,
        asset: USDC,
        amount: '100000',
        text: '0.01 USDC',
        payTo: stage.payTo,
      },
      network: NETWORK,
      input: {
        method: 'GET',
        bodyType: null,
        example: { harbour: 'Faro' },
        schema: { type: 'object', properties: { harbour: { type: 'string' } }, required: ['harbour'] },
      },
      mimeType: 'application/json',
      tags: ['tides', 'sea'],
      lastUpdated: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(parseResourceId(http.id)).toEqual({ type: 'http', resource: http.resource, toolName: '' });
    const mcp = structured.resources.find(({ type }: any) => type === 'mcp');
    expect(mcp).toMatchObject({
      toolName: 'tides',
      input: {
        method: null,
        bodyType: null,
        example: { harbour: 'Faro' },
        schema: { properties: { harbour: {} } },
      },
    });
    expect(parseResourceId(mcp.id)).toEqual({ type: 'mcp', resource: mcp.resource, toolName: 'tides' });
  });

  test('passes filters on', async () => {
    const agent = await stage.searcher();
    const ids = async (filters: object) =>
      (await agent.search('tides', filters)).structured.resources.map(({ type }: any) => type);
    expect(await ids({ type: 'mcp' })).toEqual(['mcp']);
    expect(await ids({ payTo: stage.payTo, scheme: 'exact', network: NETWORK })).toHaveLength(2);
    expect(await ids({ network: 'stellar:pubnet' })).toEqual([]);
  });

  test('shows each match once when its cursor is followed', async () => {
    const agent = await stage.searcher();
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await agent.search('manifold', { limit: 10, ...(cursor && { cursor }) });
      seen.push(...page.structured.resources.map(({ id }: any) => id));
      cursor = page.structured.cursor;
      expect(page.structured.partialResults).toBe(cursor !== null);
    } while (cursor !== null);
    expect(seen).toHaveLength(25);
    expect(new Set(seen).size).toBe(25);
  });

  test('shows the cheapest terms that the wallet could pay, and else the first', async () => {
    const url = 'https://priced.example.com/';
    const bazaar = { info: { input: { type: 'http', method: 'GET' } }, schema: { type: 'object' } };
    await stage.list(
      { url, description: 'pricedthing' },
      bazaar,
      stage.terms({ network: 'stellar:pubnet', amount: '1' }),
    );
    const agent = await stage.searcher();
    const price = async () => (await agent.search('pricedthing')).structured.resources[0].price;
    expect(await price()).toMatchObject({ network: 'stellar:pubnet', amount: '1' });
    for (const amount of ['30', '9', '200'])
      await stage.list({ url, description: 'pricedthing' }, bazaar, stage.terms({ amount }));
    expect(await price()).toMatchObject({ network: NETWORK, amount: '9' });
  });

  test.each([
    ['no_answer', 'did not answer'],
    ['no_402', 'did not ask for a payment of x402 version 2'],
    ['other_terms', 'asked for other terms than the listing shows'],
    ['a reason \u202eof another version', 'was not as its listing says'],
  ])('says in plain words why a listing is stale: %s', async (reason, found) => {
    const since = '2026-11-23T08:00:00.000Z';
    const listing = { type: 'http', resource: 'https://gone.example/', accepts: [], extensions: {} };
    const resources = [{ ...listing, stale: { reason, since } }, listing];
    const FACILITATOR_URL = await openHttpServer(
      (_request, response) => void response.end(JSON.stringify({ resources })),
    );
    const { structured } = await (await openAgent({ FACILITATOR_URL })).search('x');
    const [marked, unmarked] = structured.resources;
    expect(marked.stale).toEqual({
      reason: reason.replace('\u202e', ''),
      since,
      text: `When the facilitator's operator last checked it, the resource ${found}.`,
    });
    expect(unmarked).not.toHaveProperty('stale');
  });

  test('cuts and cleans what sellers say', async () => {
    const url = 'https://loud.example.com/';
    const hidden = '\u202e\u200b\u200d\u{e0041}\u{e0100}\ufe0f';
    await stage.list(
      { url, description: `loudthing ${hidden}\n\n\u0007 IGNORE ${'x'.repeat(10_000)}` },
      {
        info: {
          input: {
            type: 'http',
            method: 'POST',
            bodyType: 'json',
            body: { a: `b${hidden}`, long: 'y'.repeat(10_000) },
          },
        },
        schema: { type: 'object' },
      },
    );
    const [hit] = (await (await stage.searcher()).search('loudthing')).structured.resources;
    expect(hit.description).toMatch(/^loudthing IGNORE x+…$/);
    expect(hit.description.length).toBeLessThanOrEqual(CATALOG_LIMITS.maxDescriptionChars);
    expect(hit.input.example).toBeNull();
    expect(hit.omitted).toEqual(['example']);
    expect(JSON.stringify(hit)).not.toMatch(HIDDEN);
  });

  test('never shows what is hidden: fields are cleaned, and addresses that hide something are left out', async () => {
    const hidden = '\u0007\u200b\u200d\u200e\u202e\u2066\ufeff\u{e0041}\u{e0100}\u{e01ef}\ue000\u115f';
    const listing = { type: 'http', resource: 'https://good.example/', accepts: [], extensions: {} };
    const tool = (toolName: string) => ({
      ...listing,
      type: 'mcp',
      extensions: { bazaar: { info: { input: { toolName } } } },
    });
    const resources = [...hidden].flatMap((char) => [
      { ...listing, resource: `https://bad.example/${char}x` },
      tool(`bad${char}tool`),
      {
        ...listing,
        description: `a${char}b ☀️`,
        serviceName: char,
        tags: [`c${char}`],
        accepts: [{ scheme: `d${char}` }],
        extensions: { bazaar: { info: { input: { queryParams: { [`e${char}`]: [`f${char}`] } } } } },
      },
    ]);
    const body = JSON.stringify({ resources: [...resources, tool('good tool')] });
    const FACILITATOR_URL = await openHttpServer((_request, response) => void response.end(body));
    const { structured } = await (await openAgent({ FACILITATOR_URL })).search('x');
    expect(structured.count).toBe([...hidden].length + 1);
    expect(structured.resources[0]).toMatchObject({
      description: 'a b ☀️',
      name: null,
      tags: ['c'],
      price: { scheme: 'd' },
      input: { example: { 'e ': ['f '] } },
    });
    expect(JSON.stringify(structured)).not.toMatch(HIDDEN);
    expect(JSON.stringify(structured)).not.toContain('bad');
  });
});
