import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { readCodeTable } from '../../codegen/codes/table.ts';
import { document, type ExtensionResponses } from '../../src/contract/index.ts';
import { codeOf } from './answerCode.ts';
import { noteCode } from './codes.ts';

/** A request's method and path, and what came back. `body` is the JSON value, or its text. */
export interface Exchange {
  method: string;
  path: string;
  status: number;
  headers: Headers | Record<string, string | string[] | undefined>;
  body: unknown;
}

interface HeaderObject {
  required?: boolean;
  schema: { type?: string; contentSchema?: { $ref: string } };
}
interface ResponseObject {
  headers?: Record<string, HeaderObject | { $ref: string }>;
  content: Record<string, { schema: object }>;
}

const contractId = 'openapi.yaml';
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strict: true, strictTypes: false });
(addFormats as unknown as typeof addFormats.default)(ajv);
ajv.addVocabulary(Object.keys(document));
ajv.addSchema(document, contractId, undefined, false);

/** The validator of the schema at a JSON pointer into openapi.yaml (`#/components/schemas/VerifyResponse`). */
export function validatorAt(pointer: string): ValidateFunction {
  const validate = ajv.getSchema(contractId + pointer);
  if (!validate) throw new Error(`openapi.yaml has nothing at ${pointer}`);
  return validate;
}

/** `POST /verify` and so on: the JSON pointer of each operation. */
export const operations: ReadonlyMap<string, string> = new Map(
  Object.entries(document['paths'] as Record<string, object>).flatMap(([path, item]) =>
    Object.keys(item).map((method) => [
      `${method.toUpperCase()} ${path}`,
      `#/paths/${path.replaceAll('/', '~1')}/${method}`,
    ]),
  ),
);

/**
 * Fails unless openapi.yaml documents this answer: the status for that operation, the content type, the headers and
 * the body. What is no operation must answer like any unknown route.
 */
export function expectDocumented(exchange: Exchange): void {
  const { method, status } = exchange;
  const path = exchange.path.split('?')[0] ?? '';
  const said = `${method} ${path} answered ${status}`;
  const operation = operations.get(`${method.toUpperCase().replace('HEAD', 'GET')} ${path}`);
  if (!operation) expect(status, `${said}; it is no route of the contract`).toBe(404);

  const responses = operation ? `${operation}/responses` : '#/components/responses';
  const key = operation ? String(status) : 'UnknownRoute';
  expect(
    Object.keys(at(responses) as object),
    `${said}, a status that openapi.yaml does not document`,
  ).toContain(key);

  const pointer = resolve(`${responses}/${key}`);
  const headers = lowerCased(exchange.headers);
  expectHeaders(said, pointer, headers);
  if (method.toUpperCase() === 'HEAD') return;
  const body: unknown = typeof exchange.body === 'string' ? JSON.parse(exchange.body) : exchange.body;
  expectValid(`${said} with ${JSON.stringify(body)}`, `${pointer}/content/application~1json/schema`, body);
  expectCodeOf(said, status, body);

  const place = operation ? `\`${path}\`` : 'any other path or method';
  noteCode({ family: familyOf(body), code: codeOf(body), place, status });
  const extensionResponses = headers['extension-responses'];
  if (extensionResponses === undefined) return;
  const { bazaar } = decode(String(extensionResponses)) as ExtensionResponses;
  noteCode({
    family: 'CatalogCode',
    code: bazaar?.code,
    place: `\`EXTENSION-RESPONSES\` of ${place}`,
    status,
  });
}

/**
 * Fails unless this is an error envelope as openapi.yaml has it: for what never became a request of an operation, and
 * so has no status there.
 */
export function expectErrorEnvelope({
  status,
  headers,
  body,
}: Pick<Exchange, 'status' | 'headers' | 'body'>): void {
  const said = `an answer ${status} to a broken request`;
  expectHeaders(said, '#/components/responses/InternalError', lowerCased(headers));
  expectValid(`${said} with ${JSON.stringify(body)}`, '#/components/schemas/ErrorEnvelope', body);
  noteCode({
    family: familyOf(body),
    code: codeOf(body),
    place: 'incomplete HTTP requests',
    status,
  });
}

type LowerCasedHeaders = Record<string, string | string[] | undefined>;

function lowerCased(headers: Exchange['headers']): LowerCasedHeaders {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

function expectHeaders(said: string, pointer: string, found: LowerCasedHeaders): void {
  expect(String(found['content-type']), `the content type, when ${said}`).toMatch(
    /^application\/json(; *charset=utf-8)?$/i,
  );
  const { headers: documented = {} } = at(pointer) as ResponseObject;
  for (const name of Object.keys(documented)) {
    const header = resolve(`${pointer}/headers/${name}`);
    const { required, schema } = at(header) as HeaderObject;
    const value = found[name.toLowerCase()];
    if (required) expect(value, `the header ${name}, when ${said}`).toBeDefined();
    if (value === undefined) continue;
    // A header is text: `1` is an integer where the contract asks for one.
    const read = schema.type === 'integer' ? Number(value) : value;
    expectValid(`the header ${name}, when ${said}`, `${header}/schema`, read);
    if (!schema.contentSchema) continue;
    expectValid(`the content of ${name}, when ${said}`, schema.contentSchema.$ref, decode(String(value)));
  }
  if (!('EXTENSION-RESPONSES' in documented)) {
    expect(found['extension-responses'], `EXTENSION-RESPONSES, when ${said}`).toBeUndefined();
  }
}

/** A code travels with the statuses that its table in openapi.yaml says. */
function expectCodeOf(said: string, status: number, body: unknown): void {
  const code = codeOf(body);
  if (code === undefined) return expect(status, `${said} without a code`).toBe(200);
  const row = tables[familyOf(body)].find((row) => row.code === code);
  expect(row?.statuses, `${said} with ${code}`).toContain(status);
}

const familyOf = (body: unknown) =>
  'error' in (body as object) ? ('ErrorDetail.code' as const) : ('ReasonCode' as const);

function expectValid(what: string, pointer: string, value: unknown): void {
  const validate = validatorAt(pointer);
  const errors = validate(value) ? [] : validate.errors;
  expect(errors, `${what} breaks openapi.yaml at ${pointer}`).toEqual([]);
}

function decode(base64: string): unknown {
  const bytes = Buffer.from(base64, 'base64');
  expect(bytes.toString('base64'), 'a header in standard base64').toBe(base64);
  return JSON.parse(bytes.toString('utf8'));
}

/** Follows references until there is none. */
export function resolve(pointer: string): string {
  const value = at(pointer) as { $ref?: string };
  return value.$ref === undefined ? pointer : resolve(value.$ref);
}

/** The value at a JSON pointer into openapi.yaml. */
export function at(pointer: string): unknown {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  let value: unknown = document;
  for (const step of steps) {
    value = (value as Record<string, unknown>)[step];
    if (value === undefined) throw new Error(`openapi.yaml has nothing at ${pointer}`);
  }
  return value;
}

const codesAt = (pointer: string) => readCodeTable((at(pointer) as { description: string }).description).rows;

/** Where each code that an answer's body can carry has its row. */
const tables = {
  ReasonCode: codesAt('#/components/schemas/ReasonCode'),
  'ErrorDetail.code': codesAt('#/components/schemas/ErrorDetail/properties/code'),
};
