import { HTTPFacilitatorClient } from '@x402/core/server';
import {
  declareDiscoveryExtension,
  extractDiscoveryInfo,
  withBazaar,
  type DiscoveryResource,
} from '@x402/extensions/bazaar';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { AMOUNT, MAX_TIMEOUT_SECONDS, requirementsFor } from '../support/payments.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openFacilitator, silent, type Facilitator } from '../support/service.ts';
import { holdAnswersOf } from './stockAnswers.ts';
import { ABOUT, cases } from './bazaarDeclarations.ts';
import { openShop, type Offer, type Shop } from './bazaarShop.ts';

/** Enough for a busy machine: these tests are not about how long a settlement waits for the catalog. */
const limits = { submitBudgetMs: 10_000 };

let sandbox: TestSandbox;
let facilitator: Facilitator;
beforeAll(async () => {
  sandbox = await openSandbox();
  const catalog = await openCatalog({ dbPath: ':memory:', log: silent, limits });
  facilitator = await openFacilitator({ rpcUrl: sandbox.url, submitters: [sandbox.submitter()], catalog });
});
afterAll(async () => {
  await facilitator.close();
  await sandbox.close();
});
holdAnswersOf(() => facilitator.url);

/** What the stock packages print: sellers learn from it what came of their listing. */
let printed: string[];
beforeEach(() => {
  printed = [];
  for (const way of ['log', 'warn'] as const)
    vi.spyOn(console, way).mockImplementation((text: string) => void printed.push(text));
});

async function openShopWith(offers: Record<string, Offer>): Promise<Shop> {
  const shop = await openShop({ sandbox, facilitatorUrl: facilitator.url }, offers);
  onTestFinished(() => shop.close());
  return shop;
}

/** What the stock client is shown of a seller. */
async function listingsOf({ payTo }: Shop): Promise<DiscoveryResource[]> {
  const client = withBazaar(new HTTPFacilitatorClient({ url: facilitator.url }));
  return (await client.extensions.bazaar.listResources({ payTo })).items;
}

describe('what a stock seller declares and a stock buyer pays for is listed with everything declared', () => {
  test.each(Object.entries(cases))('%s', async (_what, { route, config, bought, listed }) => {
    const shop = await openShopWith({ [route]: { ...ABOUT, extensions: declareDiscoveryExtension(config) } });
    const { status, receipt } = await shop.buy(...bought);
    expect({ status, success: receipt.success }).toEqual({ status: 200, success: true });

    const listing = {
      resource: shop.origin + listed.path,
      type: listed.type,
      x402Version: 2,
      accepts: [
        requirementsFor(shop.payTo, { amount: String(AMOUNT), maxTimeoutSeconds: MAX_TIMEOUT_SECONDS }),
      ],
      lastUpdated: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      ...ABOUT,
      extensions: { bazaar: listed.bazaar },
    };
    expect(await listingsOf(shop)).toStrictEqual([listing]);

    const [sale] = shop.sales;
    expect(sale!.result.extensionResponses).toEqual({ bazaar: { status: 'success' } });
    expect(printed).toContain('[x402] extension responses: {"bazaar":{"status":"success"}}');
    expect(listing, 'the stock facilitator reads the same').toMatchObject(readByStock(sale!.payload));
  });
});

/** What the stock facilitator's side reads from a payment, in the fields of a listing. */
function readByStock(payload: Parameters<typeof extractDiscoveryInfo>[0]): Partial<DiscoveryResource> {
  const read = extractDiscoveryInfo(payload, payload.accepted);
  if (read === null) throw new Error('the stock facilitator reads no declaration');
  const { resourceUrl: resource, description, mimeType, serviceName, tags, iconUrl, extensions } = read;
  return { resource, description, mimeType, serviceName, tags, iconUrl, extensions } as DiscoveryResource;
}

describe('a stock seller', () => {
  const mcp = (toolName: string) =>
    declareDiscoveryExtension({ toolName, inputSchema: { type: 'object', properties: {} } });

  test('that names its public address is listed there, with the template of its route', async () => {
    const extensions = declareDiscoveryExtension({});
    const shop = await openShopWith({
      'GET /tides/[port]': { resource: 'https://api.example.com/whatever?x=1', extensions },
      'GET /time': { resource: 'https://api.example.com/v1/time?zone=utc#now', extensions },
    });
    for (const path of ['/tides/Faro', '/tides/Lagos', '/time', '/Time/']) await shop.buy(path);
    expect((await listingsOf(shop)).map(({ resource }) => resource)).toEqual([
      'https://api.example.com/tides/:port',
      'https://api.example.com/v1/time',
    ]);
  });

  test('that names none is listed wherever its buyers reach it', async () => {
    const shop = await openShopWith({ 'GET /time': { extensions: declareDiscoveryExtension({}) } });
    for (const path of ['/time', '/Time/']) await shop.buy(path);
    expect((await listingsOf(shop)).map(({ resource }) => resource)).toEqual([
      `${shop.origin}/time`,
      `${shop.origin}/Time/`,
    ]);
  });

  test('of two tools at one address has two listings', async () => {
    const resource = 'https://mcp.example.com/mcp';
    const shop = await openShopWith({
      'POST /convert': { resource, extensions: mcp('convert') },
      'POST /rates': { resource, extensions: mcp('rates') },
    });
    await shop.buy('/convert', { method: 'POST' });
    await shop.buy('/rates', { method: 'POST' });
    await shop.buy('/convert', { method: 'POST' });
    const listings = await listingsOf(shop);
    expect(
      listings.map((listing) => [listing.resource, (listing.extensions as any).bazaar.info.input.toolName]),
    ).toEqual([
      [resource, 'convert'],
      [resource, 'rates'],
    ]);
  });

  test('that sells by several methods at one address has one listing, as it was sold last', async () => {
    const shop = await openShopWith({
      'GET /notes': { description: 'Reads', extensions: declareDiscoveryExtension({}) },
      'POST /notes': { description: 'Writes', extensions: declareDiscoveryExtension({ bodyType: 'json' }) },
    });
    await shop.buy('/notes');
    await shop.buy('/notes', { method: 'POST' });
    const listings = await listingsOf(shop);
    expect(listings).toMatchObject([
      { description: 'Writes', extensions: { bazaar: { info: { input: { method: 'POST' } } } } },
    ]);
    expect(listings).toHaveLength(1);
  });

  test('that declares nothing is paid, not listed, and told nothing', async () => {
    const shop = await openShopWith({ 'GET /quiet': { description: 'Not for the catalog' } });
    expect((await shop.buy('/quiet')).status).toBe(200);
    expect(await listingsOf(shop)).toEqual([]);
    expect(shop.sales[0]!.result).not.toHaveProperty('extensionResponses');
  });

  const withHeaders = (): Record<string, unknown> => {
    const { bazaar } = declareDiscoveryExtension({}) as { bazaar: any };
    bazaar.info.input.headers = { 'x-unit': 'celsius' };
    return { bazaar };
  };
  const mistakes: [what: string, extensions: () => Record<string, unknown>, place: string][] = [
    [
      'an array as example, without a schema that says so',
      () => declareDiscoveryExtension({ output: { example: [1, 2] } }),
      'info.output.example',
    ],
    ['headers, which the stock schema does not know', withHeaders, 'info.input.headers'],
    [
      'an example that its own schema forbids',
      () => declareDiscoveryExtension({ input: {}, inputSchema: { properties: {}, required: ['city'] } }),
      'info.input.queryParams',
    ],
  ];
  test.each(mistakes)('that declares %s is paid, and told what to mend', async (_what, extensions, place) => {
    const shop = await openShopWith({ 'GET /weather': { extensions: extensions() } });
    expect((await shop.buy('/weather')).status).toBe(200);
    expect(await listingsOf(shop)).toEqual([]);
    const { extensionResponses } = shop.sales[0]!.result;
    expect(extensionResponses).toEqual({
      bazaar: {
        status: 'rejected',
        rejectedReason: expect.stringContaining(place) as string,
        code: 'bazaar_schema_validation_failed',
      },
    });
    expect(printed).toEqual([
      expect.stringMatching(/^x402: Route "GET \/weather" has an invalid bazaar extension: /),
      `[x402] extension responses: ${JSON.stringify(extensionResponses)}`,
    ]);
  });

  test('may give an array as example when the schema says so', async () => {
    const output = { example: [1, 2], schema: { type: 'array', items: { type: 'number' } } };
    const shop = await openShopWith({ 'GET /list': { extensions: declareDiscoveryExtension({ output }) } });
    await shop.buy('/list');
    expect(await listingsOf(shop)).toMatchObject([
      { extensions: { bazaar: { info: { output: { example: [1, 2] } } } } },
    ]);
  });
});
