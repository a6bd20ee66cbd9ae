import { expect, test } from 'vitest';
import { checkNodes } from '../../../../src/catalog/declaration/schema/budget.ts';

const scalars = (count: number) => Array.from({ length: count }, (_, index) => index);

function nested(depth: number): unknown {
  let schema: unknown = true;
  for (let level = 0; level < depth; level += 1) schema = { not: schema };
  return schema;
}

test.each<[string, unknown]>([
  ['an empty schema', {}],
  ['no object', true],
  ['the schema, an array and 1,998 scalars', { enum: scalars(1_998) }],
  ['1,999 properties', Object.fromEntries(scalars(1_999).map((index) => [`p${index}`, true]))],
  ['2,000 levels', nested(1_999)],
])('%s: within the budget', (_what, schema) => {
  expect(checkNodes(schema)).toBeUndefined();
});

test.each<[string, unknown]>([
  ['the schema, an array and 1,999 scalars', { enum: scalars(1_999) }],
  ['an array of 2,000', scalars(2_000)],
  ['2,001 levels', nested(2_000)],
  ['30,000 levels', nested(30_000)],
  ['many small branches', { allOf: scalars(700).map(() => ({ enum: [1] })) }],
  ['data that no keyword reads', { examples: [scalars(30_000)] }],
])('%s: too complex', (_what, schema) => {
  expect(checkNodes(schema)).toEqual({
    code: 'bazaar_schema_too_complex',
    message: expect.stringContaining('2000'),
  });
});
