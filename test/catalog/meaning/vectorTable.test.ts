import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dot, NO_MEMBER, openVectorTable, SCAN_ROWS } from '../../../src/catalog/meaning/index.ts';

const vectors = (dimensions: number) =>
  fc.array(fc.int8Array({ min: -127, max: 127, minLength: dimensions, maxLength: dimensions }), {
    minLength: 2,
    maxLength: 40,
  });

describe('a table of vectors', () => {
  test('gives the product of the query with each vector, and none for what is no member', () => {
    const cases = fc
      .integer({ min: 1, max: 256 })
      .chain((dimensions) =>
        fc.tuple(vectors(dimensions), fc.uint8Array({ minLength: 5, maxLength: 5 }), fc.nat()),
      );
    fc.assert(
      fc.property(cases, ([[query, ...rows], members, skipped]) => {
        const table = openVectorTable(query!.length, 0);
        rows.forEach((vector, row) => table.put(row, vector));
        const products = rows.map((vector) => dot(query!, vector));
        expect([...table.scan(query!, 0, rows.length)]).toEqual(products);
        const first = skipped % rows.length;
        expect([...table.scan(query!, first, rows.length - first, members)]).toEqual(
          products
            .slice(first)
            .map((product, i) => ((members[i >> 3]! >> (i & 7)) & 1 ? product : NO_MEMBER)),
        );
      }),
      { numRuns: 200 },
    );
  });

  test('is exact for the largest numbers', () => {
    const table = openVectorTable(256, 0);
    const [most, least] = [new Int8Array(256).fill(127), new Int8Array(256).fill(-127)];
    table.put(0, most);
    table.put(1, least);
    expect([...table.scan(most, 0, 2)]).toEqual([256 * 127 * 127, -256 * 127 * 127]);
    expect([...table.scan(least, 0, 2)]).toEqual([-256 * 127 * 127, 256 * 127 * 127]);
  });

  test('grows, and keeps what it has', () => {
    const table = openVectorTable(100, 0);
    const vector = new Int8Array(100).fill(1);
    table.put(0, vector);
    table.put(300_000, vector);
    expect(table.capacity).toBeGreaterThan(300_000);
    expect([...table.scan(vector, 0, 2)]).toEqual([100, 0]);
    expect([...table.scan(vector, 300_000, 1)]).toEqual([100]);
  });

  test('refuses to scan more than it has, or too much at a time', () => {
    const table = openVectorTable(100, 0);
    const vector = new Int8Array(100);
    table.put(0, vector);
    expect(() => table.scan(vector, table.capacity, 1)).toThrow(RangeError);
    table.put(2 * SCAN_ROWS, vector);
    expect(() => table.scan(vector, 0, SCAN_ROWS + 1)).toThrow(RangeError);
  });

  test('is seen by other threads, also after it has grown', async () => {
    const table = openVectorTable(100, 0);
    const vector = new Int8Array(100).fill(2);
    const code = `
      const { parentPort, workerData } = require('node:worker_threads');
      import(workerData.module).then(({ openVectorTable }) => {
        const table = openVectorTable(100, 1, workerData.memory);
        parentPort.on('message', (row) => parentPort.postMessage([...table.scan(new Int8Array(100).fill(3), row, 1)]));
        parentPort.postMessage('open');
      });`;
    const module = new URL('../../../src/catalog/meaning/vectorTable.ts', import.meta.url).href;
    const worker = new Worker(code, { eval: true, workerData: { memory: table.memory, module } });
    const answer = (): Promise<unknown> =>
      new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    try {
      expect(await answer()).toBe('open');
      for (const row of [0, 200_000]) {
        table.put(row, vector);
        worker.postMessage(row);
        expect(await answer()).toEqual([600]);
      }
    } finally {
      await worker.terminate();
    }
  });
});
