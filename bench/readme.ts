import { readFile } from 'node:fs/promises';
import { GOODPUT } from './attack/questions.ts';
import { RESULTS, writeFormatted, writePage, type Measure, type RecordedResult } from './results.ts';
import { COLUMNS, markdownTable, measureRow } from './table.ts';

const README = new URL('../README.md', import.meta.url);
const BEGIN = '<!-- written by npm run bench -- readme -->';
const END = '<!-- end -->';

/** The rows that the README shows of each result: a section's title begins so, the measure's name, and the row's. */
const ROWS: Record<string, readonly (readonly [section: string, measure: string, row: string])[]> = {
  verify: [
    ['One at a time, answers of the RPC 0', 'RPC calls', 'verify: RPC calls'],
    ['At saturation, valid', 'CPU of each, ms', 'verify: CPU, at saturation, ms'],
    ['At saturation, valid', 'verifies per second', 'verify: per second'],
  ],
  settle: [
    ['Answers of the RPC 0', 'RPC calls', 'settle: RPC calls'],
    ['Answers of the RPC 0', 'CPU, ms', 'settle: CPU, ms'],
    ['Answers of the RPC 0', "ledger's close to answer, ms", "settle: ledger's close to answer, ms"],
  ],
  burst: [
    ['50 submitters', 'settled, %', 'burst: settled, %'],
    ['50 submitters', 'longest wait for an answer, s', 'burst: longest wait, s'],
  ],
  soak: [['Memory', 'heap in the last third, MiB', 'soak: heap, MiB']],
  attack: [
    ['One sender', 'settlements answered well, %', 'attack: honest settlements answered, %'],
    ['More questions', `attacker: ${GOODPUT}`, 'attack: searches answered, % of capacity'],
    ['Memory by echo', 'peak resident memory, MiB', 'attack: peak resident memory, MiB'],
  ],
};

/** Puts the recorded results into the README, between its two marks, and writes each as a page into build/bench. */
export async function updateReadme(): Promise<void> {
  const readme = await readFile(README, 'utf8');
  const [before, marked] = readme.split(BEGIN);
  const after = marked?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`the README lacks ${BEGIN} … ${END}`);
  const results = await readResults();
  const table = markdownTable(COLUMNS, results.flatMap(rowsOf));
  const runs = results.map(({ name, date }) => `${name} (${date})`);
  const goals = `Goals of this service that were not met: ${unmetIn(results).join('; ') || 'none'}.`;
  const text = `${table}\n\nMeasured: ${runs.join(', ')}. ${goals}`;
  await writeFormatted(README, `${before}${BEGIN}\n\n${text}\n\n${END}${after}`);
  for (const result of results) await writePage(result);
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

function unmetIn(results: readonly RecordedResult[]): string[] {
  return results.flatMap(({ name, goals }) =>
    goals.filter(({ isMet }) => !isMet).map((goal) => `${name}, ${goal.name} (${goal.measured})`),
  );
}
