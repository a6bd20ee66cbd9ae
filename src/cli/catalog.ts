import { action, type Command } from './command.ts';
import { wrongUsage } from './failure.ts';

export const catalog: Command = {
  name: 'catalog',
  summary: 'Writes the whole catalog as JSON, for other facilitators and for directories',
  usage: ['export [--out <file>]'],
  details: `export  writes all listings that are shown, in the order in which they were made and in the shape of
        GET /discovery/resources: x402Version, items, pagination, all on one page. Each listing has a line. Hidden and
        blocked listings are left out. The service may be running: each listing is as it is when it is read.
  --out <file>  writes into this file, which must not exist yet; to standard output by default

Environment, as for the service: DB_PATH, or DATABASE_URL.

Exit codes: 0 done, 1 failed, 64 wrong usage, 78 wrong configuration.`,
  actions: {
    export: action({
      options: { out: { type: 'string' } },
      async run({ values: { out } }, context) {
        if (out?.trim() === '') throw wrongUsage('--out needs the name of a file');
        const { exportCatalog } = await import('./catalog/export.ts');
        await exportCatalog(out, context);
        return 0;
      },
    }),
  },
};
