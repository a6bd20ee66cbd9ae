import { readFile } from 'node:fs/promises';
import { GOODPUT } from './attack/questions.ts';
import { RESULTS, writeFormatted } from './results.ts';
import type { Measure, RecordedResult } from './results.ts';
import { COLUMNS, describeRun, markdownTable, measureRow } from './table.ts';

const README = new URL('../README.md', import.meta.url);
const BEGIN = '<!-- written by npm run bench -- readme -->';
const END = '<!-- end -->';

/** What the README shows of each result: a section's title begins so, the measure's name, and the row's. */
const ROWS: Record<string, readonly (readonly [section: string, measure: string, row: string])[]> = {
  verify: [
    ['One at a time, answers of the RPC 0', 'RPC calls', 'verify: RPC calls (the peer: one to Horizon, too)'],
    ['One at a time, answers of the RPC 0', 'CPU, ms', 'CPU of the whole request, one at a time, ms'],
    ['At saturation, valid', 'CPU of each, ms', 'the same at saturation, ms'],
    [
      'One at a time, answers of the RPC 20',
      'p50 above the round trip, ms',
      'latency above that of the RPC (20 ms), ms',
    ],
    ['At saturation, valid', 'verifies per second', 'verifies per second, one process'],
    ['At saturation, refused', 'refusals per second', 'refusals before the network, per second'],
  ],
  settle: [
    ['Answers of the RPC 0', 'RPC calls', 'settle: RPC calls'],
    ['Answers of the RPC 0', 'CPU, ms', 'CPU of the whole request, ms'],
    ['Answers of the RPC 0', "ledger's close to answer, ms", "from the ledger's close to the answer, ms"],
  ],
  burst: [
    ['50 submitters', 'settled, %', '500 payments at once, 50 submitters: settled, %'],
    ['50 submitters', 'settled per ledger', 'settled per ledger'],
    ['50 submitters', 'places filled, %', 'submitters × ledgers used while payments wait, %'],
    ['50 submitters', 'longest wait for an answer, s', 'longest wait for an answer, s'],
  ],
  soak: [
    ['Event-loop delay', 'p99, ms', 'steady traffic: event-loop delay p99, ms'],
    ['Memory', 'heap in the first third, MiB', 'heap in the first third of the time, MiB'],
    ['Memory', 'heap in the last third, MiB', 'heap in the last third, MiB'],
  ],
  attack: [
    ['Memory by echo', 'answered well, %', 'honest requests answered well, %: memory by echo'],
    ['Heap by waiting', 'answered well, %', 'heap by waiting settlements'],
    ['Processor by parsing', 'answered well, %', 'processor by parsing'],
    ['Slow readers', 'answered well, %', 'slow readers of discovery'],
    ['Idle sockets', 'answered well, %', 'idle sockets of one client'],
    ['One sender', 'settlements answered well, %', 'honest settlements answered well, %: one sender'],
    ['Forged verifies', 'settlements answered well, %', 'forged verifies'],
    ['More questions', `attacker: ${GOODPUT}`, 'ten times the questions that can be answered: goodput, %'],
    ['Memory by echo', 'peak resident memory, MiB', 'peak resident memory, MiB: memory by echo'],
    ['Heap by waiting', 'peak resident memory, MiB', 'heap by waiting settlements'],
  ],
};

/** Puts the results that were recorded into the README, between its two marks. */
export async function updateReadme(): Promise<void> {
  const readme = await readFile(README, 'utf8');
  const [before, marked] = readme.split(BEGIN);
  const after = marked?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`the README lacks ${BEGIN} … ${END}`);
  const results = await readResults();
  const table = markdownTable(COLUMNS, results.flatMap(rowsOf));
  const runs = results.map(
    (result) =>
      `- [${result.name}](bench/results/${result.name}.md): ${describeRun(result)}${missed(result)}.`,
  );
  await writeFormatted(README, `${before}${BEGIN}\n\n${table}\n\n${runs.join('\n')}\n\n${END}${after}`);
}

async function readResults(): Promise<RecordedResult[]> {
  const results: RecordedResult[] = [];
  for (const name of Object.keys(ROWS))
    results.push(JSON.parse(await readFile(new URL(`${name}.json`, RESULTS), 'utf8')) as RecordedResult);
  return results;
}

function rowsOf({ name, sections }: RecordedResult): string[][] {
  return ROWS[name]!.map(([begin, wanted, row]) => {
    const section = sections.find(({ title }) => title.startsWith(begin));
    const measure = section?.measures.find((one: Measure) => one.name === wanted);
    if (measure === undefined) throw new Error(`the result ${name} has no ${wanted} under ${begin}`);
    return measureRow({ ...measure, name: row });
  });
}

function missed({ goals }: RecordedResult): string {
  const unmet = goals.filter(({ isMet }) => !isMet);
  if (unmet.length === 0) return `; all ${goals.length} goals met`;
  return `; goals not met: ${unmet.map(({ name, measured }) => `${name} (${measured})`).join('; ')}`;
}
