import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createVectorTable, SCAN_ROWS } from '../../../src/catalog/meaning/index.ts';
import { dot } from './similarity.ts';

const vectors = (dimensions: number) =>
  fc.array(fc.int8Array({ min: -127, max: 127, minLength: dimensions, maxLength: dimensions }), {
    minLength: 2,
    maxLength: 40,
  });

describe('a table of vectors', () => {
  test('gives the product of the query with each vector', () => {
    const cases = fc
      .integer({ min: 1, max: 256 })
      .chain((dimensions) => fc.tuple(vectors(dimensions), fc.nat()));
    fc.assert(
      fc.property(cases, ([[query, ...rows], skipped]) => {
        const table = createVectorTable(query!.length);
        rows.forEach((vector, row) => table.put(row, vector));
        const products = rows.map((vector) => dot(query!, vector));
        expect([...table.scan(query!, 0, rows.length)]).toEqual(products);
        const first = skipped % rows.length;
        expect([...table.scan(query!, first, rows.length - first)]).toEqual(products.slice(first));
      }),
      { numRuns: 200 },
    );
  });

  test('is exact for the largest numbers', () => {
    const table = createVectorTable(256);
    const [most, least] = [new Int8Array(256).fill(127), new Int8Array(256).fill(-127)];
    table.put(0, most);
    table.put(1, least);
    expect([...table.scan(most, 0, 2)]).toEqual([256 * 127 * 127, -256 * 127 * 127]);
    expect([...table.scan(least, 0, 2)]).toEqual([-256 * 127 * 127, 256 * 127 * 127]);
  });

  test('grows, and keeps what it has', () => {
    const table = createVectorTable(100);
    const vector = new Int8Array(100).fill(1);
    table.put(0, vector);
    table.put(300_000, vector);
    expect(table.capacity).toBeGreaterThan(300_000);
    expect([...table.scan(vector, 0, 2)]).toEqual([100, 0]);
    expect([...table.scan(vector, 300_000, 1)]).toEqual([100]);
  });

  test('refuses to scan more than it has, or too much at a time', () => {
    const table = createVectorTable(100);
    const vector = new Int8Array(100);
    table.put(0, vector);
    expect(() => table.scan(vector, table.capacity, 1)).toThrow(RangeError);
    table.put(2 * SCAN_ROWS, vector);
    expect(() => table.scan(vector, 0, SCAN_ROWS + 1)).toThrow(RangeError);
  });
});
