import { describe, expect, test } from 'vitest';
import { checkClientSchema } from '../../../../src/catalog/declaration/schema/check.ts';

const info = {
  input: { type: 'http', method: 'GET', queryParams: { city: 'Lisbon', days: 3, units: null } },
  output: { type: 'json', example: [{ day: 1 }] },
};
const forQuery = (queryParams: object) => ({ properties: { input: { properties: { queryParams } } } });
const forCity = (city: unknown) => forQuery({ properties: { city } });

const failed = (message: string) => ({
  code: 'bazaar_schema_validation_failed',
  message: expect.stringContaining(message),
});

describe('info satisfies', () => {
  test.each<[string, object]>([
    ['an empty schema', {}],
    ['types', forQuery({ properties: { city: { type: 'string' }, days: { type: 'integer' } } })],
    ['a nullable type', forQuery({ properties: { units: { type: 'string', nullable: true } } })],
    ['a definition', { ...forCity({ $ref: '#/$defs/a' }), $defs: { a: { type: 'string' } } }],
    [
      'a definition with an odd name',
      { ...forCity({ $ref: '#/$defs/a%20b~1c' }), $defs: { 'a b/c': { type: 'string' } } },
    ],
    ['an anchor', { ...forCity({ $ref: '#a' }), $defs: { x: { $anchor: 'a', type: 'string' } } }],
    [
      'a dynamic anchor',
      { ...forCity({ $dynamicRef: '#a' }), $defs: { x: { $dynamicAnchor: 'a', type: 'string' } } },
    ],
    [
      'a recursion with an end',
      { ...forQuery({ $ref: '#/$defs/a' }), $defs: { a: { additionalProperties: { $ref: '#/$defs/a' } } } },
    ],
    [
      'definitions of OpenAPI',
      {
        ...forCity({ $ref: '#/components/schemas/City' }),
        components: { schemas: { City: { type: 'string' } } },
      },
    ],
    ['a pattern, which plays no part', forCity({ type: 'string', pattern: '^[0-9]+$', format: 'uri' })],
    ['a pattern that is none', forCity({ pattern: '(' })],
    ...(
      [
        ['one of two', (a: object) => ({ oneOf: [a, { type: 'string' }] })],
        ['no', (a: object) => ({ not: a })],
        ['a condition of', (a: object) => ({ if: a, then: { const: 'Porto' } })],
      ] as const
    ).flatMap(([what, using]): [string, object][] => [
      [`${what} pattern, which may be another`, forCity(using({ pattern: 'x' }))],
      [
        `${what} pattern in a definition`,
        { ...forCity(using({ $ref: '#/$defs/a' })), $defs: { a: { pattern: 'x' } } },
      ],
    ]),
    [
      'a limit of items with a pattern in a definition',
      {
        properties: {
          output: {
            properties: { example: { contains: { $ref: '#/$defs/a' }, maxContains: 0, minContains: 0 } },
          },
        },
        $defs: { a: { properties: { day: { pattern: 'x' } }, required: ['day'] } },
      },
    ],
    [
      'dependencies of parameters named like keywords',
      forQuery({ dependentRequired: { $ref: ['a'], $id: ['a'], patternProperties: ['a'], city: ['days'] } }),
    ],
    [
      'parameters named like keywords',
      forQuery({
        properties: { format: {}, pattern: {}, city: {}, days: {}, units: {} },
        additionalProperties: false,
      }),
    ],
    [
      'annotations',
      { title: 'x', deprecated: true, $comment: 'x', 'x-more': { id: 5 }, example: { $ref: 'x' } },
    ],
    ['addresses of itself', { $id: '#', properties: { input: { $id: '#' } } }],
    [
      'names of object members',
      JSON.parse(
        '{"properties":{"__proto__":{"type":"null"},"constructor":false,"toString":false,"hasOwnProperty":false},"$defs":{"__proto__":{},"toString":{}}}',
      ),
    ],
  ])('%s', (_what, schema) => {
    expect(checkClientSchema(schema, info)).toBeUndefined();
  });
});

describe('info violates', () => {
  test.each<[string, object, string]>([
    ['a type', forCity({ type: 'number' }), 'info.input.queryParams.city does not satisfy schema (type)'],
    [
      'a constant',
      forCity({ const: 'Porto' }),
      'info.input.queryParams.city does not satisfy schema (const)',
    ],
    [
      'dependencies',
      forQuery({ dependentRequired: { city: ['town'] } }),
      'info.input.queryParams does not satisfy schema (dependentRequired)',
    ],
    [
      'a required name',
      forQuery({ required: ['town'] }),
      'info.input.queryParams does not satisfy schema (required)',
    ],
    [
      'a required name of object members',
      forQuery({ required: ['toString'] }),
      'info.input.queryParams does not satisfy',
    ],
    [
      'what else is allowed',
      forQuery({ properties: { city: {} }, additionalProperties: false }),
      'info.input.queryParams.days is not allowed by schema',
    ],
    [
      'an alternative',
      forCity({ anyOf: [{ type: 'number' }, { type: 'null' }] }),
      'info.input.queryParams.city does not satisfy schema (anyOf)',
    ],
    [
      'a definition',
      { ...forCity({ $ref: '#/$defs/a' }), $defs: { a: { type: 'number' } } },
      'info.input.queryParams.city does not satisfy schema (type)',
    ],
    [
      'a list',
      { properties: { output: { properties: { example: { items: { required: ['x'] } } } } } },
      'info.output.example.0 does not satisfy',
    ],
    [
      'a name with odd letters',
      { properties: { 'a b/ü': false }, required: ['a b/ü'] },
      'info does not satisfy schema (required): Instance does not have required property "a b/ü".',
    ],
    ['false', forCity(false), 'info.input.queryParams.city is not allowed by schema'],
  ])('%s', (_what, schema, message) => {
    expect(checkClientSchema(schema, info)).toEqual(failed(message));
  });

  test('what names of object members demand', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"null"},"constructor":{"type":"null"}}}',
    ) as object;
    const member = (name: string) => JSON.parse(`{"${name}":5}`) as never;
    expect(checkClientSchema(schema, member('__proto__'))).toEqual(failed('info.__proto__'));
    expect(checkClientSchema(schema, member('constructor'))).toEqual(failed('info.constructor'));
  });
});

describe('what is no schema', () => {
  test.each<[string, unknown, string]>([
    ['true', true, 'schema must be an object'],
    ['null', null, 'schema must be an object'],
    ['an array', [], 'schema must be an object'],
    ['a string', 'https://example.com/schema.json', 'schema must be an object'],
    ['a type that is none', { type: 5 }, 'schema.type'],
    [
      'an unknown type',
      forCity({ type: 'text' }),
      'schema.properties.input.properties.queryParams.properties.city.type',
    ],
    ['properties in a list', { properties: [] }, 'schema.properties'],
    [
      'a property that is no schema',
      forCity('string'),
      'schema.properties.input.properties.queryParams.properties.city',
    ],
    ['required, as it was once written', forCity({ required: true }), 'required'],
    ['an empty list of schemas', { allOf: [] }, 'schema.allOf'],
    ['a list of items, as it was once written', forCity({ items: [{}] }), 'items'],
    ['a negative length', { minLength: -1 }, 'schema.minLength'],
    ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }, 'schema.$schema'],
    ['a reference to the outside', forCity({ $ref: 'https://evil.example/' }), 'is outside the schema'],
    ['a reference to nowhere', { $ref: '#/$defs/a' }, 'schema.$ref points to "#/$defs/a"'],
    [
      'a reference to nowhere that is not reached',
      { properties: { absent: { $ref: '#absent' } } },
      'schema.properties.absent.$ref points to "#absent"',
    ],
    ['a reference to data', { $ref: '#/enum/0', enum: [{}] }, 'schema.$ref points to'],
    ['a reference to a member of all objects', { $ref: '#/toString' }, 'schema.$ref points to'],
    ['an address with a fragment', { $id: '#a' }, 'schema.$id'],
    ['an unknown vocabulary of the wrong shape', { $vocabulary: 5 }, 'schema.$vocabulary'],
  ])('%s', (_what, schema, message) => {
    expect(checkClientSchema(schema, info)).toEqual(failed(message));
  });
});

test('the budget of nodes comes first', () => {
  const schema = { type: 5, $ref: 'https://evil.example/', enum: Array.from({ length: 2_000 }, () => 0) };
  expect(checkClientSchema(schema, info)?.code).toBe('bazaar_schema_too_complex');
});

test('neither schema nor info are changed', () => {
  const schema = { ...forCity({ $ref: '#/$defs/a', pattern: 'x' }), $defs: { a: {} } };
  const before = structuredClone({ schema, info });
  checkClientSchema(schema, info);
  expect({ schema, info }).toEqual(before);
  expect(Object.getOwnPropertyNames(schema.$defs.a)).toEqual([]);
});
