import { Failure } from '../codes.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { CATALOG_LIMITS } from '../limits.ts';
import { formatResourceId } from '../resourceId.ts';
import { cleanJson, cleanText } from '../words.ts';
import { baseUnits } from '../../stellar/values.ts';
import type { Facilitator } from './facilitator.ts';
import {
  httpConvention,
  inputOf,
  listingKey,
  parameterSchema,
  toolConvention,
  type HttpConvention,
} from './listing.ts';
import type { Lookup } from './lookup.ts';
import { amountWithCode } from '../../stellar/assets.ts';
import { shownTerms, type PaidIn } from './prices.ts';
import { staleMark } from './stale.ts';

/** The arguments of search_resources, checked against their schema. */
export interface SearchArguments {
  query: string;
  filters?: {
    type?: string;
    network?: string;
    scheme?: string;
    payTo?: string;
    limit?: number;
    cursor?: string;
  };
}

export interface SearchDeps {
  facilitator: Facilitator;
  lookup: Lookup;
  paidIn: PaidIn;
}

/** Returns one page of hits, best first, each with what a paid_call needs. */
export async function searchResources(
  { facilitator, lookup, paidIn }: SearchDeps,
  { query, filters = {} }: SearchArguments,
): Promise<JsonObject | Failure> {
  const page = await facilitator.search({ query, ...filters });
  if (page instanceof Failure) return page;
  const resources = page.resources.flatMap((listing) => {
    lookup.remember(listing);
    return entryOf(listing, shownTerms(listing, paidIn)) ?? [];
  });
  const { partialResults, cursor } = page;
  return { query, count: resources.length, resources, partialResults, cursor: cursor ?? null };
}

/** Returns undefined for a listing that cannot be called. Cuts and cleans its texts, since an agent reads them. */
function entryOf(listing: JsonObject, terms: JsonObject | undefined): JsonObject | undefined {
  const key = listingKey(listing);
  if (key === undefined) return undefined;
  const price = priceOf(terms);
  const stale = staleMark(listing);
  const { serviceName, description, mimeType, tags, lastUpdated } = listing;
  const { input, omitted } = inputEntry(listing, key.type);
  return {
    id: formatResourceId(key),
    type: key.type,
    resource: key.resource,
    toolName: key.toolName || null,
    name: cleanText(serviceName, CATALOG_LIMITS.maxNameChars),
    description: cleanText(description, CATALOG_LIMITS.maxDescriptionChars),
    price,
    network: price?.['network'] ?? null,
    ...(stale && { stale: { ...stale } }),
    input,
    ...(omitted.length > 0 && { omitted }),
    mimeType: cleanText(mimeType, CATALOG_LIMITS.maxNameChars),
    tags: (Array.isArray(tags) ? tags.slice(0, CATALOG_LIMITS.maxTags) : []).flatMap(
      (tag) => cleanText(tag, CATALOG_LIMITS.maxNameChars) ?? [],
    ),
    lastUpdated: cleanText(lastUpdated, CATALOG_LIMITS.maxNameChars),
  };
}

function priceOf(terms: JsonObject | undefined): JsonObject | null {
  if (terms === undefined) return null;
  const text = (name: string): string | null => cleanText(terms[name], CATALOG_LIMITS.maxFilterChars);
  const amount = baseUnits(terms['amount']);
  const asset = text('asset');
  return {
    scheme: text('scheme'),
    network: text('network'),
    asset,
    amount: amount === undefined ? text('amount') : String(amount),
    text: (amount !== undefined && asset !== null && amountWithCode(amount, asset)) || null,
    payTo: text('payTo'),
  };
}

/** Describes how to call it: `example` shows an `input` for paid_call, and `schema` is the JSON Schema of `input`. */
function inputEntry(listing: JsonObject, type: 'http' | 'mcp'): { input: JsonObject; omitted: string[] } {
  const omitted: string[] = [];
  const bounded = (name: string, value: Json, maxChars: number): Json => {
    if (JSON.stringify(value).length <= maxChars) return cleanJson(value);
    omitted.push(name);
    return null;
  };
  const [example, schema] = type === 'mcp' ? toolInput(listing) : httpInput(listing);
  const convention = type === 'http' ? httpConvention(listing) : undefined;
  const input = {
    method: convention?.method ?? null,
    bodyType: convention?.bodyType ?? null,
    example: bounded('example', example, CATALOG_LIMITS.maxExampleChars),
    schema: bounded('schema', schema, CATALOG_LIMITS.maxSchemaChars),
  };
  return { input, omitted };
}

type ExampleAndSchema = [example: Json, schema: Json];

function toolInput(listing: JsonObject): ExampleAndSchema {
  const { inputSchema = null } = inputOf(listing);
  const { example } = toolConvention(listing);
  return [Object.keys(example).length > 0 ? example : null, inputSchema];
}

/** Makes one flat object of the path parameters, the query parameters and the body fields, by their names alone. */
function httpInput(listing: JsonObject): ExampleAndSchema {
  const convention = httpConvention(listing);
  return [exampleInput(convention), schemaInput(listing, convention)];
}

function exampleInput({ example, bodyType }: HttpConvention): Json {
  const { pathParams, queryParams, body } = example;
  const ofBody = isObject(body)
    ? body
    : typeof body === 'string' && bodyType === 'text'
      ? { text: body }
      : {};
  const flat = { ...pathParams, ...queryParams, ...ofBody };
  return Object.keys(flat).length > 0 ? flat : null;
}

function schemaInput(listing: JsonObject, { bodyType, pathNames }: HttpConvention): Json {
  const sections = (['pathParams', 'queryParams', ...(bodyType ? (['body'] as const) : [])] as const).map(
    (section) => (section === 'body' && bodyType === 'text' ? TEXT_BODY : parameterSchema(listing, section)),
  );
  const declared = sections.filter((section) => Object.keys(section).length > 0);
  const [only] = declared;
  if (declared.length === 1 && only !== undefined && pathNames.length === 0) return only;
  const properties = Object.fromEntries([
    ...pathNames.map((name) => [name, { type: 'string' }] as const),
    ...declared.flatMap(({ properties }) => (isObject(properties) ? Object.entries(properties) : [])),
  ]);
  if (Object.keys(properties).length === 0) return null;
  const required = declared.flatMap((section) =>
    Array.isArray(section['required']) ? section['required'] : [],
  );
  return { type: 'object', properties, required: [...new Set([...pathNames, ...required])] };
}

const TEXT_BODY: JsonObject = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
};
