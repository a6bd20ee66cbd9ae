// Writes to a catalog as fast as it can until it is killed, and says on stdout what was reported as written:
//   node killedWriter.ts <file> <round> <seed>
import { writeSync } from 'node:fs';
import { openCatalog } from '../../../src/catalog/index.ts';
import { readPage } from '../pages.ts';
import { createRandom } from '../random.ts';
import { settledPayment } from '../settledPayments.ts';
import { COMMON_WORDS, PAYEES } from '../killedWriterWords.ts';

/** Of each process, the first listings are reworded by all that follow. */
const OFTEN_REWORDED = 3;
const VERSIONS_PER_ROUND = 1_000_000;
/** Submissions that are under way at a time: the next one always waits already. */
const SUBMITTERS = 4;

const [path = '', round = '', seed = ''] = process.argv.slice(2);
const random = createRandom(Number(seed));

/** At once and as a whole, whatever happens to the process afterwards. */
function say(line: string): void {
  for (;;) {
    try {
      return void writeSync(1, `${line}\n`);
    } catch (error) {
      // The reader is slow: the pipe is full, and nothing of the line was written.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
const onFault = (fields: object, text: string): void =>
  say(`fault ${text} ${String((fields as { err?: unknown }).err)}`);

const catalog = await openCatalog({ dbPath: path, log: { info: () => {}, warn: () => {}, error: onFault } });
const { pagination } = await readPage(await catalog.list({ filters: {}, limit: 1 }));
say(`open ${pagination.total}`);

let made = 0;
let changes = 0;
/** The latest wording of each listing that this process submitted. */
const wordings = new Map<string, string>();

/** A new listing, another wording of one of this or an earlier process, or the same with other terms. */
async function submitOne(): Promise<void> {
  const { key, number } =
    random.next() < 0.4 ? earlierOne() : { key: `r${round}n${(made += 1)}`, number: made };
  const known = random.next() < 0.3 ? wordings.get(key) : undefined;
  const description =
    known ?? `version${nextVersion()} ${random.pick(COMMON_WORDS)} ${random.pick(COMMON_WORDS)}`;
  const amount = 1 + random.below(3);
  const written = { key, payTo: PAYEES[number % PAYEES.length]!, amount, description };
  wordings.set(key, description);
  const outcome = await catalog.submit(settledPayment(written));
  if (outcome?.status === 'success') say(`listed ${JSON.stringify(written)}`);
  else if (outcome !== undefined) say(`fault ${JSON.stringify(outcome)}`);
}

/** One of the first listings of this process or of one before it, or what could have been one. */
function earlierOne(): { key: string; number: number } {
  const number = 1 + random.below(OFTEN_REWORDED);
  return { key: `r${random.below(Number(round) + 1)}n${number}`, number };
}

/** Greater than all that were on this file before. */
function nextVersion(): number {
  return Number(round) * VERSIONS_PER_ROUND + (changes += 1);
}

async function forever(work: () => Promise<unknown>): Promise<never> {
  for (;;) await work().catch((error: unknown) => say(`fault ${String(error)}`));
}

void forever(() => catalog.search({ query: random.pick(COMMON_WORDS), filters: {} }));
void forever(() => catalog.list({ filters: { payTo: random.pick(PAYEES) } }));
for (let at = 0; at < SUBMITTERS; at += 1) void forever(submitOne);
