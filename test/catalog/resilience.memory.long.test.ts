import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createOperations } from '../../src/catalog/operations.ts';
import { openDatabase } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../src/catalog/sqlite/store.ts';
import { startScript } from './child.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { BLOCK_CHARACTERS, settledBlock } from './memoryBlocks.ts';

/** A process grows until its threads collect their garbage: a copy of each block that stayed would be far above. */
const PROCESS_GROWTH_LIMIT_BYTES = 64 * 1024 * 1024;
const PROCESS_HEAP_GROWTH_LIMIT_BYTES = 16 * 1024 * 1024;
const HEAP_GROWTH_LIMIT_BYTES = 6 * 1024 * 1024;
/** Garbage is collected early, so that the process has its size after a few seconds. */
const FLAGS = ['--expose-gc', '--max-semi-space-size=1'];
const SUBMISSIONS = 1_500;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

interface Memory {
  rss: number;
  heap: number;
}

interface Probe {
  before: Memory;
  after: Memory;
  /** Bytes of the blocks that were submitted between `before` and `after`. */
  sent: number;
  faults: number;
  counts: Record<string, number>;
}

const CODES = [
  'success',
  'bazaar_schema_validation_failed',
  'bazaar_spec_validation_failed',
  'bazaar_schema_too_complex',
  'bazaar_extension_not_object',
];

test(
  'thousands of listings and hostile blocks do not stay in the process',
  { timeout: 120_000 },
  async () => {
    const path = join(temporaryFolder(), 'catalog.db');
    const probe = startScript('memoryProbe.ts', [path], { flags: FLAGS });
    const line = await probe.line('memory ');
    const { before, after, sent, faults, counts } = JSON.parse(line.slice('memory '.length)) as Probe;
    expect(sent).toBeGreaterThan(2 * PROCESS_GROWTH_LIMIT_BYTES);
    expect(after.rss - before.rss).toBeLessThan(PROCESS_GROWTH_LIMIT_BYTES);
    expect(after.heap - before.heap).toBeLessThan(PROCESS_HEAP_GROWTH_LIMIT_BYTES);
    expect(faults).toBe(0);
    expect(Object.keys(counts)).toEqual(expect.arrayContaining(CODES));
  },
);

test('what a thread of the catalog does leaves nothing in its heap', { timeout: 120_000 }, () => {
  const store = createSqliteStore(openDatabase(join(temporaryFolder(), 'catalog.db')));
  const { submit, list, search } = createOperations(store);
  const outcomes = new Set<string>();
  const heapAfter = (from: number): number => {
    for (let index = from; index < from + SUBMISSIONS; index += 1) {
      const { extensions, resource, requirements } = settledBlock(index);
      const extensionsText = JSON.stringify(extensions);
      const settled = { extensionsText, resource, requirements, settledAt: new Date(index) };
      const refusal = submit({ ...settled, isStellarAsset: true });
      outcomes.add(refusal?.code ?? 'success');
      search({ query: `words${index % 500} listing`, filters: { payTo: 'GALICE' }, limit: 3 });
      list({ filters: { payTo: `G${index}` }, offset: index });
    }
    // What lies outside the heap is let go in the collection after the one that found it free.
    for (let round = 0; round < 3; round += 1) collect();
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    return heapUsed + external + arrayBuffers;
  };
  const before = heapAfter(0);
  const after = heapAfter(SUBMISSIONS);
  expect(SUBMISSIONS * BLOCK_CHARACTERS).toBeGreaterThan(10 * HEAP_GROWTH_LIMIT_BYTES);
  expect(after - before).toBeLessThan(HEAP_GROWTH_LIMIT_BYTES);
  expect([...outcomes]).toEqual(expect.arrayContaining(CODES));
  store.close();
});
