import { mkdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { formatted } from '../codegen/format.ts';
import { describeMachine, type Machine } from './machine.ts';
import { renderResult } from './table.ts';

/** One row of a table: a value for each round, of this service and of the peer; none where the peer lacks it. */
export interface Measure {
  name: string;
  ours: readonly number[];
  peer: readonly number[];
}

export interface Section {
  title: string;
  measures: readonly Measure[];
  remark?: string;
}

export interface Goal {
  /** The rule that this service should meet. */
  name: string;
  measured: string;
  isMet: boolean;
}

export interface Result {
  name: string;
  /** Names the two sides of the tables, unless they are this service and the peer. */
  sides?: readonly [string, string];
  /** How it was measured, a sentence each. */
  notes: readonly string[];
  sections: readonly Section[];
  goals: readonly Goal[];
}

/** A result with what it was measured on. */
export interface RecordedResult extends Result {
  machine: Machine;
  date: string;
  /** The averages over one, five and fifteen minutes when it began. */
  loadAverage: readonly number[];
  seconds: number;
}

/** Runs a measurement, prints what it found, and writes it into `results/` unless it was a rehearsal. */
export async function record(measure: () => Promise<Result>, isRehearsal: boolean): Promise<void> {
  const [startedAt, loadAverage] = [new Date(), loadavg()];
  const result = await measure();
  const recorded: RecordedResult = {
    ...result,
    machine: describeMachine(),
    date: startedAt.toISOString().slice(0, 10),
    loadAverage,
    seconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
  };
  console.log(`\n${renderResult(recorded)}`);
  if (isRehearsal) return;
  await mkdir(RESULTS, { recursive: true });
  await writeFormatted(new URL(`${result.name}.json`, RESULTS), JSON.stringify(recorded, sixDigits));
  await writePage(recorded);
  console.error(`written to bench/results/${result.name}.json and build/bench/${result.name}.md`);
}

const sixDigits = (_name: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(6)) : value;

export const RESULTS = new URL('results/', import.meta.url);
const PAGES = new URL('../build/bench/', import.meta.url);

/** Writes a result as a page with all its tables. The repository keeps only its JSON. */
export async function writePage(result: RecordedResult): Promise<void> {
  await mkdir(PAGES, { recursive: true });
  await writeFormatted(new URL(`${result.name}.md`, PAGES), renderResult(result));
}

/** In the form that the check of the project asks for. */
export async function writeFormatted(file: URL, text: string): Promise<void> {
  await writeFile(file, await formatted(file.pathname, text));
}

export const goal = (name: string, measured: string, isMet: boolean): Goal => ({ name, measured, isMet });
