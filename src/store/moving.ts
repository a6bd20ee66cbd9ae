/** Moves the tables of a SQLite file into PostgreSQL. */
import type { StatementSync } from 'node:sqlite';
import type { Query, Row } from './postgres.ts';
import { SCHEMA } from './postgresSchema.ts';

/** A row as PostgreSQL shall have it, by column: bytes as `\\x` and hex, times in ISO 8601. */
export type MovedRow = Readonly<Record<string, string | number | boolean | null>>;

type StoredRow = Record<string, MovedRow[string] | Date | Uint8Array | undefined>;

/** A table in PostgreSQL, and the rows that a file has for it. */
export interface MovedTable {
  readonly name: string;
  /** The column that tells its rows from each other. */
  readonly key: string;
  /** Returns how many rows the file has. */
  count(): number;
  /** Returns the file's rows. */
  rows(): Iterable<MovedRow>;
  /** Writes them. Undefined if another table's rows bring them along. */
  readonly writing: Writing | undefined;
}

/** A file that no other process has open. */
export interface MovedFile {
  readonly tables: readonly MovedTable[];
  close(): void;
}

interface Writing {
  /** Returns the rows whose key is higher, in the order of their keys. */
  rowsAfter(key: number): Iterable<MovedRow>;
  /** Writes a batch ($1, JSON). */
  readonly statement: string;
}

export interface MovingLimits {
  /** A batch is full when it reaches either of them. */
  readonly batchRows: number;
  readonly batchCharacters: number;
  /** Rows that differ are named up to this number, for each table. */
  readonly namedDifferences: number;
}

export const MOVING_LIMITS: MovingLimits = {
  batchRows: 1_000,
  batchCharacters: 4 * 1024 * 1024,
  namedDifferences: 10,
};

export interface MovingDeps {
  readonly query: Query;
  /** Hears after each batch how far it is: "listing written", 2000, 50000. */
  report(what: string, rows: number, of: number): void;
  readonly limits: MovingLimits;
}

export interface Checked {
  /** Rows of the file. */
  readonly rows: number;
  readonly differences: number;
  /** The first differences, a text for each. */
  readonly named: readonly string[];
}

/** Returns the part of a statement that inserts a batch ($1). */
export const insertInto = (table: string): string =>
  `INSERT INTO ${SCHEMA}.${table} OVERRIDING SYSTEM VALUE
   SELECT * FROM json_populate_recordset(NULL::${SCHEMA}.${table}, $1)`;

/** Returns the rows that a statement selects after a key, one by one. */
export function* rowsOf(
  statement: StatementSync,
  after: number,
  rowOf: (row: Row) => MovedRow,
): Generator<MovedRow> {
  for (const row of statement.iterate(after)) yield rowOf(row);
}

/** Writes the rows that are not there yet, each batch in a transaction. */
export async function writeTable(
  { query, report, limits }: MovingDeps,
  { name, key, count, writing }: MovedTable,
): Promise<void> {
  if (writing === undefined) return;
  const [there] = await query(`SELECT count(*) AS rows, max(${key}) AS last FROM ${SCHEMA}.${name}`);
  let written = Number(there!['rows']);
  const total = count();
  for (const batch of batchesOf(writing.rowsAfter(Number(there!['last'])), limits)) {
    await query(writing.statement, [JSON.stringify(batch)]);
    written += batch.length;
    report(`${name} written`, written, total);
  }
}

/** Reads every row back, and compares it with the file's. */
export async function checkTable(
  { query, report, limits }: MovingDeps,
  { name, key, count, rows }: MovedTable,
): Promise<Checked> {
  const named: string[] = [];
  let differences = 0;
  const note = (text: string): void => {
    differences += 1;
    if (named.length < limits.namedDifferences) named.push(`${name}${text}`);
  };
  let checked = 0;
  const total = count();
  for (const batch of batchesOf(rows(), limits)) {
    const keys = batch.map((row) => row[key]);
    const stored = await query(`SELECT * FROM ${SCHEMA}.${name} WHERE "${key}" = ANY ($1)`, [keys]);
    const byKey = new Map((stored as StoredRow[]).map((row) => [textOf(row[key]), row]));
    for (const row of batch) {
      const difference = differenceOf(row, byKey.get(textOf(row[key])));
      if (difference !== undefined) note(` ${row[key]}: ${difference}`);
    }
    checked += batch.length;
    report(`${name} checked`, checked, total);
  }
  const [{ rows: there } = {}] = await query(`SELECT count(*) AS rows FROM ${SCHEMA}.${name}`);
  if (Number(there) !== checked) note(`: ${Number(there)} rows in the database, ${checked} in the file`);
  return { rows: checked, differences, named };
}

/** Returns the columns that differ; undefined if none does. */
function differenceOf(row: MovedRow, stored: StoredRow | undefined): string | undefined {
  if (stored === undefined) return 'is missing';
  const columns = Object.keys(row).filter((column) => textOf(row[column]) !== textOf(stored[column]));
  return columns.length === 0 ? undefined : `differs in ${columns.join(', ')}`;
}

/** Returns a value of either side as the same text. */
function textOf(value: StoredRow[string]): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return bytesText(value);
  return String(value);
}

export const bytesText = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString('hex')}`;

function* batchesOf(rows: Iterable<MovedRow>, limits: MovingLimits): Generator<MovedRow[]> {
  let batch: MovedRow[] = [];
  let characters = 0;
  for (const row of rows) {
    batch.push(row);
    for (const value of Object.values(row)) characters += typeof value === 'string' ? value.length : 8;
    if (batch.length < limits.batchRows && characters < limits.batchCharacters) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
