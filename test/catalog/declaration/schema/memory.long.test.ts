import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { checkClientSchema } from '../../../../src/catalog/declaration/schema/check.ts';
import { costly, infoFor } from './hostile.ts';

const SCHEMAS = 6_000;
/** Each with a hostile one in so many ordinary ones; hostile ones that run into the time limit are too dear here. */
const HOSTILE_EVERY = 300;
const GROWTH_LIMIT_BYTES = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Never the same twice: a cache of schemas would grow. */
function holdOne(index: number): string | undefined {
  const name = `parameter${index}`;
  const properties = { [name]: { type: 'string', description: `About ${name}`, pattern: `^${index}$` } };
  const schema = {
    $defs: { [name]: { type: 'object', properties, required: [name], additionalProperties: false } },
    properties: { input: { properties: { queryParams: { $ref: `#/$defs/${name}` } } } },
  };
  const info = { input: { type: 'http', method: 'GET', queryParams: { [name]: index % 2 === 0 ? 'x' : 5 } } };
  return checkClientSchema(schema, info)?.code;
}

function holdHostile(index: number): void {
  const hostile = costly[index % costly.length]!;
  checkClientSchema({ ...hostile.schema, title: `hostile ${index}` }, infoFor(hostile));
}

function heapAfter(from: number, count: number): number {
  for (let index = from; index < from + count; index += 1) {
    expect(holdOne(index)).toBe(index % 2 === 0 ? undefined : 'bazaar_schema_validation_failed');
    if (index % HOSTILE_EVERY === 0) holdHostile(index / HOSTILE_EVERY);
  }
  collect();
  return process.memoryUsage().heapUsed;
}

test('thousands of different schemas leave nothing behind', { timeout: 120_000 }, () => {
  const warm = heapAfter(0, SCHEMAS / 3);
  const later = heapAfter(SCHEMAS / 3, (SCHEMAS * 2) / 3);
  expect(later - warm).toBeLessThan(GROWTH_LIMIT_BYTES);
});
