import { DEFAULT_DB_PATH } from '../config/databasePath.ts';
import { readDatabaseUrl } from '../config/databaseUrl.ts';
import { readEnvironment } from '../config/environment.ts';
import { storeProblem } from '../config/storeProblem.ts';
import type { ProcessEnvironment } from './command.ts';
import { Failure, wrongConfiguration } from './failure.ts';

/** Does the work of a command in either store. */
export interface InStore<Result> {
  inFile(dbPath: string): Promise<Result>;
  inDatabase(url: string): Promise<Result>;
}

/** Works in the store of the service that has this environment. Throws a Failure if it cannot be used. */
export async function withStore<Result>(
  environment: ProcessEnvironment,
  { inFile, inDatabase }: InStore<Result>,
): Promise<Result> {
  const problems: { variable: string; text: string }[] = [];
  const variables = readEnvironment(environment);
  const url = readDatabaseUrl(variables, (variable, text) => problems.push({ variable, text }));
  if (problems.length > 0) throw wrongConfiguration(problems);
  const { DB_PATH: dbPath = DEFAULT_DB_PATH } = variables;
  try {
    return await (url === undefined ? inFile(dbPath) : inDatabase(url));
  } catch (error) {
    const problem = storeProblem(error, dbPath);
    throw problem === undefined ? error : new Failure(problem.exitCode, problem.text);
  }
}
