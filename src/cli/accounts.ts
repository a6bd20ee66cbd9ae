import { STROOPS_PER_LUMEN, stroopsOf, xlm } from './accounts/lumens.ts';
import { LEAST_BALANCE_STROOPS } from '../stellar/limits.ts';
import { action, type Command } from './command.ts';
import { wrongUsage } from './failure.ts';

const DEFAULT_OUT = 'submitters.env';
const MAX_COUNT = 1_000;
/** More than any account needs: a typo must not empty the funder. */
const MAX_STARTING_BALANCE_STROOPS = 100_000n * STROOPS_PER_LUMEN;

const create = action({
  options: {
    count: { type: 'string' },
    out: { type: 'string' },
    resume: { type: 'string' },
    'starting-balance': { type: 'string' },
  },
  async run({ values }, context) {
    if (values.resume !== undefined && (values.count !== undefined || values.out !== undefined))
      throw wrongUsage('--resume continues with the accounts of a file: leave out --count and --out');
    const order = {
      count: countOf(values.count ?? '1'),
      out: fileOf('--out', values.out) ?? DEFAULT_OUT,
      resume: fileOf('--resume', values.resume),
      startingBalanceStroops: balanceOf(values['starting-balance']),
    };
    const { createAccounts } = await import('./accounts/create.ts');
    await createAccounts(order, context);
    return 0;
  },
});

const list = action({
  options: { file: { type: 'string' }, json: { type: 'boolean', default: false } },
  async run({ values: { file, json } }, context) {
    const order = { file: fileOf('--file', file), json };
    const { listAccounts } = await import('./accounts/list.ts');
    await listAccounts(order, context);
    return 0;
  },
});

export const accounts: Command = {
  name: 'accounts',
  summary: 'Makes submitter accounts for the facilitator, and shows what they have',
  usage: [
    'create [--count <n>] [--out <file>] [--starting-balance <XLM>]',
    'create --resume <file> [--starting-balance <XLM>]',
    'list [--file <file>] [--json]',
  ],
  details: `create  makes keys and writes the line SUBMITTER_SECRET=… into a new file that only you can read (mode 600). Then the
        account of FUNDER_SECRET funds the new accounts; without one, friendbot does (testnet only). Shows public
        addresses only.
  --count <n>               the number of accounts, 1 to ${MAX_COUNT}; 1 by default
  --out <file>              the file for the keys; ${DEFAULT_OUT} by default. It must not exist yet.
  --starting-balance <XLM>  what the funder gives each account; 5 by default. 1 of it stays as the reserve.
  --resume <file>           continues an earlier run: funds those accounts of the file that the network does not have,
                            and makes no keys

list    shows the accounts of SUBMITTER_SECRET and FEE_BUMP_SECRET, and those of a file: balance, sequence number, and
        the number of settlements that each can still pay for.
  --file <file>             a file with the line SUBMITTER_SECRET=…, and perhaps FEE_BUMP_SECRET=…
  --json                    prints JSON, for programs

Environment, as for the service: NETWORK, RPC_URL, SUBMITTER_SECRET, FEE_BUMP_SECRET, MAX_TRANSACTION_FEE_STROOPS.
  FUNDER_SECRET              the secret key (S…) of the account that pays for new ones; never on the command line
  FUNDER_SECRET_FILE         a file that holds it; SUBMITTER_SECRET_FILE and FEE_BUMP_SECRET_FILE as for the service
  MAX_INCLUSION_FEE_STROOPS  the funder's highest bid for each new account; 10000 by default. The network usually
                             takes 100.

Exit codes: 0 done, 1 failed, 64 wrong usage, 78 wrong configuration.`,
  actions: { create, list },
};

function countOf(text: string): number {
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MAX_COUNT)
    throw wrongUsage(`--count must be a whole number from 1 to ${MAX_COUNT}`);
  return count;
}

function fileOf(option: string, path: string | undefined): string | undefined {
  if (path?.trim() === '') throw wrongUsage(`${option} needs the name of a file`);
  return path;
}

function balanceOf(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  const stroops = stroopsOf(text);
  if (stroops === undefined || stroops < LEAST_BALANCE_STROOPS || stroops > MAX_STARTING_BALANCE_STROOPS)
    throw wrongUsage(
      `--starting-balance must be an amount in XLM, such as 5 or 2.5, from ${xlm(LEAST_BALANCE_STROOPS)} (the reserve ` +
        `of an account, which pays for nothing) to ${xlm(MAX_STARTING_BALANCE_STROOPS)}`,
    );
  return stroops;
}
