import { existsSync } from 'node:fs';
import { openMovedCatalog } from '../../catalog/index.ts';
import { journalPathOf } from '../../config/databasePath.ts';
import { readDatabaseUrl } from '../../config/databaseUrl.ts';
import { readEnvironment } from '../../config/environment.ts';
import { storeProblem } from '../../config/storeProblem.ts';
import { openMovedJournal } from '../../journal/index.ts';
import { SILENT_LOG } from '../../log/log.ts';
import { EXIT_FAILED } from '../../process/exitCodes.ts';
import {
  checkTable,
  MOVING_LIMITS,
  writeTable,
  type MovedTable,
  type MovingDeps,
} from '../../store/moving.ts';
import { beginMovingIn, endMovingIn, type MovedCatalog } from '../../store/movingIn.ts';
import { createDatabase, type Database } from '../../store/postgres.ts';
import { SCHEMA } from '../../store/postgresSchema.ts';
import type { Context, ProcessEnvironment, Terminal } from '../command.ts';
import { counted } from '../counted.ts';
import { existingFile } from '../existingFile.ts';
import { Failure, wrongConfiguration } from '../failure.ts';

/** A batch is larger than anything that a service asks, and nobody waits for it. */
const ANSWER_WITHIN_MS = 120_000;
const REPORT_EVERY_MS = 5_000;

/** Tells what was moved: the number of rows by table, and the differences that were found. */
interface Moved {
  readonly rows: Readonly<Record<string, number>>;
  readonly differences: number;
  readonly named: readonly string[];
}

/** Moves the files into the database, and compares both. Returns the exit code, or throws a Failure. */
export async function moveIntoDatabase(
  { environment, terminal }: Context,
  { json }: { json: boolean },
): Promise<number> {
  const url = databaseUrlIn(environment);
  const dbPath = existingFile(environment);
  try {
    await using open = new AsyncDisposableStack();
    const catalog = open.adopt(openMovedCatalog(dbPath), (file) => file.close());
    const journalPath = journalPathOf(dbPath);
    const journal = existsSync(journalPath)
      ? open.adopt(openMovedJournal(journalPath), (file) => file.close())
      : { tables: [] };
    const db = createDatabase({ url, log: SILENT_LOG, limits: { answerWithinMs: ANSWER_WITHIN_MS } });
    open.defer(() => db.close());
    const moved = await move(db, catalog.catalog, [...journal.tables, ...catalog.tables], terminal);
    show(moved, terminal, json);
    return moved.differences === 0 ? 0 : EXIT_FAILED;
  } catch (error) {
    const problem = storeProblem(error, dbPath);
    throw problem === undefined ? error : new Failure(problem.exitCode, problem.text);
  }
}

function databaseUrlIn(environment: ProcessEnvironment): string {
  const problems: { variable: string; text: string }[] = [];
  const url = readDatabaseUrl(readEnvironment(environment), (variable, text) =>
    problems.push({ variable, text }),
  );
  if (url === undefined)
    problems.push({ variable: 'DATABASE_URL', text: 'is missing: it names the database to move to' });
  if (url === undefined || problems.length > 0) throw wrongConfiguration(problems);
  return url;
}

async function move(
  db: Database,
  catalog: MovedCatalog,
  tables: readonly MovedTable[],
  { note }: Terminal,
): Promise<Moved> {
  const deps = { query: db.query, report: reportsTo(note), limits: MOVING_LIMITS };
  await beginMovingIn(db, catalog);
  for (const table of tables) await writeTable(deps, table);
  const rows: Record<string, number> = {};
  const named: string[] = [];
  let differences = 0;
  for (const table of tables) {
    const checked = await checkTable(deps, table);
    rows[table.name] = checked.rows;
    differences += checked.differences;
    named.push(...checked.named);
  }
  if (differences === 0) await endMovingIn(db);
  return { rows, differences, named };
}

/** Tells people from time to time how far it is. */
function reportsTo(note: Terminal['note']): MovingDeps['report'] {
  let nextAtMs = performance.now() + REPORT_EVERY_MS;
  return (what, rows, of) => {
    if (performance.now() < nextAtMs) return;
    nextAtMs = performance.now() + REPORT_EVERY_MS;
    note(`${what}: ${rows} of ${of} rows`);
  };
}

function show({ rows, differences, named }: Moved, { say, note }: Terminal, json: boolean): void {
  if (json) say(JSON.stringify({ rows, differences, named }, null, 2));
  else for (const [table, count] of Object.entries(rows)) say(`${SCHEMA}.${table}: ${counted(count, 'row')}`);
  if (differences === 0) {
    if (!json) say('Every row in the database is the same as in the files.');
    return;
  }
  for (const text of named) note(text);
  note(
    `${differences} rows in the database differ from the files: these have changed since an earlier attempt, or somebody ` +
      `else has written to the database. Remove what was moved (DROP SCHEMA ${SCHEMA} CASCADE), and run the command again.`,
  );
}
