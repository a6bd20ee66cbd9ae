import { IN_MEMORY } from '../../src/store/sqliteFile.ts';
import { createOperations, type Operations } from '../../src/catalog/operations.ts';
import type { Model } from '../../src/catalog/meaning/index.ts';
import { openDatabase } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../src/catalog/sqlite/store.ts';
import type { Settlement } from '../../src/catalog/store.ts';
import type { Ranking } from './measures.ts';
import type { RelevanceListing } from './shape.ts';

/** Returns the first page for a question, as ids of listings. */
export type Rank = (query: string) => Ranking;

const PAGE = 10;
const SETTLED_AT = new Date('2026-11-21T12:00:00.000Z');

/** Lists all listings of the set in a catalog in memory. Returns both of its rankings. */
export function openRankings(
  listings: readonly RelevanceListing[],
  model: Model,
): Record<'hybrid' | 'lexical', Rank> {
  const store = createSqliteStore(openDatabase(IN_MEMORY), { model });
  store.put(listings.map(settlementOf));
  while (store.hybrid!.isBusy) store.hybrid!.step();
  const operations = createOperations(store);
  const ids = new Map(listings.map((listing) => [keyOf(listing.url, listing.toolName), listing.id]));
  const idOf = ({ resource, extensions }: Found): string =>
    ids.get(keyOf(resource, extensions.bazaar.info.input.toolName))!;
  return {
    hybrid: (query) => search(operations, query, undefined).map(idOf),
    lexical: (query) => search(operations, query, 'lexical').map(idOf),
  };
}

interface Found {
  readonly resource: string;
  readonly extensions: { readonly bazaar: { readonly info: { readonly input: { toolName?: string } } } };
}

function search({ search }: Operations, query: string, ranking: 'lexical' | undefined): Found[] {
  const answer = search({ query, filters: {}, limit: PAGE, ranking });
  if ('code' in answer) throw new Error(`the search was refused: ${answer.message}`);
  return (JSON.parse(Buffer.from(answer.json).toString()) as { resources: Found[] }).resources;
}

const keyOf = (url: string, toolName = ''): string => `${url} ${toolName}`;

function settlementOf(listing: RelevanceListing): Settlement {
  const { url, type, toolName = '', method, parameters, payTo, serviceName, tags, description } = listing;
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([name, text]) => [name, text === '' ? {} : { description: text }]),
  );
  const input = type === 'mcp' ? { type, toolName, inputSchema: { properties } } : { type, method };
  return {
    declaration: {
      resource: url,
      type,
      toolName,
      metadata: {
        ...(serviceName !== undefined && { serviceName }),
        ...(tags && { tags }),
        ...(description !== undefined && { description }),
      },
      bazaar: {
        info: { input },
        schema: { properties: { input: { properties: { queryParams: { properties } } } } },
      },
    },
    requirements: {
      scheme: 'exact',
      network: 'stellar:testnet',
      asset: 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
      amount: '10000',
      payTo,
      maxTimeoutSeconds: 60,
    },
    settledAt: SETTLED_AT,
    isStellarAsset: true,
  };
}
