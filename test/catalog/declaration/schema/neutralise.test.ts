import { describe, expect, test } from 'vitest';
import { neutralise } from '../../../../src/catalog/declaration/schema/neutralise.ts';

const regexes = { pattern: '(a+)+$', format: 'regex', patternProperties: { '(a+)+$': {} } };
const guarded = { additionalProperties: true };

describe('keywords that bear regular expressions', () => {
  test.each<[string, object, object]>([
    ['at the root', { type: 'object', ...regexes }, { type: 'object', ...guarded }],
    [
      'in a parameter',
      { properties: { a: { pattern: 'x', minLength: 1 } } },
      { properties: { a: { minLength: 1 } } },
    ],
    ['in a definition', { $defs: { a: regexes } }, { $defs: { a: guarded } }],
    ['in a list', { allOf: [regexes], prefixItems: [regexes] }, { allOf: [guarded], prefixItems: [guarded] }],
    ['in items of old', { items: [regexes] }, { items: [guarded] }],
    ['in content', { contentSchema: regexes }, { contentSchema: guarded }],
    ['under an unknown keyword', { x: { y: regexes } }, { x: { y: guarded } }],
    ['under a keyword of the wrong shape', { x: { allOf: regexes } }, { x: { allOf: guarded } }],
    ['of the wrong type', { pattern: 5, format: null }, {}],
  ])('are stripped %s', (_where, schema, stripped) => {
    expect(neutralise(schema as never)).toEqual(stripped);
  });

  test('survive as names of parameters', () => {
    const named = { format: { type: 'string' }, pattern: {}, patternProperties: {} };
    const schema = { properties: named, $defs: named, definitions: named, dependentSchemas: named };
    expect(neutralise(schema)).toEqual(schema);
  });

  test('survive in data', () => {
    const data = { enum: [regexes], const: regexes, default: regexes, examples: [regexes] };
    const schema = { ...data, dependentRequired: { pattern: ['a'], patternProperties: [], format: ['b'] } };
    expect(neutralise(schema)).toEqual(schema);
  });
});

describe('what would refuse more once they are gone', () => {
  test.each<[string, object, object]>([
    ['not', { not: { pattern: 'x' } }, {}],
    ['a condition', { if: { properties: { a: { pattern: 'x' } } }, then: false }, { then: false }],
    ['one of several', { oneOf: [{ pattern: 'x' }, { pattern: 'y' }] }, { allOf: [{ anyOf: [{}, {}] }] }],
    ['at most so many', { contains: { pattern: 'x' }, maxContains: 1 }, { contains: {} }],
    ['no other properties', { patternProperties: { x: {} }, additionalProperties: false }, guarded],
  ])('%s is loosened', (_what, schema, loosened) => {
    expect(neutralise(schema as never)).toEqual(loosened);
  });

  describe.each(['$ref', '$dynamicRef', '$recursiveRef'])(
    'behind %s, which may lead to a pattern:',
    (keyword) => {
      const to = { [keyword]: '#/$defs/a' };
      const [$defs, stripped] = [{ a: { pattern: 'x' } }, { a: {} }];
      // What the evaluator knows it by.
      const reference = keyword === '$ref' ? to : { allOf: [{ $ref: '#/$defs/a' }] };

      test.each<[string, object, object]>([
        ['not', { not: to }, {}],
        ['not, further down', { not: { items: { anyOf: [to] } } }, {}],
        ['a condition', { if: to, then: false }, { then: false }],
        [
          'one of several',
          { oneOf: [to, { type: 'null' }] },
          { allOf: [{ anyOf: [reference, { type: 'null' }] }] },
        ],
        ['at most so many', { contains: to, maxContains: 1 }, { contains: reference }],
        [
          'a demand',
          { anyOf: [to], properties: { a: to } },
          { anyOf: [reference], properties: { a: reference } },
        ],
      ])('%s', (_what, schema, loosened) => {
        expect(neutralise({ ...schema, $defs })).toEqual({ ...loosened, $defs: stripped });
      });

      test('also to one that leads on', () => {
        const on = { ...$defs, b: to };
        expect(neutralise({ not: { [keyword]: '#/$defs/b' }, $defs: on })).toEqual({
          $defs: { ...stripped, b: reference },
        });
      });

      test('stays where nothing was stripped in the whole schema', () => {
        const schema = { not: to, oneOf: [to], contains: to, maxContains: 1, $defs: { a: { minLength: 1 } } };
        expect(neutralise(schema)).toEqual({
          ...{ not: reference, oneOf: [reference], contains: reference, maxContains: 1 },
          $defs: schema.$defs,
        });
      });
    },
  );

  test('stays where nothing was stripped', () => {
    const schema = {
      not: { type: 'null' },
      if: {},
      then: {},
      oneOf: [{}, { type: 'null' }],
      contains: {},
      maxContains: 1,
      additionalProperties: false,
    };
    expect(neutralise(schema)).toEqual(schema);
  });
});

describe('what the evaluator does not know is said in its words', () => {
  test.each<[string, object, object]>([
    ['a dynamic reference', { $dynamicRef: '#a' }, { allOf: [{ $ref: '#a' }] }],
    ['a recursive reference', { $recursiveRef: '#', allOf: [{}] }, { allOf: [{}, { $ref: '#' }] }],
    ['a dynamic anchor', { $dynamicAnchor: 'a' }, { $dynamicAnchor: 'a', $anchor: 'a' }],
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'], nullable: true }],
    ['not nullable', { type: 'string', nullable: false }, { type: 'string', nullable: false }],
    ['an address of itself', { $id: '#' }, {}],
    ['an address of old', { id: '#a' }, {}],
    ['an example', { example: regexes }, {}],
    ['named examples', { examples: { a: regexes } }, {}],
    [
      "the evaluator's own notes",
      { __absolute_ref__: '#/x', __absolute_uri__: 5, __absolute_recursive_ref__: 5 },
      {},
    ],
  ])('%s', (_what, schema, translated) => {
    expect(neutralise(schema as never)).toEqual(translated);
  });
});

test('the schema itself stays as it is', () => {
  const schema = { ...regexes, oneOf: [{ ...regexes }], $dynamicRef: '#' };
  const before = structuredClone(schema);
  neutralise(schema);
  expect(schema).toEqual(before);
});

test('names of object members are names', () => {
  const schema = JSON.parse(
    '{"properties":{"__proto__":{"pattern":"x"},"constructor":{"pattern":"x"}}}',
  ) as object;
  expect(JSON.stringify(neutralise(schema as never))).toBe(
    '{"properties":{"__proto__":{},"constructor":{}}}',
  );
});
