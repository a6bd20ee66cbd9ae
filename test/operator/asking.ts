/** Asks the operator's port, and holds each answer to operator.openapi.yaml. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { request as send } from 'node:http';
import { expect } from 'vitest';
import { operatorDocument } from '../../src/contract/index.ts';

const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false });
(addFormats as unknown as typeof addFormats.default)(ajv);
ajv.addVocabulary(Object.keys(operatorDocument));
ajv.addSchema(operatorDocument, 'operator.openapi.yaml', undefined, false);

export interface OperatorAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  /** The JSON; undefined if the answer is none. */
  readonly body: any;
}

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Sends any headers, also those that `fetch` sets itself. */
export async function ask(url: string, path: string, asked: Asked = {}): Promise<OperatorAnswer> {
  const { method = 'GET', headers = {}, body } = asked;
  const { promise, resolve, reject } = Promise.withResolvers<OperatorAnswer>();
  const sent = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const type = sent === undefined ? {} : { 'content-type': 'application/json' };
  const request = send(url + path, { method, headers: { ...type, ...headers } }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const isJson = /json/.test(response.headers['content-type'] ?? '');
      const value: unknown = isJson ? JSON.parse(text) : undefined;
      resolve({ status: response.statusCode!, headers: response.headers, text, body: value });
    });
  });
  request.on('error', reject);
  request.end(sent);
  const answer = await promise;
  expectDocumented(method, path, answer);
  return answer;
}

type Json = any;

/** Fails unless the contract has this answer. What is no route of it must answer as one. */
export function expectDocumented(
  method: string,
  path: string,
  { status, headers, body }: OperatorAnswer,
): void {
  const [route = ''] = path.split('?');
  const documented = Object.entries(operatorDocument['paths'] as Json).find(([template]) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`).test(route),
  );
  const operation = (documented?.[1] as Json)?.[method.toLowerCase().replace('head', 'get')];
  const said = `${method} ${route} answered ${status} ${JSON.stringify(body)}`;
  if (operation === undefined) return;
  const place = `paths/${documented![0].replaceAll('/', '~1')}/${method.toLowerCase()}/responses`;
  const key = [String(status), `${String(status)[0]}XX`].find((one) => one in operation.responses);
  expect(key, said).toBeDefined();
  const response = operation.responses[key!];
  const pointer = '$ref' in response ? response.$ref : `#/${place}/${key}`;
  const [type] = Object.keys(
    pointer === response.$ref ? { 'application/json': 1 } : (response.content ?? {}),
  );
  if (type === undefined || method === 'HEAD') return;
  expect(headers['content-type'], said).toContain(type);
  if (type !== 'application/json') return;
  const validate = ajv.getSchema(`operator.openapi.yaml${pointer}/content/application~1json/schema`)!;
  expect(validate(body), `${said}: ${ajv.errorsText(validate.errors)}`).toBe(true);
}
