import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/http/json.ts';
import { HTTP_LIMITS } from '../../src/http/limits.ts';

const problemOf = (text: string): string => {
  const parsed = parseJson(text);
  return 'code' in parsed ? parsed.message : 'none';
};

test('every JSON value without repeated keys is read as JSON.parse reads it', () => {
  const seed = 20261121;
  console.info(`seed ${seed}`);
  const value = fc.jsonValue({ noUnicodeString: false, maxDepth: 8 });
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 1, '\t'), (written, space) => {
      const text = JSON.stringify(written, null, space);
      expect(parseJson(text)).toEqual({ value: JSON.parse(text) });
    }),
    { seed, numRuns: 500 },
  );
});

test.each([
  ['{"a":1,"a":2}', '"a"'],
  ['{"a":1,"\\u0061":2}', '"a"'],
  ['[0,{"b":{"x\\"":1, "x\\""\n:2}}]', '"x\\""'],
  ['{"a":{"a":1},"b":[{"a":1}],"":0,"c\\\\":{"d":1},"":1}', '""'],
  ['{"__proto_":1,"k":"\\"k\\":","k":3}', '"k"'],
])('a key given twice in one object is named: %s', (text, key) => {
  expect(problemOf(text)).toBe(`The request body has the key ${key} twice in one object.`);
});

test('the same key in different objects is fine, and so is text that looks like a key', () => {
  for (const text of [
    '[{"a":1},{"a":2}]',
    '{"a":{"a":{"a":1}}}',
    '{"a":"\\"a\\":1","b":"a"}',
    '{"a\\\\":1,"a":2}',
  ]) {
    expect(parseJson(text)).toEqual({ value: JSON.parse(text) });
  }
});

test('the key __proto__ is one like any other', () => {
  const read = parseJson('{"a":{"__proto__":{"x":1}}}') as { value: { a: { x?: number } } };
  expect(Object.keys(read.value.a)).toEqual(['__proto__']);
  expect(read.value.a.x).toBeUndefined();
  expect(problemOf('{"__proto__":1,"\\u005f_proto__":1}')).toContain('twice in one object');
});

test('nesting is read to the limit and refused beyond it', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  expect(problemOf(nested(HTTP_LIMITS.maxBodyDepth))).toBe('none');
  expect(problemOf(nested(HTTP_LIMITS.maxBodyDepth + 1))).toBe(
    'The request body is nested deeper than 64 levels.',
  );
  expect(problemOf(nested(500_000))).toBe('The request body is nested deeper than 64 levels.');
});

describe('values are counted before anything is made of them:', () => {
  const TOO_MANY = `The request body has more than ${HTTP_LIMITS.maxBodyValues} values.`;
  const times = (count: number, text: string): string => Array.from({ length: count }, () => text).join(',');

  test.each<[what: string, textOf: (values: number) => string]>([
    ['empty objects', (values) => `[${times(values - 1, '{}')}]`],
    ['empty arrays, with spaces', (values) => `[ ${times(values - 1, '[ ]')} ]`],
    ['arrays of one', (values) => `[${times((values - 2) / 2, '[0]')},1]`],
    ['objects of two', (values) => `[1,${times((values - 2) / 3, '{"a":"[,]","b":"\\"{,"}')}]`],
    [
      'members of an object',
      (values) => `{${Array.from({ length: values - 1 }, (_, i) => `"${i}":0`).join()}}`,
    ],
  ])('%s', (_what, textOf) => {
    const text = textOf(HTTP_LIMITS.maxBodyValues);
    expect(parseJson(text)).toEqual({ value: JSON.parse(text) });
    const withOneMore = text.replace(/.$/, (end) => (end === ']' ? ',0]' : ',"more":0}'));
    expect(problemOf(withOneMore)).toBe(TOO_MANY);
  });

  test('too many are refused also where the text ends in no JSON', () => {
    expect(problemOf('[0,'.padEnd(1_000_000, '0,'))).toBe(TOO_MANY);
    expect(problemOf('[{},'.padEnd(1_000_000, '{},'))).toBe(TOO_MANY);
  });
});

test.each(['"', '"\\"', '{"a', '["\\\\\\"', '"'.repeat(1_001)])(
  'a string that does not end is no JSON: %j',
  (text) => {
    expect(problemOf(text)).toBe('The request body is not valid JSON.');
  },
);

test('a repeated key is found in long strings of escapes and quotes', () => {
  const text = `{"k":"${'\\\\\\"'.repeat(100_000)}","k":1}`;
  expect(problemOf(text)).toBe('The request body has the key "k" twice in one object.');
});
