import { describe, expect, test } from 'vitest';
import { checkDialect } from '../../../../src/catalog/declaration/schema/dialect.ts';
import { checkReferences } from '../../../../src/catalog/declaration/schema/references.ts';

const dialect = 'https://json-schema.org/draft/2020-12/schema';

describe('the dialect', () => {
  test.each<object>([{}, { $schema: dialect }, { $schema: `${dialect}#` }, { $schema: '' }])(
    '%j is 2020-12',
    (schema) => {
      expect(checkDialect(schema as never)).toBeUndefined();
    },
  );

  test.each([
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2019-09/schema',
    'http://json-schema.org/draft/2020-12/schema',
    'https://spec.openapis.org/oas/3.1/dialect/base',
    'https://evil.example/schema',
    '#',
    null,
    5,
    {},
  ])('%j is another one', ($schema) => {
    expect(checkDialect({ $schema })).toEqual({
      code: 'bazaar_schema_validation_failed',
      message: expect.stringContaining(dialect),
    });
  });
});

const outside = { $ref: 'https://evil.example/schema.json' };

describe('references', () => {
  test.each<[string, object]>([
    ['to the root', { $ref: '#' }],
    ['to a definition', { $ref: '#/$defs/a', $defs: { a: {} } }],
    ['to an anchor', { $dynamicRef: '#a', $recursiveRef: '#', $id: '#', id: '#a' }],
    ['as names of parameters', { properties: { $ref: {}, $id: {}, id: {}, $dynamicRef: {} } }],
    ['as names of definitions', { $defs: { $ref: {} }, definitions: { $id: {} } }],
    ['as data', { enum: [outside], const: outside, default: outside, examples: [outside], example: outside }],
    ['as names that others depend on', { dependentRequired: { $ref: ['a'], $id: ['b'], id: [] } }],
    ['as an address of no schema', { 'x-notes': { id: 'https://example.com/' } }],
  ])('%s pass', (_what, schema) => {
    expect(checkReferences(schema as never)).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ['an address', 'https://evil.example/schema.json'],
    ['the dialect', dialect],
    ['a file', 'file:///etc/passwd'],
    ['a relative address', 'schema.json#/a'],
    ['a path', '/schema.json'],
    ['an absolute name', 'urn:example:schema'],
    ['an empty string', ''],
    ['a space before the #', ' #'],
    ['null', null],
    ['a number', 5],
    ['an object', { type: 'string' }],
    ['an array', ['#']],
  ])('%s is outside the schema, for every keyword', (_what, target) => {
    for (const keyword of ['$ref', '$id', '$dynamicRef', '$recursiveRef', 'id']) {
      expect(checkReferences({ [keyword]: target })).toEqual({
        code: 'bazaar_schema_validation_failed',
        message: expect.stringContaining(`schema.${keyword}`),
      });
    }
  });

  test.each<[string, object, string]>([
    [
      'a parameter',
      { properties: { input: { properties: { city: outside } } } },
      'schema.properties.input.properties.city.$ref',
    ],
    ['a definition', { $defs: { a: outside } }, 'schema.$defs.a.$ref'],
    ['a definition of old', { definitions: { a: outside } }, 'schema.definitions.a.$ref'],
    ['an alternative', { anyOf: [{}, { not: outside }] }, 'schema.anyOf.1.not.$ref'],
    ['items', { items: outside }, 'schema.items.$ref'],
    ['items of old', { items: [outside] }, 'schema.items.0.$ref'],
    ['prefixItems', { prefixItems: [outside] }, 'schema.prefixItems.0.$ref'],
    ['a pattern', { patternProperties: { a: outside } }, 'schema.patternProperties.a.$ref'],
    ['a dependency', { dependencies: { a: outside } }, 'schema.dependencies.a.$ref'],
    ['a condition', { if: {}, then: outside }, 'schema.then.$ref'],
    ['content', { contentSchema: outside }, 'schema.contentSchema.$ref'],
    ['an unknown keyword', { components: { schemas: { a: outside } } }, 'schema.components.schemas.a.$ref'],
    [
      'a name of an object member',
      JSON.parse('{"properties":{"__proto__":{"$ref":"x"}}}'),
      'schema.properties.__proto__.$ref',
    ],
  ])('under %s are found', (_where, schema, place) => {
    expect(checkReferences(schema as never)?.message).toContain(`(${place})`);
  });
});
