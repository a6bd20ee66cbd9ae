import { action, type Command } from './command.ts';
import { wrongUsage } from './failure.ts';
import { IMPORT_LIMITS } from '../catalog/limits.ts';

const MAX_SOURCE_CHARACTERS = 200;

export const catalog: Command = {
  name: 'catalog',
  summary:
    'Exports the catalog, imports listings of other facilitators, and checks whether sellers still offer theirs',
  usage: [
    'export [--out <file>]',
    'import <file> --source <origin> [--json]',
    'check [--after <id>] [--limit <n>] [--local] [--json]',
  ],
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

check   asks the URL of each http listing for its 402, and marks those that do not answer, ask for no payment, or ask for
        other terms. The mark shows in lists and searches; nothing is removed, and nothing moves. A check that finds the
        listing as it was, or a payment for it, takes the mark away. It pays nothing, sends GET or HEAD only, to public
        addresses, one request at a time to each host, and follows no redirect. Other listings stay as they are.
  --after <id>       begins after this listing
  --limit <n>        checks at most so many listings; all by default
  --local            also asks machines of your own network; on testnet only
  --json             prints the summary as JSON, for programs

Environment, as for the service: DB_PATH, or DATABASE_URL; for --local also NETWORK.

Exit codes: 0 done, 1 failed, 64 wrong usage, 78 wrong configuration. Of a check also: 1 a listing is marked, 3 none is,
and some could not be told.`,
  actions: {
    check: action({
      options: {
        after: { type: 'string' },
        limit: { type: 'string' },
        local: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
      async run({ values: { after, limit, local, json } }, context) {
        const order = {
          after: after === undefined ? 0 : numberOf('--after', after),
          limit: limit === undefined ? Infinity : numberOf('--limit', limit),
          local,
          json,
        };
        const { runCatalogCheck } = await import('./catalog/check.ts');
        return runCatalogCheck(order, context);
      },
    }),
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

function numberOf(name: string, text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw wrongUsage(`${name} must be a whole number above 0`);
  return Number(text);
}
