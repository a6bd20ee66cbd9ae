import { httpConvention, toolConvention, type BodyType, type Method } from '../catalog/listing.ts';
import type { Lookup } from '../catalog/lookup.ts';
import type { ListedPrices } from '../catalog/prices.ts';
import { staleMark, type StaleMark } from '../catalog/stale.ts';
import { Failure, invalidArguments } from '../codes.ts';
import type { Reach } from '../../net/reach.ts';
import type { TargetFetch } from '../http/fetch.ts';
import { isObject, parseJson, type JsonObject } from '../json.ts';
import { TARGET_LIMITS, type AgentLimits } from '../limits.ts';
import type { ListingKey } from '../resourceId.ts';
import type { Exchange } from './answer.ts';
import { readUrl, refuseHost } from './hosts.ts';
import { requestByListing, requestByUrl, type Given, type HttpRequest } from './httpRequest.ts';
import { createHttpTarget } from './httpTarget.ts';
import { createMcpTarget, type ToolTarget } from './mcpTarget.ts';

/** The arguments of paid_call, checked against their schema. */
export interface CallArguments {
  resourceId?: string;
  url?: string;
  toolName?: string;
  input?: JsonObject | string;
  method?: Method;
  bodyType?: BodyType;
  headers?: Record<string, string>;
  /** Base units of the asset to pay with. */
  maxAmount?: string;
}

/** Names a target as the agent or the listing does. */
export interface TargetName {
  readonly type: 'http' | 'mcp';
  readonly resource: string;
  /** Undefined for http. */
  readonly toolName: string | undefined;
  /** Undefined if its listing is not marked, or if it was called by its URL. */
  readonly stale: StaleMark | undefined;
}

export interface Target extends TargetName {
  readonly exchange: Exchange;
  /** Undefined if the target is a URL that no search has shown. */
  readonly listedPrices: ListedPrices | undefined;
}

export interface ResolveDeps {
  lookup: Lookup;
  fetch: TargetFetch;
  /** `host` or `host:port`; undefined for any. */
  allowedHosts: readonly string[] | undefined;
  /** The addresses that listings may lead to. */
  listingReach: Promise<Reach>;
  limits: AgentLimits;
}

/** Finds what to call, or says why it cannot be called. Asks the catalog for a listing, and nobody else. */
export async function resolveTarget(deps: ResolveDeps, args: CallArguments): Promise<Target | Failure> {
  const { resourceId, url, input } = args;
  if ((resourceId === undefined) === (url === undefined))
    return invalidArguments('Give either resourceId or url.');
  if (input !== undefined && Buffer.byteLength(JSON.stringify(input)) > TARGET_LIMITS.maxInputBytes)
    return invalidArguments(`input is larger than ${TARGET_LIMITS.maxInputBytes} bytes.`);
  return resourceId === undefined ? byUrl(deps, url ?? '', args) : byListing(deps, resourceId, args);
}

async function byListing(deps: ResolveDeps, id: string, args: CallArguments): Promise<Target | Failure> {
  const { toolName, method, bodyType } = args;
  if (method !== undefined || bodyType !== undefined)
    return invalidArguments('method and bodyType belong to a url: a listing says itself how it is called.');
  const found = await deps.lookup.find(id);
  if (found instanceof Failure) return found;
  const { key, listing, listedPrices } = found;
  if (toolName !== undefined && toolName !== key.toolName)
    return invalidArguments(
      `The listing is ${key.toolName ? 'of another tool' : 'not an MCP tool'}: leave toolName out, since the id names the tool.`,
    );
  const reach = await deps.listingReach;
  const address = { ...key, reach, listedPrices, stale: staleMark(listing) };
  if (key.type === 'mcp') {
    const { transport, example } = toolConvention(listing);
    return toolTarget(deps, { ...address, url: new URL(key.resource) }, { transport, example }, args);
  }
  const request = await requestByListing(key.resource, httpConvention(listing), given(args));
  return httpTarget(deps, address, request);
}

async function byUrl(deps: ResolveDeps, text: string, args: CallArguments): Promise<Target | Failure> {
  const url = readUrl(text);
  if (url instanceof Failure) return url;
  const { toolName, method, bodyType } = args;
  if (toolName !== undefined) {
    if (method !== undefined || bodyType !== undefined)
      return invalidArguments(
        'method and bodyType belong to an http resource: leave them out for an MCP tool.',
      );
    const listedPrices = shownPrices(deps, 'mcp', url, toolName);
    return toolTarget(
      deps,
      { resource: text, toolName, url, reach: 'any', listedPrices, stale: undefined },
      { transport: 'streamable-http', example: {} },
      args,
    );
  }
  const request = await requestByUrl(url, { method, bodyType }, given(args));
  const listedPrices = shownPrices(deps, 'http', url, '');
  return httpTarget(deps, { resource: text, reach: 'any', listedPrices, stale: undefined }, request);
}

/** Leaves out the query, since a listing's name is its address without a query. */
function shownPrices(
  { lookup }: ResolveDeps,
  type: ListingKey['type'],
  { origin, pathname }: URL,
  toolName: string,
): ListedPrices | undefined {
  return lookup.shownPrices({ type, resource: origin + pathname, toolName });
}

const given = ({ input, headers }: CallArguments): Given => ({ input, headers });

interface Address {
  resource: string;
  reach: Reach;
  listedPrices: ListedPrices | undefined;
  stale: StaleMark | undefined;
}

function httpTarget(
  { fetch, allowedHosts, limits }: ResolveDeps,
  { resource, reach, listedPrices, stale }: Address,
  request: HttpRequest | Failure,
): Target | Failure {
  if (request instanceof Failure) return request;
  const mayCall = (url: URL): boolean => refuseHost(url, allowedHosts) === undefined;
  const exchange = createHttpTarget({ fetch, reach, mayCall, limits }, request);
  return (
    refuseHost(request.url, allowedHosts) ?? {
      type: 'http',
      resource,
      toolName: undefined,
      exchange,
      listedPrices,
      stale,
    }
  );
}

function toolTarget(
  { fetch, allowedHosts, limits }: ResolveDeps,
  { url, reach, resource, toolName, listedPrices, stale }: Address & { url: URL; toolName: string },
  { transport, example }: Pick<ToolTarget, 'transport'> & { example: JsonObject },
  { input, headers }: CallArguments,
): Target | Failure {
  if (headers !== undefined)
    return invalidArguments('headers belong to an http resource: leave them out for an MCP tool.');
  const values =
    typeof input === 'string' ? parseJson(input, TARGET_LIMITS.maxJsonDepth) : (input ?? example);
  if (!isObject(values)) return invalidArguments("input must be an object: the tool's arguments by name.");
  const exchange = createMcpTarget({ fetch, url, reach, limits }, { toolName, input: values, transport });
  return refuseHost(url, allowedHosts) ?? { type: 'mcp', resource, toolName, exchange, listedPrices, stale };
}
