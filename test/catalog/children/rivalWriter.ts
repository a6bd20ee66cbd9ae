// Submits listings for its own recipient, all of a line at the same time, and answers with what came of each:
//   node rivalWriter.ts <file> <payTo>, and then lines of stdin: JSON arrays of keys
import { createInterface } from 'node:readline';
import { openCatalog } from '../../../src/catalog/index.ts';
import { settledPayment } from '../settledPayments.ts';

/** While others write, the database may be busy for longer than a submission waits: that is a fault, not an answer. */
const MAX_ATTEMPTS = 100;

const [path = '', payTo = ''] = process.argv.slice(2);
const log = { info: () => {}, warn: () => {}, error: () => {} };
const catalog = await openCatalog({ dbPath: path, log });
console.log('open');

/** `success`, or the code of the refusal. */
async function outcomeOf(key: string): Promise<string | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const outcome = await catalog.submit(settledPayment({ key, payTo, description: `by ${payTo}` }));
    if (outcome !== undefined) return outcome.code ?? outcome.status;
  }
  return undefined;
}

let lines = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const keys = JSON.parse(line) as string[];
  const outcomes = await Promise.all(keys.map(outcomeOf));
  console.log(`outcomes${(lines += 1)} ${JSON.stringify(outcomes)}`);
}
await catalog.close();
