/** A row of the contract's tables of codes. */
export interface CodeRow {
  code: string;
  /** The operations, by words of their paths, or `any`; empty in a table without that column. */
  where: string;
  /** The HTTP statuses; empty in a table without that column. */
  statuses: number[];
  condition: string;
}

/** Reads the table of codes in a description: the heading of its conditions, its rows, and the Markdown before it. */
export function readCodeTable(description: string): { text: string; heading: string; rows: CodeRow[] } {
  const lines = description.split('\n');
  const start = lines.findIndex((line) => line.startsWith('|'));
  const table = lines.slice(start).filter((line) => line.startsWith('|'));
  const [head = [], , ...rows] = table.map(cellsOf);
  const cell = (cells: readonly string[], column: string): string => cells[head.indexOf(column)] ?? '';
  return {
    text: lines.slice(0, start).join('\n').trim(),
    heading: head.at(-1)!,
    rows: rows.map((cells) => ({
      code: cells[0]!.replaceAll('`', ''),
      where: cell(cells, 'Where'),
      statuses: cell(cells, 'Status').split(',').filter(Boolean).map(Number),
      condition: cells.at(-1)!,
    })),
  };
}

/** Returns the cells of a row of a Markdown table, as they are written. */
export function cellsOf(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
