/** Whether an answer is one that the contract documents. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { codeOf } from '../../support/answerCode.ts';
import type { ContractDocument, Operation, Response, Schema } from './document.ts';
import type { Answer, FuzzRequest } from './exchange.ts';

/** What a request deserves by the contract. */
export interface Expectation {
  readonly statuses: readonly number[];
  /** The code of the answer is one of these; left out where it is any that the status allows, or none. */
  readonly codes?: readonly string[];
  /** The network that an answer names which names one. */
  readonly network?: string;
}

/** Everything wrong with an answer, in sentences; empty when it is as documented. `operation` is undefined for no route. */
export type Judge = (
  operation: Operation | undefined,
  request: FuzzRequest,
  answer: Answer,
  expected: Expectation,
) => string[];

/** Not of the service but of HTTP, which every server sends. */
const HEADERS_OF_HTTP = [
  'content-type',
  'content-length',
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
];
const CONTENT_TYPE = /^application\/json(; ?charset=utf-8)?$/i;
const PAGE_TYPE = 'text/html; charset=utf-8';
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const X402_VERSION = 2;

/** What no answer may show, whatever its schema says of the place. */
const LEAKS: Readonly<Record<string, RegExp>> = {
  'a secret key': /\bS[A-Z2-7]{55}\b/,
  'a stack trace or a path of the source': /\n\s+at |node_modules|\b\w+\.ts:\d/,
  'a JavaScript value in place of a text': /\[object \w+\]|"undefined"/,
};

export function createJudge({ unknownRoute, reasonRows, errorRows, operations }: ContractDocument): Judge {
  const schemas = createSchemas();
  const served = operations.map(({ method, path }) => `${method} ${path}`);
  /** The id of the last answer. */
  let lastId: unknown;

  return (operation, request, answer, expected) => {
    const { status, headers } = answer;
    const response = operation ? operation.responses.get(status) : status === 404 ? unknownRoute : undefined;
    if (!response) return [`${status} is not documented here`];
    const complaints = [
      ...statusComplaints(answer, expected),
      ...headerComplaints(response, headers),
      ...requestIdComplaints(request, headers, lastId),
    ];
    lastId = headers['x-request-id'];
    // Only its headers come back.
    if (request.method === 'HEAD') {
      return answer.body.length > 0 ? [...complaints, 'the answer to HEAD has a body'] : complaints;
    }
    if (isPage(response, headers)) return [...complaints, ...leakComplaints(answer.body.toString('utf8'))];
    const { value, problem } = jsonOf(answer.body);
    if (problem !== undefined) return [...complaints, problem];
    return [
      ...complaints,
      ...schemas.errorsOf(response.body, value).map((error) => `the body ${error}`),
      ...codeComplaints(operation, status, value, expected),
      ...networkComplaints(value, expected),
      ...textComplaints(value),
      ...versionComplaints(value),
      ...leakComplaints(answer.body.toString('utf8')),
      ...(status === 404 ? routeComplaints(value) : []),
    ];
  };

  function headerComplaints(response: Response, headers: Answer['headers']): string[] {
    const contentType = String(headers['content-type']);
    const isDocumented = CONTENT_TYPE.test(contentType) || isPage(response, headers);
    const complaints = isDocumented ? [] : [`the content type is ${contentType}`];
    for (const name of Object.keys(headers)) {
      if (!HEADERS_OF_HTTP.includes(name) && !response.headers.has(name))
        complaints.push(`the header ${name} is not documented here`);
    }
    for (const [name, { required, schema }] of response.headers) {
      const value = headers[name];
      if (value === undefined) {
        if (required) complaints.push(`the header ${name} is missing`);
        continue;
      }
      const read = schema.type === 'integer' ? Number(value) : value;
      complaints.push(...schemas.errorsOf(schema, read).map((error) => `the header ${name} ${error}`));
      complaints.push(...contentComplaints(name, schema, String(value)));
    }
    return complaints;
  }

  /** The JSON inside a header, which JSON Schema itself only annotates. */
  function contentComplaints(name: string, { contentSchema }: Schema, value: string): string[] {
    if (contentSchema === undefined) return [];
    const bytes = Buffer.from(value, 'base64');
    if (bytes.toString('base64') !== value) return [`the header ${name} is not in base64`];
    const content = jsonOf(bytes);
    if (content.problem !== undefined) return [`in the header ${name} ${content.problem}`];
    return [
      ...schemas.errorsOf(contentSchema, content.value).map((error) => `the content of ${name} ${error}`),
      ...leakComplaints(bytes.toString('utf8')),
    ];
  }

  function codeComplaints(
    operation: Operation | undefined,
    status: number,
    body: unknown,
    { codes }: Expectation,
  ): string[] {
    const code = codeOf(body);
    if (codes && !codes.includes(code ?? '')) return [`the code is ${code}, not ${codes.join(' or ')}`];
    if (code === undefined) return status === 200 ? [] : [`${status} comes without a code`];
    const row = ('error' in (body as Schema) ? errorRows : reasonRows).find((row) => row.code === code);
    // That it is no code at all is what the schema says.
    if (!row) return [];
    if (!row.statuses.includes(status))
      return [`${code} comes with ${status}, not with ${row.statuses.join(' or ')}`];
    return isWhere(row.where, operation) ? [] : [`${code} is a code of ${row.where}`];
  }

  function routeComplaints(body: unknown): string[] {
    const reason = String((body as Schema)['error']?.reason);
    const unnamed = served.filter((route) => !reason.includes(route));
    return unnamed.map((route) => `the reason does not name the route ${route}`);
  }
}

const isPage = ({ hasPage }: Response, headers: Answer['headers']): boolean =>
  hasPage && headers['content-type'] === PAGE_TYPE;

/** The answer's body, for what comes after the judgement. */
export const bodyOf = (answer: Answer): any => JSON.parse(answer.body.toString('utf8'));

function statusComplaints({ status }: Answer, { statuses }: Expectation): string[] {
  return statuses.includes(status) ? [] : [`the status is ${status}, not ${statuses.join(' or ')}`];
}

/** A good id is repeated; without one, or with another, there is a new one. */
function requestIdComplaints(
  { headers: sent }: FuzzRequest,
  headers: Answer['headers'],
  lastId: unknown,
): string[] {
  const [id, answered] = [sent['x-request-id'], headers['x-request-id']];
  if (id !== undefined && REQUEST_ID.test(id))
    return answered === id ? [] : [`x-request-id is ${String(answered)}, not the one sent`];
  if (answered === undefined) return [];
  if (answered === id) return ['x-request-id repeats what is no id'];
  return answered === lastId ? ['x-request-id is that of the request before'] : [];
}

function networkComplaints(body: unknown, { network: expected }: Expectation): string[] {
  const { network } = (body ?? {}) as Schema;
  if (expected === undefined || network === undefined || network === expected) return [];
  return [`the network is ${JSON.stringify(network)}, not ${JSON.stringify(expected)}`];
}

/** Texts that explain are never empty, nor white space. */
function textComplaints(body: unknown): string[] {
  const { invalidMessage, errorMessage, error } = (body ?? {}) as Schema;
  const text: unknown = invalidMessage ?? errorMessage ?? error?.reason;
  return typeof text === 'string' && text.trim() === '' ? ['the text that explains it is blank'] : [];
}

function versionComplaints(body: unknown): string[] {
  const found: unknown[] = [];
  JSON.stringify(body, (key, value: unknown) => {
    // What others declared is theirs.
    if (key === 'extensions' || key === 'extra') return undefined;
    if (key === 'x402Version' && value !== X402_VERSION) found.push(value);
    return value;
  });
  return found.map((version) => `x402Version is ${JSON.stringify(version)}, not ${X402_VERSION}`);
}

function leakComplaints(text: string): string[] {
  return Object.entries(LEAKS).flatMap(([what, pattern]) => (pattern.test(text) ? [`it shows ${what}`] : []));
}

/** The table names operations by words of their paths. */
function isWhere(where: string, operation: Operation | undefined): boolean {
  return where.split(', ').some((word) => word === 'any' || operation?.path.split('/').includes(word));
}

function jsonOf(bytes: Buffer): { value?: unknown; problem?: string } {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown };
  } catch {
    return { problem: `the body is not JSON: ${bytes.toString('latin1').slice(0, 80)}` };
  }
}

export interface Schemas {
  /** Sentences about what breaks the schema. */
  errorsOf(schema: Schema, value: unknown): string[];
  /** Where it is broken, as `paymentPayload.x402Version`; the empty text is the value itself. */
  placesOf(schema: Schema, value: unknown): string[];
}

/** Validators, compiled once for each schema object. */
export function createSchemas(): Schemas {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  (addFormats as unknown as typeof addFormats.default)(ajv);
  const validators = new Map<Schema, ValidateFunction>();
  function errors(schema: Schema, value: unknown): ErrorObject[] {
    const validate = validators.get(schema) ?? ajv.compile(schema);
    validators.set(schema, validate);
    return validate(value) ? [] : (validate.errors ?? []);
  }
  return {
    errorsOf: (schema, value) => errors(schema, value).map(sentenceOf),
    placesOf: (schema, value) => errors(schema, value).map(placeOf),
  };
}

function sentenceOf({ instancePath, message, params }: ErrorObject): string {
  const detail: unknown = params['additionalProperty'] ?? params['missingProperty'];
  const name = typeof detail === 'string' ? ` (${detail})` : '';
  return `breaks its schema${instancePath && ` at ${instancePath}`}: ${message}${name}`;
}

function placeOf({ instancePath, params }: ErrorObject): string {
  const missing: unknown = params['missingProperty'];
  return [...instancePath.split('/').slice(1), ...(typeof missing === 'string' ? [missing] : [])].join('.');
}
