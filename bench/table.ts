import type { Measure, RecordedResult } from './results.ts';
import { median, ratio } from './statistics.ts';

/** A Markdown table; all columns but the first hold numbers. */
export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = columns.map((_, i) => (i === 0 ? '---' : '--:'));
  return [columns, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Both medians and their ratio: under 1 is less than the peer, which may have nothing to measure. */
export function measureRow(measure: Measure): string[] {
  const { name, ours, peer } = measure;
  if (peer.length === 0) return [name, shown(median(ours)), 'none', ''];
  return [name, ...[median(ours), median(peer), ratio(measure)].map(shown)];
}

const SIDES = ['this service', '@x402/stellar 2.9.0'] as const;
export const COLUMNS = ['', ...SIDES, 'ratio'];

/** Three digits, or all of a whole number. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '';
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}

export function describeRun({ machine, date, loadAverage, seconds }: RecordedResult): string {
  const { cpu, cores, memoryGib, node, system } = machine;
  const load = loadAverage.map((value) => value.toFixed(2)).join(', ');
  return `${cores} × ${cpu}, ${memoryGib} GiB, ${system}, Node ${node}; ${date}, ${seconds} s; load average at the start ${load}`;
}

/** The whole result as Markdown. */
export function renderResult(result: RecordedResult): string {
  const { name, notes, sections, goals, sides = SIDES } = result;
  const columns = ['', ...sides, 'ratio'];
  const tables = sections.map(
    ({ title, measures, remark }) =>
      `## ${title}\n\n${markdownTable(columns, measures.map(measureRow))}${remark ? `\n\n${remark}` : ''}`,
  );
  const verdicts = goals.map((goal) => [goal.name, goal.measured, goal.isMet ? 'yes' : '**no**']);
  return [
    `# ${name}`,
    `${describeRun(result)}.`,
    notes.map((note) => `- ${note}`).join('\n'),
    ...tables,
    `## Goals\n\n${markdownTable(['of this service', 'measured', 'met'], verdicts)}`,
  ].join('\n\n');
}
