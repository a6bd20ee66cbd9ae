/** Builds the request that calls an http resource: by a listing's convention, or as the agent says. */
import { FormData, Response } from 'undici';
import type { BodyInit } from 'undici';
import { hasBody, PATH_PARAMETER } from '../catalog/listing.ts';
import type { BodyType, HttpConvention, Method } from '../catalog/listing.ts';
import { Failure } from '../codes.ts';
import { isObject, parseJson } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';
import { TARGET_LIMITS } from '../limits.ts';
import { quoted } from '../words.ts';

export interface HttpRequest {
  readonly url: URL;
  readonly method: Method;
  readonly headers: Readonly<Record<string, string>>;
  /** Every attempt sends the same bytes. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** The agent's input (values by name, or the text of a text body) and headers. */
export interface Given {
  readonly input: JsonObject | string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/** Values, sorted by where they go. */
interface Parts {
  pathParams: JsonObject;
  query: JsonObject;
  /** Undefined for a request without a body. */
  body: Json | undefined;
}

/** Builds the request by the listing: from `input`, or from the listing's example if there is no `input`. */
export async function requestByListing(
  resource: string,
  convention: HttpConvention,
  { input, headers }: Given,
): Promise<HttpRequest | Failure> {
  const { method, bodyType, example } = convention;
  const parts =
    input === undefined
      ? { pathParams: example.pathParams, query: example.queryParams, body: example.body }
      : partsOf(input, convention);
  if (parts instanceof Failure) return parts;
  const url = fillPath(resource, convention.pathNames, parts.pathParams);
  if (url instanceof Failure) return url;
  const given = headers ?? allowedOnly(example.headers);
  return buildRequest({
    url,
    method,
    bodyType: bodyType ?? 'json',
    query: parts.query,
    body: parts.body,
    headers: given,
  });
}

/** Builds the request as the agent says: `input` is the query of methods without a body, and the body of the others. */
export async function requestByUrl(
  url: URL,
  { method = 'GET', bodyType = 'json' }: { method?: Method | undefined; bodyType?: BodyType | undefined },
  { input, headers = {} }: Given,
): Promise<HttpRequest | Failure> {
  if (hasBody(method)) {
    const body = bodyType === 'text' && input !== undefined ? textOf(input) : asObject(input);
    if (body instanceof Failure) return body;
    return buildRequest({ url, method, bodyType, query: {}, body, headers });
  }
  const query = asObject(input);
  if (query instanceof Failure) return query;
  return buildRequest({ url, method, bodyType, query: query ?? {}, body: undefined, headers });
}

/**
 * Puts values where their names belong: into the path by its template, or into the query if the method has no body or
 * only the query declares the name, or else into the body. A path name that is declared elsewhere also goes there.
 */
function partsOf(
  input: JsonObject | string,
  { method, bodyType, pathNames, queryNames, bodyNames }: HttpConvention,
): Parts | Failure {
  if (bodyType === 'text' && typeof input === 'string') return { pathParams: {}, query: {}, body: input };
  const values = asObject(input);
  if (values instanceof Failure) return values;
  const pathParams: JsonObject = {};
  const query: JsonObject = {};
  const body: JsonObject = {};
  for (const [name, value] of Object.entries(values ?? {})) {
    const isBodyField = bodyNames.has(name) && hasBody(method);
    if (pathNames.includes(name)) define(pathParams, name, value);
    if (queryNames.has(name) && !isBodyField) define(query, name, value);
    else if (isBodyField || (hasBody(method) && !pathNames.includes(name))) define(body, name, value);
    else if (!pathNames.includes(name)) define(query, name, value);
  }
  if (!hasBody(method)) return { pathParams, query, body: undefined };
  if (bodyType !== 'text') return { pathParams, query, body };
  const text = textOf(body);
  return text instanceof Failure ? text : { pathParams, query, body: text };
}

/** Sets a property of any name, even `__proto__`. */
function define(target: JsonObject, name: string, value: Json): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Also accepts JSON text, since some models write the object so. */
function asObject(input: JsonObject | string | undefined): JsonObject | undefined | Failure {
  if (typeof input !== 'string') return input;
  const parsed = parseJson(input, TARGET_LIMITS.maxJsonDepth);
  return isObject(parsed) ? parsed : invalid('input must be an object of values by name.');
}

/** Accepts a text body as a text, or as the only text in an object. */
function textOf(input: JsonObject | string): string | Failure {
  if (typeof input === 'string') return input;
  const [text, ...others] = Object.values(input);
  if (typeof text === 'string' && others.length === 0) return text;
  return invalid('The body is a plain text: give it as input {"text": "…"}.');
}

/** Returns the URL with its parameters filled in. Refuses values that could lead to another path. */
function fillPath(resource: string, names: readonly string[], values: JsonObject): URL | Failure {
  const template = new URL(resource);
  const texts = new Map(names.map((name) => [name, scalarText(values[name])]));
  const missing = names.filter((name) => texts.get(name) === undefined);
  if (missing.length > 0)
    return invalid(`The path needs values, each a text or a number in input: ${quoted(missing.join(', '))}.`);
  const unfit = names.find((name) => !isPathValue(texts.get(name) ?? ''));
  if (unfit !== undefined)
    return invalid(
      `${quoted(unfit)} is part of the path: it must not be empty, "." or "..", nor hold a slash or a control character.`,
    );
  const filled = new URL(template);
  if (names.length > 0)
    filled.pathname = template.pathname.replace(PATH_PARAMETER, (_, name: string) =>
      encodeURIComponent(texts.get(name) ?? ''),
    );
  return filled;
}

function scalarText(value: Json | undefined): string | undefined {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? String(value) : undefined;
}

function isPathValue(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && text.isWellFormed() && !/[/\\\p{Cc}]/u.test(text);
}

interface RequestParts {
  url: URL;
  method: Method;
  bodyType: BodyType;
  query: JsonObject;
  body: Json | undefined;
  headers: Readonly<Record<string, string>>;
}

async function buildRequest(parts: RequestParts): Promise<HttpRequest | Failure> {
  const { method, query } = parts;
  const headers = headersOf(parts.headers);
  if (headers instanceof Failure) return headers;
  const url = new URL(parts.url);
  url.hash = '';
  // Sorted by name: the same input makes the same request.
  for (const name of Object.keys(query).toSorted()) {
    for (const value of textsOf(query[name] ?? null)) url.searchParams.append(name, value);
  }
  if (url.href.length > TARGET_LIMITS.maxUrlChars)
    return invalid(`The URL would be longer than ${TARGET_LIMITS.maxUrlChars} characters.`);
  if (parts.body === undefined) return { url, method, headers, body: undefined };
  const { contentType, bytes } = await encodeBody(parts.bodyType, parts.body);
  return { url, method, headers: { ...headers, 'content-type': contentType }, body: bytes };
}

async function encodeBody(
  bodyType: BodyType,
  body: Json,
): Promise<{ contentType: string; bytes: Uint8Array<ArrayBuffer> }> {
  const encoded = new Response(bodyInit(bodyType, body));
  const contentType = bodyType === 'json' ? 'application/json' : (encoded.headers.get('content-type') ?? '');
  return { contentType, bytes: new Uint8Array(await encoded.arrayBuffer()) };
}

function bodyInit(bodyType: BodyType, body: Json): BodyInit {
  if (bodyType === 'json') return JSON.stringify(body);
  if (bodyType === 'text') return typeof body === 'string' ? body : JSON.stringify(body);
  const form = new FormData();
  for (const [name, value] of Object.entries(isObject(body) ? body : {})) {
    for (const text of textsOf(value)) form.append(name, text);
  }
  return form;
}

/** Writes a value for parameters and form fields: a list is repeated, an object is JSON, and null is left out. */
function textsOf(value: Json): string[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return [typeof value === 'object' ? JSON.stringify(value) : String(value)];
}

/** The headers that an agent may set. This server sets all others, or they would carry credentials. */
export const ALLOWED_HEADERS = [
  'accept',
  'accept-language',
  'idempotency-key',
  'if-modified-since',
  'if-none-match',
  'prefer',
  'range',
];

function headersOf(given: Readonly<Record<string, string>>): Record<string, string> | Failure {
  const headers: Record<string, string> = { accept: 'application/json, */*;q=0.5' };
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!ALLOWED_HEADERS.includes(lower))
      return invalid(
        `The header ${JSON.stringify(name.slice(0, 64))} may not be set; these may: ${ALLOWED_HEADERS.join(', ')}.`,
      );
    if (!isHeaderValue(value))
      return invalid(`The header ${lower} must be printable ASCII of moderate length.`);
    headers[lower] = value;
  }
  return headers;
}

function isHeaderValue(value: string): boolean {
  return /^[\x20-\x7e]*$/.test(value) && value.length <= TARGET_LIMITS.maxHeaderValueChars;
}

/** Keeps the headers of a listing's example that may be set. */
function allowedOnly(headers: JsonObject): Record<string, string> {
  const allowed = Object.entries(headers).filter(
    (entry): entry is [string, string] =>
      ALLOWED_HEADERS.includes(entry[0].toLowerCase()) &&
      typeof entry[1] === 'string' &&
      isHeaderValue(entry[1]),
  );
  return Object.fromEntries(allowed);
}

function invalid(reason: string): Failure {
  return new Failure('svc_mcp_invalid_arguments', `${reason} Nothing was sent and nothing was paid.`);
}
