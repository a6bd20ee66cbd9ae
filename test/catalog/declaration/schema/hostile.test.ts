import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { runBounded } from '../../../../src/catalog/declaration/schema/bounded.ts';
import { checkClientSchema } from '../../../../src/catalog/declaration/schema/check.ts';
import { costly, endless, infoFor } from './hostile.ts';

describe('a schema without an end is too complex', () => {
  test.each(endless)('$name', (hostile) => {
    expect(checkClientSchema(hostile.schema, infoFor(hostile))?.code).toBe('bazaar_schema_too_complex');
  });
});

describe('a schema that costs much has an answer', () => {
  test.each(costly)('$name', (hostile) => {
    const refusal = checkClientSchema(hostile.schema, infoFor(hostile));
    expect([undefined, 'bazaar_schema_too_complex', 'bazaar_schema_validation_failed']).toContain(
      refusal?.code,
    );
  });
});

describe('bounded work', () => {
  test('is cut off', () => {
    expect(
      runBounded(() => {
        for (;;);
      }),
    ).toBe('exhausted');
  });

  test('cannot hold on by catching', () => {
    const stubborn = (): never => {
      for (;;) {
        try {
          for (;;);
        } catch {
          continue;
        }
      }
    };
    expect(runBounded(stubborn)).toBe('exhausted');
  });

  test('is cut off in a worker thread too', async () => {
    const module = new URL('../../../../src/catalog/declaration/schema/bounded.ts', import.meta.url);
    const worker = new Worker(
      `import(${JSON.stringify(module.href)}).then(({ runBounded }) =>
        require('node:worker_threads').parentPort.postMessage(runBounded(() => { for (;;); })))`,
      { eval: true },
    );
    expect(await new Promise((resolve) => worker.once('message', resolve))).toBe('exhausted');
    await worker.terminate();
  });

  test('may use up the stack', () => {
    const deeper = (): number => 1 + deeper();
    expect(runBounded(deeper)).toBe('exhausted');
  });

  test('gives its result', () => {
    expect(runBounded(() => 5)).toEqual({ result: 5 });
  });

  test('throws what it throws', () => {
    const fault = new TypeError('fault');
    expect(() =>
      runBounded(() => {
        throw fault;
      }),
    ).toThrow(fault);
  });

  test('is repeated while the machine gives it no time', () => {
    let runs = 0;
    const work = () => {
      runs += 1;
      // Waits without working.
      if (runs < 3) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      return runs;
    };
    expect(runBounded(work)).toEqual({ result: 3 });
  });

  test('is a fault where the machine never does', () => {
    const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
    expect(() => runBounded(wait)).toThrow('processor time');
  });
});

describe('no regular expression of a client is ever made', () => {
  const seed = 20261203;
  console.info(`seed ${seed}`);

  const keyword = fc.constantFrom(
    ...['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas', 'dependencies'],
    ...['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items', 'not', 'if', 'then', 'else', 'contains'],
    ...['additionalProperties', 'propertyNames', 'contentSchema', 'additionalItems', 'unevaluatedProperties'],
    ...[
      'enum',
      'const',
      'default',
      'examples',
      'example',
      'x',
      'required',
      'type',
      '$vocabulary',
      '$comment',
    ],
    ...['pattern', 'format', 'toString', '__proto__', 'constructor', '0', 'input'],
  );
  const hostile = fc.constantFrom(
    { pattern: 'client' },
    { patternProperties: { client: false } },
    { format: 'regex' },
    { format: 'email' },
  );
  const path = fc.array(keyword, { minLength: 1, maxLength: 4 });

  /** `{ a: { b: value } }`, or with arrays where the step is an index. */
  const at = (steps: string[], value: unknown): any =>
    steps.reduceRight<unknown>(
      (inner, step) =>
        step === '0' ? [inner] : Object.defineProperty({}, step, { value: inner, enumerable: true }),
      value,
    );

  test('whatever the way to it', () => {
    const made = vi.spyOn(globalThis, 'RegExp');
    // Strings everywhere, so that a pattern that is reached is run.
    const info = { input: { type: 'http', x: ['a', { input: 'a' }] }, 0: 'a', x: 'a' } as never;
    let resolved = 0;
    fc.assert(
      fc.property(path, hostile, (steps, schema) => {
        const root = at(steps, schema);
        if (Array.isArray(root)) return;
        const $ref = `#/${steps.join('/')}`;
        for (const instance of [info, 'a' as never]) {
          const refusal = checkClientSchema({ allOf: [{ $ref }], ...root }, instance);
          if (refusal === undefined) resolved += 1;
        }
      }),
      { seed, numRuns: 2_000 },
    );
    expect(made.mock.calls.filter(([source]) => source === 'client')).toEqual([]);
    expect(resolved).toBeGreaterThan(100);
    made.mockRestore();
  });
});
