import { describe, expect, test } from 'vitest';
import { parameterText } from '../../../src/catalog/declaration/parameterText.ts';
import { stockDeclarations } from './stockDeclarations.ts';

const wordsOf = (bazaar: unknown, type: 'http' | 'mcp' = 'http') =>
  parameterText({ bazaar: bazaar as never, type })
    .split('\n')
    .filter(Boolean);

/** The schema for `info`, with one schema for its query parameters. */
const withQuery = (queryParams: unknown) => ({
  info: {},
  schema: {
    properties: {
      input: { properties: { type: { const: 'http' }, method: { enum: ['GET'] }, queryParams } },
    },
  },
});

describe('what stock sellers declare', () => {
  test.each<[keyof typeof stockDeclarations, string[]]>([
    ['GET with query', ['city', 'Name of the town']],
    ['GET without parameters', []],
    ['POST with JSON body', ['text', 'target', 'Language']],
    ['PUT with form data', []],
    ['dynamic route', ['city', 'Name of the town']],
    ['MCP tool', ['convert_currency', 'Converts money', 'amount', 'to', 'How much']],
  ])('%s', (name, words) => {
    const { bazaar } = stockDeclarations[name]();
    expect(wordsOf(bazaar, bazaar.info.input.type)).toEqual(words);
  });
});

describe('searchable are', () => {
  test('names and descriptions at every place for a schema', () => {
    const leaf = (name: string) => ({ properties: { [name]: { description: `About ${name}` } } });
    expect(
      wordsOf(
        withQuery({
          description: 'Query',
          properties: { deep: { properties: { deeper: true } } },
          allOf: [leaf('a')],
          anyOf: [leaf('b')],
          oneOf: [leaf('c')],
          if: leaf('d'),
          then: leaf('e'),
          else: leaf('f'),
          not: leaf('g'),
          items: leaf('h'),
          prefixItems: [leaf('i')],
          additionalProperties: leaf('j'),
          $defs: { ofNoParameter: leaf('k') },
          definitions: { ofNoParameter: leaf('l') },
          dependentSchemas: { ofNoParameter: leaf('m') },
        }),
      ),
    ).toEqual([
      'Query',
      'deep',
      'deeper',
      ...[...'abcdefghijklm'].flatMap((name) => [name, `About ${name}`]),
    ]);
  });

  test('parameters that are named like keywords or parts of info', () => {
    const names = [
      'format',
      'pattern',
      'type',
      'input',
      'description',
      'properties',
      '__proto__',
      'constructor',
    ];
    const properties = JSON.parse(`{${names.map((name) => `"${name}":{}`).join()}}`) as object;
    expect(wordsOf(withQuery({ properties }))).toEqual(names);
  });

  test('what the output holds', () => {
    const output = { properties: { type: {}, format: {}, example: { properties: { temperature: {} } } } };
    expect(wordsOf({ info: {}, schema: { properties: { output } } })).toEqual(['temperature']);
  });

  test('names beside those of the protocol', () => {
    const schema = { properties: { input: { properties: { city: {}, method: {} } }, more: {} } };
    expect(wordsOf({ info: {}, schema })).toEqual(['more', 'city']);
  });
});

describe('not searchable are', () => {
  test('values of examples, defaults and enumerations', () => {
    const data = { description: 'secret', properties: { secret: { description: 'secret' } } };
    const bazaar = withQuery({
      properties: {
        city: { example: data, examples: [data], default: data, const: data, enum: [data], title: 'secret' },
      },
      required: ['secret'],
      $comment: 'secret',
    });
    bazaar.info = {
      input: { queryParams: data, body: data, description: 'secret' },
      output: { example: data },
    };
    expect(wordsOf(bazaar)).toEqual(['city']);
  });

  test('examples of a tool', () => {
    const info = { input: { toolName: 'tool', inputSchema: {}, example: { description: 'secret' } } };
    expect(wordsOf({ info, schema: {} }, 'mcp')).toEqual(['tool']);
  });

  test('what stands under keywords that JSON Schema does not know', () => {
    expect(wordsOf(withQuery({ 'x-notes': { description: 'secret', properties: { secret: {} } } }))).toEqual(
      [],
    );
  });

  test.each([5, null, [], {}, ['x']])('%j for a description', (description) => {
    expect(wordsOf(withQuery({ description }))).toEqual([]);
  });
});

describe('bounds', () => {
  test('at most 8,192 characters', () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `name${index}`);
    const inputSchema = { properties: Object.fromEntries(names.map((name) => [name, {}])) };
    const info = { input: { toolName: 'tool', inputSchema } };
    const text = parameterText({ bazaar: { info, schema: {} }, type: 'mcp' });
    expect(text).toHaveLength(8_192);
    expect(text.startsWith('tool\nname0\nname1\n')).toBe(true);
  });

  test('without half characters', () => {
    const text = parameterText({
      bazaar: withQuery({ description: `${'a'.repeat(8_191)}🌦` }),
      type: 'http',
    });
    expect(text).toBe('a'.repeat(8_191));
    expect(wordsOf(withQuery({ description: 'a\ud800' }))).toEqual(['a\ufffd']);
  });

  test('any depth of a schema', () => {
    let inputSchema: object = { description: 'too deep' };
    for (let depth = 0; depth < 8_000; depth += 1) inputSchema = { not: inputSchema };
    expect(wordsOf({ info: { input: { toolName: 'tool', inputSchema } }, schema: {} }, 'mcp')).toEqual([
      'tool',
    ]);
  });
});
