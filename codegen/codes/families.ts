import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { contractUrl } from '../generate.ts';
import { readCodeTable } from './table.ts';

/** The codes of one enum of the contract, as the table in its description has them. */
export interface CodeFamily {
  /** Of the schema, `ReasonCode`; with the property where the enum stands in one, `ErrorDetail.code`. */
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
  components: { schemas: Record<string, CodeSchema & { properties?: { code?: CodeSchema } }> };
}

interface CodeSchema {
  enum?: string[];
  description?: string;
}

/** The codes of openapi.yaml: the enums that are named so, and those of properties that are. */
export async function readCodes(): Promise<Codes> {
  const { paths, components } = parse(await readFile(contractUrl, 'utf8')) as Contract;
  const families = Object.entries(components.schemas).flatMap(([name, schema]) => [
    ...(name.endsWith('Code') ? familyOf(name, schema) : []),
    ...familyOf(`${name}.code`, schema.properties?.code),
  ]);
  return { families, paths: Object.keys(paths) };
}

function familyOf(name: string, { enum: codes, description = '' }: CodeSchema = {}): CodeFamily[] {
  if (codes === undefined) return [];
  const table = readCodeTable(description);
  if (table.rows.map(({ code }) => code).join() !== codes.join())
    throw new Error(`openapi.yaml: the table in the description of ${name} does not list its enum`);
  return [{ name, ...table }];
}
