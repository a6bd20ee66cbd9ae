import { isDeepStrictEqual } from 'node:util';
import { array, namesOf, object, referenceOf, resolve, show } from './document.ts';
import type { Documents, Finding, Json, Report } from './document.ts';
import { createSchemaComparison, type CompareSchemas } from './schemas.ts';

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

/** Fields that explain something to people, and change no request and no answer. */
const explanations = new Set('summary description externalDocs deprecated example examples links'.split(' '));

interface Operation {
  route: string;
  /** The operation, with what its path says for all operations. */
  node: Json;
}

interface Comparison extends Documents {
  report: Report;
  compareSchemas: CompareSchemas;
}

/**
 * Returns every change from one contract to the next that can break a client: its requests, its reading of the answers,
 * or the names that an SDK generator makes. Includes changes that cannot be judged. Does not change the contracts.
 */
export function findBreakingChanges(documents: Documents): Finding[] {
  const findings = new Map<string, Finding>();
  const report: Report = (place, rule, text) => findings.set(`${place} ${rule}`, { place, rule, text });
  const reached = new Set<string>();
  const compareSchemas = createSchemaComparison(documents, report, reached);
  const comparison = { ...documents, report, compareSchemas };

  compareRest(comparison, 'contract', documents.before, documents.after, documentKeys);
  const securityIn = ({ components }: Json) => object(object(components).securitySchemes);
  const schemes = [securityIn(documents.before), securityIn(documents.after)] as const;
  compareRest(comparison, 'securitySchemes', ...schemes, new Set());
  const [old, next] = [operationsOf(documents.before), operationsOf(documents.after)];
  for (const [id, operation] of old) {
    const same = next.get(id) ?? [...next.values()].find(({ route }) => route === operation.route);
    if (same === undefined) report(id, 'operation-removed', `${operation.route} is gone.`);
    else compareOperations(comparison, id, operation, same);
  }
  const schemas = object(object(documents.after.components).schemas);
  for (const name of Object.keys(object(object(documents.before.components).schemas))) {
    if (!(name in schemas)) report(name, 'schema-removed', 'The schema is gone, and its type in SDKs.');
    else if (!reached.has(name)) compareUnreached(compareSchemas, name);
  }
  for (const kind of ['parameters', 'requestBodies', 'responses', 'headers']) {
    const [were, are] = [documents.before, documents.after].map(({ components }) =>
      object(object(components)[kind]),
    );
    for (const name of Object.keys(were!)) {
      if (!(name in are!))
        report(`${kind} ${name}`, 'component-removed', 'The component is gone, and its type in SDKs.');
    }
  }
  return [...findings.values()];
}

/** Compares a schema in both directions if no request or answer refers to it, since it may be used in either. */
function compareUnreached(compareSchemas: CompareSchemas, name: string): void {
  const reference = { $ref: `#/components/schemas/${name}` };
  compareSchemas('request', { place: name, old: reference, next: reference });
  compareSchemas('response', { place: name, old: reference, next: reference });
}

/** Returns the operations by the names that SDKs give them. */
function operationsOf(document: Json): Map<string, Operation> {
  const operations = new Map<string, Operation>();
  for (const [path, item] of Object.entries(object(document.paths))) {
    const { parameters, ...shared } = resolve(document, item);
    for (const method of methods) {
      if (!(method in shared)) continue;
      const own = object(shared[method]);
      const route = `${method.toUpperCase()} ${path}`;
      const node = {
        ...own,
        parameters: [...array(parameters), ...array(own.parameters)],
        security: own.security ?? document.security ?? [],
        servers: own.servers ?? shared.servers ?? document.servers ?? [],
      };
      operations.set(typeof own.operationId === 'string' ? own.operationId : route, { route, node });
    }
  }
  return operations;
}

function compareOperations(comparison: Comparison, id: string, old: Operation, next: Operation): void {
  const { before, after, report } = comparison;
  const [from, to] = [old.node, next.node];
  if (old.route !== next.route) report(id, 'operation-moved', `${old.route} is ${next.route}.`);
  if (from.operationId !== to.operationId)
    report(id, 'operation-renamed', `The operation is now ${show(to.operationId)}.`);
  if (!isDeepStrictEqual(array(from.tags), array(to.tags)))
    report(id, 'operation-tags-changed', 'SDKs that group operations by tag have it in another place.');
  const isOpen =
    array(to.security).length === 0 || array(to.security).some((one) => isDeepStrictEqual(one, {}));
  if (!isOpen && !isDeepStrictEqual(from.security, to.security))
    report(
      id,
      'operation-security-changed',
      `security was ${show(from.security)} and is ${show(to.security)}.`,
    );
  const urls = array(to.servers).map((server) => object(server).url);
  for (const server of array(from.servers)) {
    if (!urls.includes(object(server).url))
      report(`${id} ${String(object(server).url)}`, 'server-removed', 'The server is gone.');
  }
  compareParameters(comparison, id, array(from.parameters), array(to.parameters));
  compareRequestBody(comparison, id, from.requestBody, to.requestBody);
  compareEach(from.responses, to.responses, {
    removed: (status) => report(`${id} ${status}`, 'response-status-removed', 'The status is gone.'),
    // Clients that do not know an error status know its class (RFC 9110, section 15).
    added: (status) => {
      if (/^[123]/.test(status))
        report(`${id} ${status}`, 'response-status-added', 'Clients do not know the status.');
    },
    both: (status, was, is) =>
      compareResponse(comparison, `${id} ${status}`, resolve(before, was), resolve(after, is)),
  });
  compareRest(comparison, id, from, to, operationKeys);
}

function compareParameters(comparison: Comparison, id: string, from: unknown[], to: unknown[]): void {
  const { before, after, report, compareSchemas } = comparison;
  const [were, are] = [parametersByName(before, from), parametersByName(after, to)];
  const names = Object.keys(are);
  const kept = Object.keys(were).filter((name) => name in are);
  if (kept.some((name, at) => names[at] !== name))
    report(id, 'parameter-order', 'SDKs that take parameters by their place take them for others.');
  compareEach(were, are, {
    removed: (name) => report(`${id} ${name}`, 'parameter-removed', 'The parameter is gone.'),
    added: (name, is) => {
      if (object(is).required === true)
        report(`${id} ${name}`, 'parameter-required', 'Requests must have it now.');
    },
    both: (name, was, is) => {
      const place = `${id} ${name}`;
      const [old, next] = [object(was), object(is)];
      if (next.required === true && old.required !== true)
        report(place, 'parameter-required', 'Requests must have it now.');
      compareSchemas('request', { place, old: old.schema ?? true, next: next.schema ?? true });
      compareContent(comparison, 'request', place, old.content, next.content);
      compareRest(comparison, place, old, next, parameterKeys);
    },
  });
}

function parametersByName(document: Json, parameters: unknown[]): Json {
  const resolved = parameters.map((parameter) => resolve(document, parameter));
  return Object.fromEntries(resolved.map((one) => [`${String(one.in)} ${String(one.name)}`, one]));
}

function compareRequestBody(comparison: Comparison, id: string, from: unknown, to: unknown): void {
  const { before, after, report } = comparison;
  const [was, is] = [resolve(before, from), resolve(after, to)];
  const place = referenceOf(from) ?? `${id} body`;
  if (from !== undefined && to === undefined)
    return report(place, 'request-body-removed', 'The body is gone.');
  if (is.required === true && was.required !== true)
    report(place, 'request-body-required', 'Requests must have a body now.');
  compareContent(comparison, 'request', place, was.content, is.content);
  compareRest(comparison, place, was, is, bodyKeys);
}

function compareResponse(comparison: Comparison, place: string, from: Json, to: Json): void {
  const { before, after, report, compareSchemas } = comparison;
  compareEach(from.headers, to.headers, {
    removed: (name) => report(`${place} ${name}`, 'response-header-removed', 'The header is gone.'),
    both: (name, was, is) => {
      const header = referenceOf(was) ?? `${place} ${name}`;
      const [old, next] = [resolve(before, was), resolve(after, is)];
      if (old.required === true && next.required !== true)
        report(header, 'response-header-optional', 'Responses may lack it now.');
      compareSchemas('response', { place: header, old: old.schema ?? true, next: next.schema ?? true });
      compareContent(comparison, 'response', header, old.content, next.content);
      compareRest(comparison, header, old, next, parameterKeys);
    },
  });
  compareContent(comparison, 'response', place, from.content, to.content);
  compareRest(comparison, place, from, to, bodyKeys);
}

function compareContent(
  comparison: Comparison,
  direction: 'request' | 'response',
  place: string,
  from: unknown,
  to: unknown,
): void {
  const { report, compareSchemas } = comparison;
  compareEach(from, to, {
    removed: (type) =>
      report(`${place} ${type}`, `${direction}-media-type-removed`, 'The media type is gone.'),
    added: (type) => {
      if (direction === 'response')
        report(`${place} ${type}`, 'response-media-type-added', 'Clients do not know the media type.');
    },
    both: (type, was, is) => {
      const [old, next] = [object(was), object(is)];
      compareSchemas(direction, {
        place: `${place} body`,
        old: old.schema ?? true,
        next: next.schema ?? true,
      });
      compareRest(comparison, `${place} ${type}`, old, next, new Set(['schema']));
    },
  });
}

interface EachVisitor {
  removed(name: string): void;
  added?(name: string, is: unknown): void;
  both(name: string, was: unknown, is: unknown): void;
}

function compareEach(from: unknown, to: unknown, visitor: EachVisitor): void {
  const [old, next] = [object(from), object(to)];
  for (const name of namesOf(old, next)) {
    if (!(name in next)) visitor.removed(name);
    else if (!(name in old)) visitor.added?.(name, next[name]);
    else visitor.both(name, old[name], next[name]);
  }
}

const documentKeys = new Set('info servers security tags paths components'.split(' '));
const operationKeys = new Set(
  'operationId tags parameters requestBody responses security servers'.split(' '),
);
const parameterKeys = new Set('name in required schema content'.split(' '));
const bodyKeys = new Set('required content headers'.split(' '));

/** Reports a change of anything that is compared nowhere else, since nobody can tell what it breaks. */
function compareRest(
  { report }: Comparison,
  place: string,
  from: Json,
  to: Json,
  elsewhere: Set<string>,
): void {
  for (const key of namesOf(from, to)) {
    if (elsewhere.has(key) || explanations.has(key) || isDeepStrictEqual(from[key], to[key])) continue;
    const text = `${key} was ${show(from[key])} and is ${show(to[key])}. This cannot be judged: declare it.`;
    report(place, `${key}-unjudged`, text);
  }
}
