import { action, type Command } from './command.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Copies the catalog and, beside it, the journal, even while the service runs',
  usage: ['<file>'],
  details: `  <file>  the copy of the catalog. The copy of the journal is beside it: backup.db and backup.settlements.db. Neither
          may exist yet.

Environment, as for the service: DB_PATH. With DATABASE_URL the data is in PostgreSQL: back it up with pg_dump.

Exit codes: 0 done, 1 failed, 64 wrong usage, 78 wrong configuration.`,
  action: action({
    operands: ['<file>'],
    async run({ operands: [target = ''] }, { environment, terminal }) {
      const { backUp } = await import('./backup/copies.ts');
      for (const line of await backUp(environment, target)) terminal.say(line);
      return 0;
    },
  }),
};
