import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import {
  withBazaar,
  type DiscoveryResource,
  type ListDiscoveryResourcesParams,
  type SearchDiscoveryResourcesParams,
} from '@x402/extensions/bazaar';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exactStellar } from '../../demo/seller.ts';
import { NETWORK, OTHER_NETWORK } from '../support/payments.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import type { Facilitator } from '../support/service.ts';
import { holdAnswersOf } from './stockAnswers.ts';
import { openShelf, type Listed } from './bazaarShelf.ts';

const [ANNA, BERT] = ['anna', 'bert'];
const [onServed, onOther] = [NETWORK, OTHER_NETWORK].map((network) => ({ network, scheme: 'exact' }));
const at = (path: string): string => `https://api.example.com${path}`;

/** Payees need no account for a listing, so plain names tell them apart. */
const SHELF: Listed[] = [
  {
    url: at('/weather'),
    terms: [{ payTo: ANNA, ...onServed! }],
    description: 'Paid weather forecast for any city',
    tags: ['weather', 'forecast'],
  },
  {
    url: at('/tides'),
    terms: [{ payTo: ANNA, ...onServed! }],
    description: 'Paid tide tables for any port',
  },
  {
    url: at('/mcp'),
    toolName: 'convert',
    terms: [{ payTo: ANNA, ...onServed! }],
    description: 'Paid currency conversion',
  },
  {
    url: at('/translate'),
    terms: [{ payTo: BERT, ...onServed! }],
    description: 'Paid translation of weather reports',
  },
  {
    url: at('/news'),
    terms: [{ payTo: BERT, network: NETWORK, scheme: 'upto' }],
    description: 'Paid news and headlines',
  },
  { url: at('/stocks'), terms: [{ payTo: BERT, ...onOther! }], description: 'Paid stock prices' },
  {
    url: at('/mcp'),
    toolName: 'rates',
    terms: [{ payTo: BERT, ...onOther! }],
    description: 'Paid exchange rates',
  },
  {
    url: at('/both'),
    terms: [
      { payTo: BERT, ...onOther! },
      { payTo: BERT, network: NETWORK, scheme: 'upto' },
    ],
    description: 'Paid either way',
  },
];
const NAMES = ['weather', 'tides', 'convert', 'translate', 'news', 'stocks', 'rates', 'both'];

let sandbox: TestSandbox;
let facilitator: Facilitator;
let bazaar: ReturnType<typeof stockClient>['extensions']['bazaar'];
beforeAll(async () => {
  sandbox = await openSandbox();
  facilitator = await openShelf(sandbox, SHELF);
  bazaar = stockClient().extensions.bazaar;
});
afterAll(async () => {
  await facilitator.close();
  await sandbox.close();
});
holdAnswersOf(() => facilitator.url);

function stockClient() {
  return withBazaar(new HTTPFacilitatorClient({ url: facilitator.url }));
}

/** The tool of a listing, or the last part of its path. */
const nameOf = ({ resource, extensions }: DiscoveryResource): string =>
  (extensions as any).bazaar.info.input.toolName ?? resource.split('/').at(-1);

test('the stock client reads that bazaar is supported, and so does the stock server', async () => {
  expect((await stockClient().getSupported()).extensions).toEqual(['bazaar', 'payment-identifier']);
  const server = new x402ResourceServer(stockClient()).register(NETWORK, exactStellar());
  await server.initialize();
  expect(server.getFacilitatorExtensions(2, NETWORK, 'exact')).toEqual(['bazaar', 'payment-identifier']);
});

describe('the stock client lists', () => {
  const list = async (params?: ListDiscoveryResourcesParams) => {
    const { items, pagination } = await bazaar.listResources(params);
    return { names: items.map(nameOf), pagination };
  };

  test('everything, in the order in which it came', async () => {
    expect(await list()).toEqual({ names: NAMES, pagination: { limit: 20, offset: 0, total: 8 } });
    expect(await bazaar.listResources()).toMatchObject({ x402Version: 2 });
  });

  const filtered: [params: ListDiscoveryResourcesParams, names: string[]][] = [
    [{ type: 'http' }, ['weather', 'tides', 'translate', 'news', 'stocks', 'both']],
    [{ type: 'mcp' }, ['convert', 'rates']],
    [{ payTo: ANNA }, ['weather', 'tides', 'convert']],
    [{ scheme: 'upto' }, ['news', 'both']],
    [{ network: OTHER_NETWORK }, ['stocks', 'rates', 'both']],
    [{ extensions: 'bazaar' }, NAMES],
    [{ extensions: 'payment-identifier' }, []],
    [
      { type: 'http', payTo: BERT, scheme: 'exact', network: OTHER_NETWORK, extensions: 'bazaar' },
      ['stocks', 'both'],
    ],
    [{ type: 'mcp', payTo: ANNA, network: OTHER_NETWORK }, []],
    [{ scheme: 'exact', network: NETWORK }, ['weather', 'tides', 'convert', 'translate']],
    [{ scheme: 'upto', network: OTHER_NETWORK }, []],
    [{ network: 'stellar:*' }, []],
    [{ type: '' }, []],
  ];
  test.each(filtered)('what matches %j within one entry of its terms', async (params, names) => {
    expect(await list(params)).toEqual({ names, pagination: { limit: 20, offset: 0, total: names.length } });
  });

  test('page by page, with and without filters', async () => {
    expect(await list({ limit: 3, offset: 6 })).toEqual({
      names: ['rates', 'both'],
      pagination: { limit: 3, offset: 6, total: 8 },
    });
    expect(await list({ type: 'http', limit: 2, offset: 2 })).toEqual({
      names: ['translate', 'news'],
      pagination: { limit: 2, offset: 2, total: 6 },
    });
    expect(await list({ offset: 8 })).toEqual({
      names: [],
      pagination: { limit: 20, offset: 8, total: 8 },
    });
  });

  test('with a limit that is clamped', async () => {
    expect((await list({ limit: 1000 })).pagination.limit).toBe(100);
    expect(await list({ limit: 0 })).toMatchObject({ names: ['weather'], pagination: { limit: 1 } });
  });

  test.each([{ limit: -1 }, { limit: 1.5 }, { offset: -1 }, { offset: Number.NaN }])(
    'nothing for %j, and reads the code',
    async (params) => {
      await expect(bazaar.listResources(params)).rejects.toThrow(/\(400\): .*"svc_invalid_query_parameter"/);
    },
  );
});

describe('the stock client searches', () => {
  const search = async (params: SearchDiscoveryResourcesParams) => {
    const { resources, partialResults, pagination } = await bazaar.search(params);
    return { names: resources.map(nameOf), partialResults, pagination };
  };
  const whole = (names: string[]) => ({
    names,
    partialResults: false,
    pagination: { limit: names.length, cursor: null },
  });

  test('by a question in plain words, best first', async () => {
    expect(await search({ query: 'What will the weather be like in Lisbon tomorrow?' })).toMatchObject({
      names: ['weather', 'translate'],
    });
    expect(await bazaar.search({ query: 'tide' })).toMatchObject({ x402Version: 2 });
  });

  test('for words that nobody used, and finds nothing', async () => {
    expect(await search({ query: 'submarines' })).toEqual(whole([]));
    expect(await search({ query: '"*) OR -:^' })).toMatchObject({ names: [] });
  });

  const filtered: [params: Omit<SearchDiscoveryResourcesParams, 'query'>, names: string[]][] = [
    [{ type: 'mcp' }, ['convert', 'rates']],
    [{ payTo: ANNA }, ['weather', 'tides', 'convert']],
    [{ scheme: 'upto' }, ['news', 'both']],
    [{ network: OTHER_NETWORK }, ['stocks', 'rates', 'both']],
    [{ extensions: 'bazaar' }, NAMES],
    [{ extensions: 'x' }, []],
    [{ scheme: 'exact', network: NETWORK }, ['weather', 'tides', 'convert', 'translate']],
  ];
  test.each(filtered)('among what matches %j', async (params, names) => {
    const found = await search({ query: 'paid', ...params });
    expect({ ...found, names: found.names.toSorted() }).toEqual(whole(names.toSorted()));
  });

  test('page by page, and sees each match once in the order of one large page', async () => {
    const { names: all } = await search({ query: 'paid weather' });
    expect(all.toSorted()).toEqual(NAMES.toSorted());
    const walked: string[] = [];
    let cursor: string | null | undefined;
    do {
      const limit = walked.length === 0 ? 3 : 2;
      const page = await search({ query: 'paid weather', limit, ...(cursor && { cursor }) });
      expect(page.pagination!.limit).toBe(page.names.length);
      cursor = page.pagination!.cursor;
      expect(page.partialResults).toBe(cursor !== null);
      walked.push(...page.names);
    } while (cursor !== null && walked.length < NAMES.length);
    expect({ walked, cursor }).toEqual({ walked: all, cursor: null });
  });

  test('on with the cursor of another search, and reads the code', async () => {
    const { pagination } = await search({ query: 'paid', limit: 1 });
    const cursor = pagination!.cursor!;
    for (const params of [
      { query: 'weather', cursor },
      { query: 'paid', type: 'http', cursor },
    ])
      await expect(bazaar.search(params)).rejects.toThrow(/\(400\): .*"svc_invalid_search_cursor"/);
  });

  test.each(['', '  \t'])('for %j, and reads the code', async (query) => {
    await expect(bazaar.search({ query })).rejects.toThrow(/\(400\): .*"svc_missing_search_query"/);
  });
});
