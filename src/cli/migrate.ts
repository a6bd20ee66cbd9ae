import { action, type Command } from './command.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Moves the catalog and the journal from their files into PostgreSQL',
  usage: ['[--json]'],
  details: `Stop the service first. The files are only read, and nobody else can open them meanwhile. The database must be empty, or
hold what an earlier attempt moved: the command goes on from there. At the end it reads every row back and compares it
with the file. Services refuse the database until nothing differs.

  --json  prints JSON, for programs

Environment, as for the service: DB_PATH names the files, DATABASE_URL the database.

Exit codes: 0 all is moved and the same, 1 failed, 64 wrong usage, 78 wrong configuration.`,
  action: action({
    options: { json: { type: 'boolean', default: false } },
    async run({ values: { json } }, context) {
      const { moveIntoDatabase } = await import('./migrate/migration.ts');
      return moveIntoDatabase(context, { json });
    },
  }),
};
