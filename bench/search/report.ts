/** The nearest rank: with few values the highest of them. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? NaN;
}

export const PERCENTILES = [50, 95, 99];

/** Milliseconds at the three percentiles. */
export function spread(values: readonly number[]): string[] {
  return PERCENTILES.map((percent) => milliseconds(percentile(values, percent)));
}

export const milliseconds = (ms: number): string => (Number.isNaN(ms) ? '' : ms.toFixed(ms < 100 ? 2 : 0));

export const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

/** A Markdown table: first the columns of text, then those of numbers. */
export function printColumns(
  title: string,
  texts: readonly string[],
  numbers: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const rule = [...texts.map(() => '---'), ...numbers.map(() => '--:')];
  console.log(`\n${title}\n`);
  for (const cells of [[...texts, ...numbers], rule, ...rows]) console.log(`| ${cells.join(' | ')} |`);
}

/** Calls `work`, in a turn of its own so that Ctrl-C is heard, and says how long it took. */
export async function timed<T>(work: () => T | Promise<T>): Promise<{ value: T; ms: number }> {
  await new Promise((resolve) => setImmediate(resolve));
  const startedAt = performance.now();
  const value = await work();
  return { value, ms: performance.now() - startedAt };
}
