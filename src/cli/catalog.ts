import { action, type Command } from './command.ts';
import { wrongUsage } from './failure.ts';
import { IMPORT_LIMITS } from '../catalog/limits.ts';

const MAX_SOURCE_CHARACTERS = 200;

export const catalog: Command = {
  name: 'catalog',
  summary: 'Exports the catalog as JSON, and imports listings of other facilitators',
  usage: ['export [--out <file>]', 'import <file> --source <origin> [--json]'],
  details: `export  writes all listings that were paid for here and are shown, in the order in which they were made and in the shape of
        GET /discovery/resources: x402Version, items, pagination, all on one page. Each listing has a line. Hidden and
        blocked listings are left out. The service may be running: each listing is as it is when it is read.
  --out <file>       writes into this file, which must not exist yet; to standard output by default

import  reads such a page, or one page in each line, and lists its items behind all that were paid for here. They show
        their source, and have no owner: the first payment for a resource takes its listing over. What an earlier import
        from the same source had and this one does not have is removed. Each item follows the rules of a listing that
        is paid for; those that do not are skipped, and named on standard error.
  <file>             the file, of up to ${IMPORT_LIMITS.bytes / 1024 / 1024} MiB; - reads standard input
  --source <origin>  where the listings are from, such as https://facilitator.example.com
  --json             prints the summary as JSON, for programs

There is room for ${IMPORT_LIMITS.maxListings} imported listings.

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
    import: action({
      operands: ['<file>'],
      options: { source: { type: 'string' }, json: { type: 'boolean', default: false } },
      async run({ operands: [file = ''], values: { source, json } }, context) {
        const order = { file, source: sourceOf(source), json };
        const { importCatalog } = await import('./catalog/import.ts');
        await importCatalog(order, context);
        return 0;
      },
    }),
  },
};

function sourceOf(text = ''): string {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' && url.href === `${url.origin}/` && text.length <= MAX_SOURCE_CHARACTERS)
    return url.origin;
  throw wrongUsage('--source must be an origin such as https://facilitator.example.com');
}
