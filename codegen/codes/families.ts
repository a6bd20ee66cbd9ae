import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { contractUrl } from '../generate.ts';
import { readCodeTable } from './table.ts';

/** The codes of one enum of the contract, as listed in the table in its description. */
export interface CodeFamily {
  /** The name of the schema, `ReasonCode`, with the property if the enum is in one, `ErrorDetail.code`. */
  name: string;
  /** The part of the description before its table, in Markdown. */
  text: string;
  /** The heading of the conditions. */
  heading: string;
  rows: { code: string; condition: string }[];
}

/** The codes of the contract, and its paths. */
export interface Codes {
  families: CodeFamily[];
  /** The paths of the operations, in order. */
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

/** Reads the codes of openapi.yaml: the enums whose name ends in `Code`, and those of properties named `code`. */
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
