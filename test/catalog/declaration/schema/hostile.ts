/** A schema that is made to cost much, with what it is held against. */
export interface Hostile {
  name: string;
  schema: object;
  /** `info.input.body`. */
  body?: unknown;
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const forBody = (schema: object) => ({ properties: { input: { properties: { body: schema } } } });

/** Definitions each of which refers to the next one several times. */
function branching(keyword: string, branches: number, levels: number): object {
  const next = (level: number) => numbers(branches).map(() => ({ $ref: `#/$defs/d${level + 1}` }));
  const levelled = numbers(levels).map((level) => [`d${level}`, { [keyword]: next(level) }]);
  return { $defs: { ...Object.fromEntries(levelled), [`d${levels}`]: {} }, $ref: '#/$defs/d0' };
}

function nested(levels: number, wrap: (inner: object) => object, core: object = {}): object {
  return numbers(levels).reduce(wrap, core);
}

/** Over the budget of time or of stack, each in its own way. */
export const endless: readonly Hostile[] = [
  { name: 'a reference to itself', schema: { $ref: '#' } },
  {
    name: 'two references to each other',
    schema: { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
  },
  { name: 'an anchor that refers to itself', schema: { $anchor: 'a', $ref: '#a' } },
  { name: 'a dynamic reference to itself', schema: { $dynamicAnchor: 'a', $dynamicRef: '#a' } },
  { name: 'a recursive reference to itself', schema: { $recursiveRef: '#' } },
  { name: 'allOf, 2 to the 30', schema: branching('allOf', 2, 30) },
  { name: 'anyOf, 2 to the 30', schema: branching('anyOf', 2, 30) },
  { name: 'oneOf, 2 to the 30', schema: branching('oneOf', 2, 30) },
  { name: 'allOf, 12 to the 12', schema: branching('allOf', 12, 12) },
  { name: 'not and allOf upon itself', schema: { allOf: [{ not: { $ref: '#' } }, { not: { $ref: '#' } }] } },
  {
    name: 'a condition upon itself',
    schema: { if: { $ref: '#' }, then: { $ref: '#' }, else: { $ref: '#' } },
  },
  {
    name: 'a definition that resolves through an unknown keyword',
    schema: { x: { allOf: [{ $ref: '#/x' }] }, $ref: '#/x' },
  },
  { name: 'unique numbers', schema: forBody({ uniqueItems: true }), body: numbers(12_000) },
  {
    name: 'unique objects',
    schema: forBody({ uniqueItems: true }),
    body: numbers(6_000).map((a) => ({ a })),
  },
  {
    name: 'a long enumeration of what many items are not',
    schema: forBody({ minContains: 0, contains: { enum: numbers(1_900).map((n) => ({ n })) } }),
    body: numbers(8_000).map((n) => ({ n: -n })),
  },
  {
    name: 'many alternatives for many items',
    schema: forBody({ items: { anyOf: [...numbers(600).map((value) => ({ const: -1 - value })), {}] } }),
    body: numbers(12_000),
  },
  {
    name: 'many names for many properties',
    schema: forBody({
      propertyNames: { anyOf: [...numbers(600).map((value) => ({ const: `x${value}` })), {}] },
    }),
    body: Object.fromEntries(numbers(4_000).map((n) => [`n${n}`, n])),
  },
];

/** Dear or odd as well, but not always beyond the budget. */
export const costly: readonly Hostile[] = [
  { name: 'allOf, 990 levels', schema: nested(990, (inner) => ({ allOf: [inner] })) },
  { name: 'not, 1,990 levels', schema: nested(1_990, (inner) => ({ not: inner })) },
  { name: 'properties, 990 levels', schema: nested(990, (a) => ({ properties: { a } })) },
  {
    name: 'one long name above many definitions',
    schema: {
      $defs: {
        ['x'.repeat(30_000)]: { $defs: Object.fromEntries(numbers(1_900).map((n) => [`k${n}`, true])) },
      },
    },
  },
  { name: 'allOf of 1,900', schema: { allOf: numbers(1_900).map(() => true) } },
  { name: 'allOf of 1,900 that all fail', schema: { allOf: numbers(1_900).map(() => false) } },
  { name: 'an enumeration of 1,900', schema: { enum: numbers(1_900) } },
  { name: '1,900 required names', schema: { required: numbers(1_900).map(String) } },
  { name: '1,900 names of types', schema: { type: numbers(1_900).map(String) } },
  { name: 'a constant of 60,000 characters', schema: { const: 'x'.repeat(60_000) } },
  {
    name: 'a pattern that backtracks',
    schema: { properties: { input: { propertyNames: { pattern: '^([a-z]+)+$' } } } },
  },
  {
    name: 'the smallest divisor',
    schema: forBody({ items: { multipleOf: 5e-324 } }),
    body: numbers(1_000).map(() => 1e308),
  },
  {
    name: 'an array, 15,000 levels deep',
    schema: {
      $defs: { a: { items: { $ref: '#/$defs/a' } } },
      properties: { input: { properties: { body: { $ref: '#/$defs/a' } } } },
    },
    body: nested(15_000, (inner) => [inner], []),
  },
  {
    name: 'unevaluated properties through 600 alternatives',
    schema: {
      anyOf: numbers(600).map((n) => ({ properties: { [`p${n}`]: true } })),
      unevaluatedProperties: true,
    },
  },
];

export const infoFor = ({ body }: Hostile) => ({
  input: { type: 'http', method: 'POST', bodyType: 'json', body },
});
