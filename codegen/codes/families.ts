import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { contractUrl } from '../generate.ts';

/** The codes of one enum of the contract, as the table in its description has them. */
export interface CodeFamily {
  /** Of the schema, `VerifyCode`. */
  name: string;
  /** What the description says before its table, in Markdown. */
  text: string;
  /** The heading of the conditions. */
  heading: string;
  rows: { code: string; condition: string }[];
}

/** What the contract says of codes. */
export interface Codes {
  families: CodeFamily[];
  /** Of the operations, in order. */
  paths: string[];
}

interface Contract {
  paths: Record<string, unknown>;
  components: { schemas: Record<string, { enum?: string[]; description?: string }> };
}

/** The codes of openapi.yaml. An enum whose codes all belong to another one is left out. */
export async function readCodes(): Promise<Codes> {
  const { paths, components } = parse(await readFile(contractUrl, 'utf8')) as Contract;
  const enums = Object.entries(components.schemas).flatMap(([name, { enum: codes, description = '' }]) =>
    codes && name.endsWith('Code') ? [{ name, codes, description }] : [],
  );
  const isPart = (part: (typeof enums)[number]): boolean =>
    enums.some((whole) => whole !== part && part.codes.every((code) => whole.codes.includes(code)));
  return { families: enums.filter((family) => !isPart(family)).map(familyOf), paths: Object.keys(paths) };
}

interface CodeEnum {
  name: string;
  codes: string[];
  description: string;
}

/** The condition of a code is the last column of the table in the description. */
function familyOf({ name, codes, description }: CodeEnum): CodeFamily {
  const lines = description.split('\n');
  const start = lines.findIndex((line) => line.startsWith('|'));
  const [head = [], , ...rows] = lines
    .slice(start)
    .filter((line) => line.startsWith('|'))
    .map(cellsOf);
  const table = rows.map((cells) => ({
    code: cells.at(0)!.replaceAll('`', ''),
    condition: cells.at(-1)!,
  }));
  if (table.map(({ code }) => code).join() !== codes.join())
    throw new Error(`openapi.yaml: the table in the description of ${name} does not list its enum`);
  return { name, text: lines.slice(0, start).join('\n').trim(), heading: head.at(-1)!, rows: table };
}

/** The cells of a row of a Markdown table, as they are written. */
export function cellsOf(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
