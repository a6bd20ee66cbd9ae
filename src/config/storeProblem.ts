import { basename } from 'node:path';
import { EXIT_CONFIG, EXIT_FAILED } from '../process/exitCodes.ts';
import { DatabaseUnavailable, TAKES_NO_WRITES, UnusableDatabase } from '../store/databaseErrors.ts';
import { UnusableFile } from '../store/sqliteFile.ts';
import { journalPathOf } from './databasePath.ts';

/** A class of SQLSTATE. */
const WRONG_LOGIN = '28';
const READ_ONLY = '25006';
/** The messages of two errors to which pg gives no code. */
const NO_TLS = /does not support SSL/;
const NO_PASSWORD = /client password must be a string/;

/** A store that cannot be used, as the operator is told. */
export interface StoreProblem {
  readonly exitCode: number;
  /** Says what to do. Never holds the database's URL. */
  readonly text: string;
}

/** Returns undefined for any other fault. */
export function storeProblem(error: unknown, dbPath: string): StoreProblem | undefined {
  if (error instanceof UnusableFile) return { exitCode: EXIT_CONFIG, text: fileProblem(error, dbPath) };
  if (error instanceof UnusableDatabase)
    return { exitCode: EXIT_CONFIG, text: `DATABASE_URL ${error.message}` };
  if (error instanceof DatabaseUnavailable) return { exitCode: EXIT_FAILED, text: databaseProblem(error) };
  return undefined;
}

function fileProblem({ file, message }: UnusableFile, dbPath: string): string {
  if (file === 'model') return `SEARCH_MODEL ${message}`;
  const what = file === 'journal' ? `, the journal beside it (${basename(journalPathOf(dbPath))}),` : '';
  return `DB_PATH${what} ${message}`;
}

function databaseProblem(error: DatabaseUnavailable): string {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  if (code?.startsWith(WRONG_LOGIN))
    return `DATABASE_URL names a user or a password that the database refuses (${code})`;
  if (code === READ_ONLY) return `DATABASE_URL ${TAKES_NO_WRITES}`;
  if (code === undefined && NO_PASSWORD.test(message))
    return 'DATABASE_URL names no password, for which the database asks';
  if (code === undefined && NO_TLS.test(message))
    return 'DATABASE_URL asks for TLS, which the database does not speak: turn it on there, or change sslmode';
  return `DATABASE_URL does not answer (${code ?? message}): start the database, or check the host and the port`;
}
