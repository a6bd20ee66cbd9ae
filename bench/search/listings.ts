import type { Filters } from '../../src/catalog/index.ts';
import type { Settlement } from '../../src/catalog/store.ts';
import { between, content, CONTENT_WORDS, createRandom, text, wordAt, type Random } from './words.ts';

/** Content words in a listing, on average. */
export const CONTENT_PER_LISTING = 19;
const LISTINGS_PER_PAYEE = 20;
const SETTLED_FROM_MS = Date.UTC(2026, 0, 1);

/** Listings differ in these. The first payee owns very many listings, each of the others about twenty. */
export const payee = (number: number): string => `G${String(number).padStart(55, 'A')}`;
export const payees = (listings: number): number => Math.ceil(listings / LISTINGS_PER_PAYEE);

/** The listing with a number from 0, in a catalog of `listings`: always the same for the same seed. */
export function listingAt(seed: number, number: number, listings: number): Settlement {
  const random = createRandom(seed, number);
  const type = random() < 0.2 ? 'mcp' : 'http';
  const toolName = type === 'mcp' ? content(random) : '';
  const parameters = parametersOf(random);
  const input =
    type === 'mcp'
      ? { type, toolName, inputSchema: { type: 'object', properties: parameters } }
      : { type, method: 'GET', queryParams: {} };
  const serviceName = text(random, between(random, 1, 3), 0.1);
  return {
    declaration: {
      type,
      toolName,
      resource: resourceOf(number),
      metadata: {
        // One service in ten has a name that no other text contains.
        serviceName: random() < 0.1 ? wordAt(CONTENT_WORDS + number) : serviceName,
        tags: [...new Set(Array.from({ length: between(random, 2, 5) }, () => text(random, 1, 0.15)))],
        description: text(random, between(random, 8, 25), 0.35),
        mimeType: 'application/json',
      },
      bazaar: { info: { input }, schema: schemaOf(type, parameters) },
    },
    isStellarAsset: true,
    requirements: {
      scheme: random() < 0.9 ? 'exact' : 'upto',
      network: ['stellar:pubnet', 'stellar:testnet', 'eip155:8453'][Math.floor(3 * random() ** 2)]!,
      asset: ASSET,
      amount: String(between(random, 1, 1_000_000)),
      payTo: payee(random() < 0.3 ? 0 : between(random, 1, payees(listings))),
      maxTimeoutSeconds: 60,
      extra: { areFeesSponsored: true },
    },
    settledAt: settledAt(number),
  };
}

/** The listing's place in the catalog, from its served text. */
export function numberOf(item: string): number {
  const { resource } = JSON.parse(item) as { resource: string };
  return Number(resource.slice(resource.lastIndexOf('/') + 1));
}

/** Names with short descriptions: 2 to 12 words together. */
function parametersOf(random: Random): Record<string, object> {
  return Object.fromEntries(
    Array.from({ length: between(random, 1, 4) }, () => [
      text(random, 1, 0.2),
      { type: 'string', description: text(random, between(random, 1, 2), 0.3) },
    ]),
  );
}

function schemaOf(type: 'http' | 'mcp', parameters: Record<string, object>): Record<string, unknown> {
  const call =
    type === 'mcp'
      ? { toolName: { type: 'string' }, inputSchema: { type: 'object' } }
      : { method: { enum: ['GET'] }, queryParams: { type: 'object', properties: parameters } };
  const properties = { type: { const: type }, ...call };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { input: { type: 'object', properties, required: ['type'] } },
    required: ['input'],
  };
}

/** The asset of all listings, which is more than any filter will meet. */
const ASSET = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA';

/** Filters that are measured, and that the peer does not have. Prices are even from 1 to 1,000,000. */
export const further = (listings: number): readonly (readonly [string, (nth: number) => Filters])[] => [
  ['resource', (nth) => ({ resource: resourceOf(nth) })],
  ['asset', () => ({ asset: ASSET })],
  ['asset, maxAmount: 50 %', () => ({ asset: ASSET, maxAmount: '500000' })],
  ['asset, maxAmount: none', () => ({ asset: ASSET, maxAmount: '0' })],
  ['updatedSince: 1 %', () => ({ updatedSince: settledAt(0.99 * listings).toISOString() })],
  ['updatedSince: all', () => ({ updatedSince: settledAt(0).toISOString() })],
  [
    'all together',
    (nth) => ({
      ...{ type: 'http', payTo: payee(0), asset: ASSET, maxAmount: String(900_000 + nth) },
      updatedSince: settledAt(0.1 * listings).toISOString(),
    }),
  ],
];

const resourceOf = (number: number): string => `https://${wordAt(number)}.example.com/v1/${number}`;
const settledAt = (number: number): Date => new Date(SETTLED_FROM_MS + 1000 * number);

/** Filters that are measured: name, and the values for the nth query. */
export const FILTERS: readonly (readonly [string, (nth: number) => Filters])[] = [
  ['', () => ({})],
  ['type', () => ({ type: 'mcp' })],
  ['network, scheme', () => ({ network: 'stellar:testnet', scheme: 'exact' })],
  ['payTo of few', (nth) => ({ payTo: payee(nth + 1) })],
  ['payTo of 30 %', () => ({ payTo: payee(0) })],
];
