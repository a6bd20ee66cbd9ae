/** The code blocks of README.md and docs/, as they stand. */
import { globSync, readFileSync } from 'node:fs';

export interface Block {
  /** Such as docs/seller.md. */
  document: string;
  /** The nearest heading above. */
  heading: string;
  /** What follows the fence; empty for diagrams and the like. */
  language: string;
  /** Which one it is of its language under its heading, from 1. */
  nth: number;
  /** Ends with a line break; the indentation of a list is gone. */
  text: string;
}

/** Changes with an edition of the document only if blocks of the same language come or go before it under the heading. */
export const nameOf = ({ document, heading, language, nth }: Block): string =>
  `${document} › ${heading}, ${language || 'plain'} ${nth}`;

export const PAGES: ReadonlyMap<string, string> = new Map(
  ['README.md', ...globSync('docs/*.md').toSorted()].map((file) => [file, readFileSync(file, 'utf8')]),
);

/** All blocks, in the order of the documents. */
export const BLOCKS: readonly Block[] = [...PAGES].flatMap(([document, page]) => blocksOf(document, page));

/** Throws if a document has no such block: whoever plays it must follow the document. */
export function block(document: string, heading: string, language: string, nth = 1): Block {
  const wanted = nameOf({ document, heading, language, nth, text: '' });
  const found = BLOCKS.find((candidate) => nameOf(candidate) === wanted);
  if (found === undefined) throw new Error(`there is no block ${wanted}`);
  return found;
}

/** A command that stands within a sentence, without its backticks. Throws if the document does not say it. */
export function said(document: string, command: string): string {
  if (!PAGES.get(document)?.includes(`\`${command}\``))
    throw new Error(`${document} does not say ${command}`);
  return command;
}

/** Returns the blocks of a document. Throws if one does not end. */
export function blocksOf(document: string, page: string): Block[] {
  const blocks: Block[] = [];
  let heading = '';
  let open: { indent: string; fence: string; language: string; lines: string[] } | undefined;
  for (const line of page.split('\n')) {
    const [, indent = '', fence = '', language = ''] = /^( *)(`{3,}|~{3,})\s*(\S*)/.exec(line) ?? [];
    if (open !== undefined) {
      if (line.trim() !== open.fence) {
        open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
        continue;
      }
      const nth =
        1 + blocks.filter((one) => one.heading === heading && one.language === open!.language).length;
      blocks.push({ document, heading, language: open.language, nth, text: `${open.lines.join('\n')}\n` });
      open = undefined;
    } else if (fence !== '') open = { indent, fence, language, lines: [] };
    else heading = /^#+ (.+)/.exec(line)?.[1] ?? heading;
  }
  if (open !== undefined) throw new Error(`${document}: a block under “${heading}” does not end`);
  return blocks;
}
