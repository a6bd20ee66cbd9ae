import type { CatalogRefusal, ListingKey } from '../listing.ts';
import { isObject, type JsonObject } from './json.ts';
import { refuse, shown } from './refusal.ts';

const QUERY_METHODS = ['GET', 'HEAD', 'DELETE'];
const BODY_METHODS = ['POST', 'PUT', 'PATCH'];
const METHODS = [...QUERY_METHODS, ...BODY_METHODS];
const BODY_TYPES = ['json', 'form-data', 'text'];
const TRANSPORTS = ['streamable-http', 'sse'];

/** The part of a resource's key that says how to call it, and does not come from its URL. */
export type Call = Pick<ListingKey, 'type' | 'toolName'>;

/** Checks `info` against the rules of the protocol's bazaar extension, and returns how to call the resource. */
export function readCall(info: unknown): Call | CatalogRefusal {
  if (!isObject(info)) return violation('info', 'must be an object', info);
  const { input } = info;
  if (!isObject(input)) return violation('info.input', 'must be an object', input);
  const refusal = checkOutput(info) ?? checkType(input);
  if (refusal !== undefined) return refusal;
  return input.type === 'mcp' ? readTool(input) : readRequest(input);
}

function checkOutput({ output }: JsonObject): CatalogRefusal | undefined {
  return checkObject('info.output', output);
}

function checkType({ type }: JsonObject): CatalogRefusal | undefined {
  return checkOneOf('info.input.type', type, ['http', 'mcp']);
}

function readRequest(input: JsonObject): Call | CatalogRefusal {
  return checkMethod(input) ?? checkBody(input) ?? checkExamples(input) ?? { type: 'http', toolName: '' };
}

function checkMethod({ method }: JsonObject): CatalogRefusal | undefined {
  // Some sellers that do not use the stock library leave it out.
  return isAbsent(method) ? undefined : checkOneOf('info.input.method', method, METHODS);
}

function checkBody({ method, bodyType, body }: JsonObject): CatalogRefusal | undefined {
  if (isAbsent(bodyType)) return undefined;
  const refusal = checkOneOf('info.input.bodyType', bodyType, BODY_TYPES);
  if (refusal !== undefined) return refusal;
  if (!isAbsent(method) && !BODY_METHODS.includes(method as string)) {
    return violation('info.input.bodyType', `goes with ${list(BODY_METHODS)} only, and method is`, method);
  }
  return checkBodyOfType(bodyType, body);
}

function checkBodyOfType(bodyType: unknown, body: unknown): CatalogRefusal | undefined {
  // Without an example, the stock seller declares an empty object for a body of any type.
  if (bodyType === 'json' || body === undefined || body === null || isObject(body)) return undefined;
  if (bodyType === 'text' && typeof body === 'string') return undefined;
  const wanted = bodyType === 'text' ? 'a string' : 'an object';
  return violation('info.input.body', `must be ${wanted} for bodyType ${shown(bodyType)}`, body);
}

function checkExamples(input: JsonObject): CatalogRefusal | undefined {
  for (const name of ['queryParams', 'pathParams', 'headers']) {
    const refusal = checkObject(`info.input.${name}`, input[name]);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function readTool({ toolName, inputSchema, transport }: JsonObject): Call | CatalogRefusal {
  if (typeof toolName !== 'string' || toolName === '') {
    return violation('info.input.toolName', 'must name the tool', toolName);
  }
  if (!isObject(inputSchema)) {
    return violation('info.input.inputSchema', "must be an object, the tool's JSON Schema", inputSchema);
  }
  const refusal = isAbsent(transport) ? undefined : checkOneOf('info.input.transport', transport, TRANSPORTS);
  return refusal ?? { type: 'mcp', toolName: toolName.toWellFormed() };
}

/** True when a field is missing. An empty string counts as missing. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === '';
}

function checkOneOf(place: string, value: unknown, allowed: readonly string[]): CatalogRefusal | undefined {
  if (typeof value === 'string' && allowed.includes(value)) return undefined;
  return violation(place, `must be one of ${list(allowed)}`, value);
}

/** Accepts an object, null or a missing value: these objects are optional. */
function checkObject(place: string, value: unknown): CatalogRefusal | undefined {
  if (value === undefined || value === null || isObject(value)) return undefined;
  return violation(place, 'must be an object', value);
}

function violation(place: string, rule: string, found: unknown): CatalogRefusal {
  const what = found === undefined ? 'it is missing' : `not ${shown(found)}`;
  return refuse('bazaar_spec_validation_failed', `${place} ${rule}, ${what}`);
}

function list(words: readonly string[]): string {
  return words.join(', ');
}
