import { cpus } from 'node:os';

export interface Row {
  name: string;
  values: number[];
}

/** Prints the rows, and below them the first row's share of the second: under 1 is less. */
export function printTable(title: string, columns: readonly string[], rows: readonly Row[]): void {
  const [first, second] = rows;
  const ratios = first?.values.map((value, i) => value / (second?.values[i] ?? NaN)) ?? [];
  const lines = [...rows, { name: 'ratio', values: ratios }].map(({ name, values }) => [
    name,
    ...values.map((value) => value.toFixed(2)),
  ]);
  const table = [['', ...columns], ['---', ...columns.map(() => '--:')], ...lines];
  console.log(
    `\n${title}\nNode ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}\n`,
  );
  for (const cells of table) console.log(`| ${cells.join(' | ')} |`);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
