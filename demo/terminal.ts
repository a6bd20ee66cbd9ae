/** How the story looks: numbered steps with labelled facts. Colours only where a terminal shows them. */
import { styleText } from 'node:util';

const LABEL_CHARS = 12;
const PARAGRAPH_CHARS = 80;
/** Columns of the books: before, after, change. */
const COLUMN_CHARS = [24, 24, 22];

/**
 * Leaves the output to the story alone: stock packages log to the console, too. Ends the process, as is usual, once
 * nobody reads on, as with `| head`.
 */
export function takeOutput(): void {
  console.log = () => {};
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function title(text: string): void {
  print(`\n${styleText('bold', text)}`);
}

export function step(number: number, text: string): void {
  title(`${number}. ${text}`);
}

export function fact(label: string, value: string): void {
  print(`   ${styleText('dim', label.padEnd(LABEL_CHARS))} ${value}`);
}

/** A fact in sentences, in lines of the same width. */
export function paragraph(label: string, text: string): void {
  const lines = text.match(new RegExp(`\\S.{0,${PARAGRAPH_CHARS - 1}}(?=\\s|$)|\\S+`, 'g')) ?? [];
  lines.forEach((part, index) => fact(index === 0 ? label : '', part));
}

export function line(text = ''): void {
  print(text === '' ? '' : `   ${text}`);
}

/** A row of a table: a name, and cells that stand right in their columns. */
export function row(name: string, ...cells: string[]): void {
  const columns = cells.map((cell, index) => cell.padStart(COLUMN_CHARS[index] ?? 0));
  line(name.padEnd(LABEL_CHARS) + columns.join(''));
}

export const good = (text: string): string => styleText('green', text);
export const bad = (text: string): string => styleText('red', text);
