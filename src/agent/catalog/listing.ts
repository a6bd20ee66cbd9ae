/** Reads a listing as an agent needs it: its identity, and how to call it. The seller wrote everything in it. */
import { isObject, objectAt, textAt, valueAt, type Json, type JsonObject } from '../json.ts';
import { isListingKey, type ListingKey } from '../resourceId.ts';

export const METHODS = ['GET', 'HEAD', 'DELETE', 'POST', 'PUT', 'PATCH'] as const;
export type Method = (typeof METHODS)[number];
export const BODY_TYPES = ['json', 'form-data', 'text'] as const;
export type BodyType = (typeof BODY_TYPES)[number];

export function hasBody(method: Method): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/** Describes how to call an http resource. */
export interface HttpConvention {
  readonly method: Method;
  /** Undefined for methods without a body. */
  readonly bodyType: BodyType | undefined;
  /** The names of the parameters in the path of the listing's URL. */
  readonly pathNames: readonly string[];
  /** The names declared as query parameters, and below them those declared as body fields. */
  readonly queryNames: ReadonlySet<string>;
  readonly bodyNames: ReadonlySet<string>;
  readonly example: HttpExample;
}

/** Example values that the seller declared. */
export interface HttpExample {
  readonly pathParams: JsonObject;
  readonly queryParams: JsonObject;
  readonly body: Json | undefined;
  readonly headers: JsonObject;
}

/** Describes how to call an MCP tool. */
export interface ToolConvention {
  readonly transport: 'streamable-http' | 'sse';
  readonly example: JsonObject;
}

/** Returns undefined for a listing that cannot be called: its type is unknown, or its URL or tool name is unusable. */
export function listingKey(listing: JsonObject): ListingKey | undefined {
  const { type, resource } = listing;
  if (typeof resource !== 'string') return undefined;
  const toolName = type === 'mcp' ? (textAt(inputOf(listing), 'toolName') ?? '') : '';
  return isListingKey(type, resource, toolName) ? { type, resource, toolName } : undefined;
}

export function httpConvention(listing: JsonObject): HttpConvention {
  const input = inputOf(listing);
  const body = valueAt(input, 'body');
  const declaredMethod = METHODS.find((method) => method === input['method']);
  const method = declaredMethod ?? (body === undefined ? 'GET' : 'POST');
  const bodyType = BODY_TYPES.find((type) => type === input['bodyType']) ?? 'json';
  return {
    method,
    bodyType: hasBody(method) ? bodyType : undefined,
    pathNames: pathNames(listing),
    queryNames: declaredNames(listing, 'queryParams'),
    bodyNames: declaredNames(listing, 'body'),
    example: {
      pathParams: objectAt(input, 'pathParams'),
      queryParams: objectAt(input, 'queryParams'),
      body: hasBody(method) ? body : undefined,
      headers: objectAt(input, 'headers'),
    },
  };
}

export function toolConvention(listing: JsonObject): ToolConvention {
  const input = inputOf(listing);
  return {
    transport: input['transport'] === 'sse' ? 'sse' : 'streamable-http',
    example: objectAt(input, 'example'),
  };
}

/** Matches `:name` at the start of a path segment. Used if the seller declared a template or path parameters. */
export const PATH_PARAMETER = /(?<=\/):(\w+)/g;

function pathNames(listing: JsonObject): string[] {
  const bazaar = objectAt(listing, 'extensions', 'bazaar');
  const hasTemplate = typeof bazaar['routeTemplate'] === 'string' || isObject(inputOf(listing)['pathParams']);
  if (!hasTemplate) return [];
  const { pathname } = new URL(textAt(listing, 'resource') ?? '');
  return [...pathname.matchAll(PATH_PARAMETER)].map(([, name = '']) => name);
}

/** Returns the names in the example and in the schema. */
function declaredNames(listing: JsonObject, section: 'queryParams' | 'body'): Set<string> {
  const { properties } = parameterSchema(listing, section);
  return new Set([...Object.keys(objectAt(inputOf(listing), section)), ...Object.keys(objectAt(properties))]);
}

/** Returns the JSON Schema of one kind of parameters of an http listing; empty if none is declared. */
export function parameterSchema(
  listing: JsonObject,
  section: 'pathParams' | 'queryParams' | 'body',
): JsonObject {
  return objectAt(listing, 'extensions', 'bazaar', 'schema', 'properties', 'input', 'properties', section);
}

/** Returns `info.input` of the seller's declaration. */
export function inputOf(listing: JsonObject): JsonObject {
  return objectAt(listing, 'extensions', 'bazaar', 'info', 'input');
}
