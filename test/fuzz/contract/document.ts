/** openapi.yaml as the fuzzer reads it. Nothing here knows the service's code. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { readCodeTable, type CodeRow } from '../../../codegen/codes/table.ts';

export type Schema = Readonly<Record<string, any>>;

export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
  readonly example?: string | number;
}

export interface Header {
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Response {
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, Header>;
  readonly body: Schema;
  /** True if a browser gets a page instead. */
  readonly hasPage: boolean;
}

export interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  /** By status. */
  readonly responses: ReadonlyMap<number, Response>;
}

export interface ContractDocument {
  readonly operations: readonly Operation[];
  /** What any other path answers. */
  readonly unknownRoute: Response;
  /** Of the codes in the answers to payments. */
  readonly reasonRows: readonly CodeRow[];
  /** Of those in all other answers. */
  readonly errorRows: readonly CodeRow[];
}

/** What clients sent may come back in these, with further fields. All other objects of answers show their fields only. */
const ECHOES = ['PaymentRequirements', 'BazaarExtension'];

const source = parse(readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8')) as Schema;

export function readDocument(): ContractDocument {
  const operations = Object.entries(source['paths'] as Schema).flatMap(([path, item]) =>
    Object.entries(item as Schema).map(([method, operation]) => readOperation(path, method, operation)),
  );
  const { schemas, responses } = source['components'] as Schema;
  return {
    operations,
    unknownRoute: readResponse(responses.UnknownRoute),
    reasonRows: readCodeTable(schemas.ReasonCode.description).rows,
    errorRows: readCodeTable(schemas.ErrorDetail.properties.code.description).rows,
  };
}

function readOperation(path: string, method: string, operation: Schema): Operation {
  const content = operation['requestBody'] && at(operation['requestBody']).content;
  return {
    operationId: operation['operationId'],
    method: method.toUpperCase(),
    path,
    parameters: (operation['parameters'] ?? []).map((listed: Schema) => {
      const { name, required = false, schema, example } = at(listed);
      return { name, required, schema: inlined(schema), example } as Parameter;
    }),
    body: content && inlined(content['application/json'].schema),
    responses: new Map(
      Object.entries(operation['responses'] as Schema).map(([status, response]) => [
        Number(status),
        readResponse(response),
      ]),
    ),
  };
}

function readResponse(listed: Schema): Response {
  const { headers = {}, content } = at(listed);
  return {
    headers: new Map(
      Object.entries(headers as Schema).map(([name, header]) => {
        const { required = false, schema } = at(header);
        return [name.toLowerCase(), { required, schema: closed(schema) }];
      }),
    ),
    body: closed(content['application/json'].schema),
    hasPage: 'text/html' in content,
  };
}

/** What a reference points to, or the thing itself. */
function at(node: Schema): Schema {
  if (typeof node['$ref'] !== 'string') return node;
  const steps = node['$ref'].split('/').slice(1);
  return at(steps.reduce((value: any, step) => value[step], source));
}

/** A schema without references. */
function inlined(schema: Schema): Schema {
  return rewritten(schema, (object) => object);
}

/** The same, with every object that names its properties closed to all others. */
function closed(schema: Schema): Schema {
  return rewritten(schema, (object) =>
    'properties' in object ? { ...object, additionalProperties: false } : object,
  );
}

/** In these a schema adds to another one, and must not close it. */
const APPLICATORS = ['if', 'then', 'else', 'not'];

function rewritten(node: unknown, rewrite: (schema: Schema) => Schema): any {
  if (Array.isArray(node)) return node.map((item) => rewritten(item, rewrite));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, ...rest } = node as Schema;
  if (typeof $ref === 'string') {
    const isEcho = ECHOES.includes($ref.split('/').at(-1)!);
    const target = rewritten(at({ $ref }), isEcho ? (schema) => schema : rewrite);
    return Object.keys(rest).length === 0 ? target : { allOf: [target, rewritten(rest, rewrite)] };
  }
  const entries = Object.entries(rest).map(([key, value]) => [
    key,
    rewritten(value, APPLICATORS.includes(key) ? (schema) => schema : rewrite),
  ]);
  return rewrite(Object.fromEntries(entries) as Schema);
}
