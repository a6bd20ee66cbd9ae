/** A listing as an agent needs it: which it is, and how it is called. Everything in it is its seller's word. */
import { isObject, objectAt, textAt, valueAt } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';
import { isListingKey } from '../resourceId.ts';
import type { ListingKey } from '../resourceId.ts';

export const METHODS = ['GET', 'HEAD', 'DELETE', 'POST', 'PUT', 'PATCH'] as const;
export type Method = (typeof METHODS)[number];
export const BODY_TYPES = ['json', 'form-data', 'text'] as const;
export type BodyType = (typeof BODY_TYPES)[number];

export function hasBody(method: Method): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/** How an http resource is called. */
export interface HttpConvention {
  readonly method: Method;
  /** Null for methods without a body. */
  readonly bodyType: BodyType | null;
  /** Parameters in the path of the listing's URL, by name. */
  readonly pathNames: readonly string[];
  /** Names that are declared as query parameters, and as fields of the body. */
  readonly queryNames: ReadonlySet<string>;
  readonly bodyNames: ReadonlySet<string>;
  readonly example: HttpExample;
}

/** The seller's own values. */
export interface HttpExample {
  readonly pathParams: JsonObject;
  readonly queryParams: JsonObject;
  readonly body: Json | undefined;
  readonly headers: JsonObject;
}

/** How an MCP tool is called. */
export interface ToolConvention {
  readonly transport: 'streamable-http' | 'sse';
  readonly example: JsonObject;
}

/** Undefined for a listing that cannot be called: of another type, or without what identifies it. */
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
    bodyType: hasBody(method) ? bodyType : null,
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

/** `:name` at the start of a path's segment, in a listing whose seller declared a template or path parameters. */
export const PATH_PARAMETER = /(?<=\/):(\w+)/g;

function pathNames(listing: JsonObject): string[] {
  const bazaar = objectAt(listing, 'extensions', 'bazaar');
  const hasTemplate = typeof bazaar['routeTemplate'] === 'string' || isObject(inputOf(listing)['pathParams']);
  if (!hasTemplate) return [];
  const { pathname } = new URL(textAt(listing, 'resource') ?? '');
  return [...pathname.matchAll(PATH_PARAMETER)].map(([, name = '']) => name);
}

/** The example's names, and those of the schema. */
function declaredNames(listing: JsonObject, section: 'queryParams' | 'body'): Set<string> {
  const { properties } = parameterSchema(listing, section);
  return new Set([...Object.keys(objectAt(inputOf(listing), section)), ...Object.keys(objectAt(properties))]);
}

/** The JSON Schema of one kind of parameters of an http listing; empty where none is declared. */
export function parameterSchema(
  listing: JsonObject,
  section: 'pathParams' | 'queryParams' | 'body',
): JsonObject {
  return objectAt(listing, 'extensions', 'bazaar', 'schema', 'properties', 'input', 'properties', section);
}

/** `info.input` of the seller's declaration. */
export function inputOf(listing: JsonObject): JsonObject {
  return objectAt(listing, 'extensions', 'bazaar', 'info', 'input');
}
