import { describe, expect, test } from 'vitest';
import { readCall } from '../../../src/catalog/declaration/invariants.ts';

const http = (fields: object = {}) => ({ input: { type: 'http', method: 'GET', ...fields } });
const post = (fields: object) => http({ method: 'POST', ...fields });
const mcp = (fields: object = {}) => ({
  input: { type: 'mcp', toolName: 'convert', inputSchema: {}, ...fields },
});

const call = { type: 'http', toolName: '' };
const toolCall = { type: 'mcp', toolName: 'convert' };

describe('info of http', () => {
  test.each<[string, unknown]>([
    ...['GET', 'HEAD', 'DELETE', 'POST', 'PUT', 'PATCH'].map((method): [string, unknown] => [
      `method ${method}`,
      http({ method }),
    ]),
    ['no method', { input: { type: 'http' } }],
    ['an empty method', http({ method: '' })],
    ['an empty bodyType', http({ bodyType: '' })],
    ['a body without bodyType', post({ body: {} })],
    ['a bodyType without method', { input: { type: 'http', bodyType: 'json' } }],
    ['a bodyType without body', post({ bodyType: 'json' })],
    ...[{}, [], 'x', 5, true, null].map((body): [string, unknown] => [
      `${JSON.stringify(body)} as JSON`,
      post({ bodyType: 'json', body }),
    ]),
    ['an object as form data', post({ bodyType: 'form-data', body: { a: 1 } })],
    ['a string as text', post({ bodyType: 'text', body: 'x' })],
    ["the stock seller's empty object as text", post({ bodyType: 'text', body: {} })],
    ['objects of examples', http({ queryParams: { a: 1 }, pathParams: {}, headers: { b: '2' } })],
    ['null for examples', http({ queryParams: null, pathParams: null, headers: null })],
    ['an output', { ...http(), output: { type: 'json', example: [] } }],
    ['null for an output', { ...http(), output: null }],
    ['further fields', { ...http({ more: [] }), more: 5 }],
  ])('%s passes', (_what, info) => {
    expect(readCall(info)).toEqual(call);
  });

  test.each<[string, unknown, string]>([
    [
      'a wrong method',
      http({ method: 'FOO' }),
      'info.input.method must be one of GET, HEAD, DELETE, POST, PUT, PATCH, not "FOO"',
    ],
    ['a method in small letters', http({ method: 'get' }), 'info.input.method'],
    ['a method that is no string', http({ method: ['GET'] }), 'info.input.method'],
    ['null for a method', http({ method: null }), 'info.input.method'],
    ['OPTIONS', http({ method: 'OPTIONS' }), 'info.input.method'],
    [
      'a wrong bodyType',
      post({ bodyType: 'xml' }),
      'info.input.bodyType must be one of json, form-data, text, not "xml"',
    ],
    ['null for a bodyType', post({ bodyType: null }), 'info.input.bodyType'],
    [
      'a bodyType with GET',
      http({ bodyType: 'json' }),
      'info.input.bodyType goes with POST, PUT, PATCH only',
    ],
    [
      'a string as form data',
      post({ bodyType: 'form-data', body: 'a=1' }),
      'info.input.body must be an object',
    ],
    ['an array as form data', post({ bodyType: 'form-data', body: [] }), 'info.input.body'],
    ['a number as text', post({ bodyType: 'text', body: 5 }), 'info.input.body must be a string'],
    ...['queryParams', 'pathParams', 'headers'].flatMap((name): [string, unknown, string][] => [
      [`an array for ${name}`, http({ [name]: [] }), `info.input.${name} must be an object, not an array`],
      [`a string for ${name}`, http({ [name]: 'a=1' }), `info.input.${name}`],
    ]),
  ])('%s is a violation', (_what, info, named) => {
    expect(readCall(info)).toEqual({
      code: 'bazaar_spec_validation_failed',
      message: expect.stringContaining(named),
    });
  });
});

describe('info of mcp', () => {
  test.each<[string, unknown]>([
    ['a tool with its schema', mcp()],
    ['transport streamable-http', mcp({ transport: 'streamable-http' })],
    ['transport sse', mcp({ transport: 'sse' })],
    ['an empty transport', mcp({ transport: '' })],
    ['further fields', mcp({ description: 'x', example: {}, method: 'FOO' })],
  ])('%s passes', (_what, info) => {
    expect(readCall(info)).toEqual(toolCall);
  });

  test.each<[string, unknown, string]>([
    ['no tool name', mcp({ toolName: undefined }), 'info.input.toolName must name the tool, it is missing'],
    ['an empty tool name', mcp({ toolName: '' }), 'info.input.toolName'],
    ['a tool name that is no string', mcp({ toolName: {} }), 'info.input.toolName'],
    ['no input schema', mcp({ inputSchema: undefined }), 'info.input.inputSchema'],
    ['null for an input schema', mcp({ inputSchema: null }), 'info.input.inputSchema'],
    ['an array for an input schema', mcp({ inputSchema: [] }), 'info.input.inputSchema'],
    ['true for an input schema', mcp({ inputSchema: true }), 'info.input.inputSchema'],
    [
      'a wrong transport',
      mcp({ transport: 'stdio' }),
      'info.input.transport must be one of streamable-http, sse, not "stdio"',
    ],
    ['null for a transport', mcp({ transport: null }), 'info.input.transport'],
  ])('%s is a violation', (_what, info, named) => {
    expect(readCall(info)).toEqual({
      code: 'bazaar_spec_validation_failed',
      message: expect.stringContaining(named),
    });
  });
});

test.each<[string, unknown, string]>([
  ['null for info', null, 'info must be an object, not null'],
  ['an array for info', [], 'info must be an object, not an array'],
  ['a string for info', 'x', 'info must be an object, not "x"'],
  ['no input', {}, 'info.input must be an object, it is missing'],
  ['null for input', { input: null }, 'info.input must be an object, not null'],
  ['an array for input', { input: [] }, 'info.input must be an object, not an array'],
  ['an array for output', { ...http(), output: [] }, 'info.output must be an object, not an array'],
  ['a string for output', { ...mcp(), output: 'text' }, 'info.output must be an object, not "text"'],
  ['no type', { input: {} }, 'info.input.type must be one of http, mcp, it is missing'],
  ['an empty type', { input: { type: '' } }, 'info.input.type'],
  ['a wrong type', { input: { type: 'HTTP' } }, 'info.input.type'],
  ['an inherited type', { input: JSON.parse('{"__proto__":{"type":"http"}}') }, 'info.input.type'],
])('%s is a violation', (_what, info, named) => {
  expect(readCall(info)).toEqual({
    code: 'bazaar_spec_validation_failed',
    message: expect.stringContaining(named),
  });
});
