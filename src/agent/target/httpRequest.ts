/** Builds the request that calls an http resource: by a listing's convention, or as the agent says. */
import { FormData, Response, type BodyInit } from 'undici';
import { hasBody, type BodyType, type HttpConvention, type Method } from '../catalog/listing.ts';
import { Failure, invalidArguments } from '../codes.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { TARGET_LIMITS } from '../limits.ts';
import { allowedHeaders, headersOf } from './headers.ts';
import { asObject, fillPath, sortInput, textOf } from './httpInput.ts';

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

/** Builds the request by the listing: from `input`, or from the listing's example if there is no `input`. */
export async function requestByListing(
  resource: string,
  convention: HttpConvention,
  { input, headers }: Given,
): Promise<HttpRequest | Failure> {
  const { method, bodyType = 'json', example } = convention;
  const sorted =
    input === undefined
      ? { pathParams: example.pathParams, query: example.queryParams, body: example.body }
      : sortInput(input, convention);
  if (sorted instanceof Failure) return sorted;
  const { pathParams, query, body } = sorted;
  const url = fillPath(resource, convention.pathNames, pathParams);
  if (url instanceof Failure) return url;
  return buildRequest({
    url,
    method,
    bodyType,
    query,
    body,
    headers: headers ?? allowedHeaders(example.headers),
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
    return invalidArguments(`The URL would be longer than ${TARGET_LIMITS.maxUrlChars} characters.`);
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
