import { action, type Command } from './command.ts';
import { wrongUsage } from './failure.ts';
import { formatOf, hashOf, limitOf, readFilters, STATUSES } from './payments/arguments.ts';

export const payments: Command = {
  name: 'payments',
  summary: 'Shows the settlements in the journal, and checks them against the ledger',
  usage: ['[<filters>] [--json | --csv]', 'show <hash> [--json]', '--audit [<filters>] [--json]'],
  details: `Shows settlements, newest first, even while the service runs. Writes nothing. Times are UTC.

  --status <status>        ${Object.keys(STATUSES).join(', ')}
  --pending                those whose outcome is not known yet: --status pending
  --since, --until <time>  those sent at this time or later; those sent before it. A time is 2026-11-23,
                           2026-11-23T08:00Z, or a span back from now: 90s, 30m, 2h, 7d, 4w
  --payer, --payTo <address>
  --asset <C…>
  --caller <name>          those asked for by this caller: anonymous, or key:<id> (the command keys lists them)
  --code <code>            why they did not settle
  --limit <n>              at most this many; by default 50 in the table, and all in other formats
  --json                   prints one line of JSON for each
  --csv                    prints a table for spreadsheets

show <hash>  shows everything about one. The first 8 characters of its transaction's hash are enough.

--audit  looks each one up on the ledger, and shows what differs: whether it was paid, ledger, close time, fee, payer,
         recipient, amount, asset. Those older than the history of the RPC nodes cannot be checked, only counted.

Environment, as for the service: DB_PATH or DATABASE_URL; for --audit also NETWORK and RPC_URL.

Exit codes: 0 done, and --audit found no difference; 1 failed, or --audit found a difference or could not check all;
64 wrong usage, 78 wrong configuration.`,
  action: action({
    options: {
      pending: { type: 'boolean', default: false },
      status: { type: 'string' },
      since: { type: 'string' },
      until: { type: 'string' },
      payer: { type: 'string' },
      payTo: { type: 'string' },
      asset: { type: 'string' },
      caller: { type: 'string' },
      code: { type: 'string' },
      limit: { type: 'string' },
      json: { type: 'boolean', default: false },
      csv: { type: 'boolean', default: false },
      audit: { type: 'boolean', default: false },
    },
    async run({ values }, context) {
      const format = formatOf(values);
      const order = { filters: readFilters(values, Date.now()), limit: limitOf(values.limit) };
      if (!values.audit) {
        const { listPayments } = await import('./payments/list.ts');
        await listPayments({ ...order, format }, context);
        return 0;
      }
      if (format === 'csv') throw wrongUsage('--csv does not go with --audit: give --json');
      const { auditPayments } = await import('./payments/audit.ts');
      return auditPayments({ ...order, json: format === 'json' }, context);
    },
  }),
  actions: {
    show: action({
      operands: ['<hash>'],
      options: { json: { type: 'boolean', default: false } },
      async run({ operands: [hash = ''], values: { json } }, context) {
        const beginning = hashOf(hash);
        const { showPayment } = await import('./payments/show.ts');
        await showPayment({ beginning, json }, context);
        return 0;
      },
    }),
  },
};
