import type { DiscoveryResource } from '@x402/extensions/bazaar';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NETWORK, OTHER_NETWORK } from '../support/payments.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import type { Facilitator } from '../support/service.ts';
import { holdAnswersOf } from './stockAnswers.ts';
import { openShelf, type Listed } from './bazaarShelf.ts';

const listed = (path: string, network: string, toolName?: string): Listed => ({
  url: `https://api.example.com${path}`,
  terms: [{ payTo: 'anna', network, scheme: 'exact' }],
  description: 'For the vectors',
  ...(toolName !== undefined && { toolName }),
});
const shelfOn = (network: string): Listed[] => [
  listed('/a', NETWORK),
  listed('/b', NETWORK),
  listed('/mcp', NETWORK, 'c'),
  listed('/d', network),
];

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

/** The vectors V0 to V7 of the protocol's discovery conformance: no filter is ignored, and none is answered 400. */
describe.each([
  ['one network', NETWORK],
  ['two networks', OTHER_NETWORK],
])('the discovery filter vectors hold for a catalog with %s', (_what, network) => {
  let facilitator: Facilitator;
  let all: DiscoveryResource[];
  beforeAll(async () => {
    facilitator = await openShelf(sandbox, shelfOn(network));
    ({ items: all } = await list(''));
  });
  afterAll(() => facilitator.close());
  holdAnswersOf(() => facilitator.url);

  async function list(query: string) {
    const response = await fetch(`${facilitator.url}/discovery/resources?limit=50${query}`);
    const { items, pagination } = (await response.json()) as any;
    return {
      status: response.status,
      items: items as DiscoveryResource[],
      total: pagination.total as number,
    };
  }
  const termsHave = (field: 'payTo' | 'scheme' | 'network', value: string) => (item: DiscoveryResource) =>
    item.accepts.some((terms) => terms[field] === value);

  test('V0: an unfiltered list has items', async () => {
    const { status, items, total } = await list('');
    expect({ status, count: items.length, total }).toEqual({ status: 200, count: 4, total: 4 });
  });

  const vectors: [vector: string, query: string, matches: (item: DiscoveryResource) => boolean][] = [
    ['V1', 'type=mcp', ({ type }) => type === 'mcp'],
    ['V2', `payTo=0x${'0'.repeat(39)}1`, termsHave('payTo', `0x${'0'.repeat(39)}1`)],
    ['V3', 'scheme=batch-settlement', termsHave('scheme', 'batch-settlement')],
    ['V4', 'network=eip155:999999999', termsHave('network', 'eip155:999999999')],
    [
      'V5',
      'extensions=payment-identifier',
      ({ extensions = {} }) => Object.hasOwn(extensions, 'payment-identifier'),
    ],
    ['V6', 'network=!!!', termsHave('network', '!!!')],
  ];
  test.each(vectors)('%s: of %s every item matches, or there is none', async (_vector, query, matches) => {
    const { status, items, total } = await list(`&${query}`);
    expect({ status, total }).toEqual({ status: 200, total: items.length });
    expect(items).toEqual(all.filter(matches));
  });

  test('V7: of the less common network every item matches, a proper subset where there are two', async () => {
    const { status, items, total } = await list(`&network=${network}`);
    expect({ status, total }).toEqual({ status: 200, total: items.length });
    expect(items).toEqual(all.filter(termsHave('network', network)));
    expect(items).toHaveLength(network === NETWORK ? 4 : 1);
  });
});
