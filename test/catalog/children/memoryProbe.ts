// Submits many different listings and hostile blocks, and says how much memory the process has before and after:
//   node --expose-gc memoryProbe.ts <file>
import { setImmediate } from 'node:timers/promises';
import { openCatalog } from '../../../src/catalog/index.ts';
import { BLOCK_CHARACTERS, settledBlock } from '../memoryBlocks.ts';

/** Until caches are full and the garbage of the threads has its size. */
const WARM_UP = 2_000;
const MEASURED = 3_000;
const AT_A_TIME = 4;

const [path = ''] = process.argv.slice(2);
let faults = 0;
const log = { info: () => {}, warn: () => {}, error: () => void (faults += 1) };
const catalog = await openCatalog({ dbPath: path, log });
const counts: Record<string, number> = {};

async function submit(index: number): Promise<void> {
  const outcome = await catalog.submit(settledBlock(index));
  const name = outcome === undefined ? 'late' : (outcome.code ?? outcome.status);
  counts[name] = (counts[name] ?? 0) + 1;
  if (index % 10 === 0) await catalog.search({ query: `words${index % 500} listing`, filters: {} });
}

async function run(from: number, to: number): Promise<void> {
  let next = from;
  const one = async (): Promise<void> => {
    while (next < to) await submit((next += 1));
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, one));
}

async function memory(): Promise<{ rss: number; heap: number }> {
  // Twice: the first one lets go of what the second one finds.
  for (let collections = 0; collections < 2; collections += 1) {
    gc!();
    await setImmediate();
  }
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  return { rss, heap: heapUsed + external + arrayBuffers };
}

await run(0, WARM_UP);
const before = await memory();
await run(WARM_UP, WARM_UP + MEASURED);
const after = await memory();
await catalog.close();
const sent = MEASURED * BLOCK_CHARACTERS;
console.log(`memory ${JSON.stringify({ before, after, sent, faults, counts })}`);
