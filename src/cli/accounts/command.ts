import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import { EXIT_USAGE } from '../../process/exitCodes.ts';
import { containsSecretKey } from '../../config/secretKeys.ts';
import { Failure } from './failure.ts';
import { LEAST_BALANCE_STROOPS, STROOPS_PER_LUMEN, stroopsOf, xlm } from './lumens.ts';

export interface CreateCommand {
  readonly name: 'create';
  /** The number of accounts to make. */
  readonly count: number;
  /** The file for their keys, which must not exist yet. */
  readonly out: string;
  /** A file with keys that were made earlier. Only the missing accounts are funded. */
  readonly resume: string | undefined;
  /** Undefined if not given. */
  readonly startingBalanceStroops: bigint | undefined;
}

export interface ListCommand {
  readonly name: 'list';
  readonly file: string | undefined;
  readonly json: boolean;
}

export type Command = CreateCommand | ListCommand | { readonly name: 'help' };

export const DEFAULT_OUT = 'submitters.env';
export const MAX_COUNT = 1_000;
/** More than any account needs: a typo must not empty the funder. */
const MAX_STARTING_BALANCE_STROOPS = 100_000n * STROOPS_PER_LUMEN;

const OPTIONS = {
  create: {
    count: { type: 'string' },
    out: { type: 'string' },
    resume: { type: 'string' },
    'starting-balance': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
  list: {
    file: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
} as const satisfies Record<string, NonNullable<ParseArgsConfig['options']>>;

/** Reads the command line. Throws a Failure that never repeats a secret key. */
export function parseCommand(args: readonly string[]): Command {
  if (args.some(containsSecretKey)) {
    wrong(
      'a secret key stands on the command line, where other programs and the history of the shell see it: take it for ' +
        'known to others, and give the key of another account in FUNDER_SECRET',
    );
  }
  const [name, ...rest] = args;
  if (name === 'help' || name === '--help' || name === '-h') return { name: 'help' };
  if (name === 'create') return createCommand(rest);
  if (name === 'list') return listCommand(rest);
  return wrong(
    name === undefined ? 'name a command: create or list' : 'there are the commands create and list',
  );
}

function createCommand(args: string[]): Command {
  const values = read(args, OPTIONS.create);
  if (values.help) return { name: 'help' };
  if (values.resume !== undefined && (values.count !== undefined || values.out !== undefined))
    wrong('--resume goes on with the accounts of a file: leave --count and --out away');
  return {
    name: 'create',
    count: countOf(values.count ?? '1'),
    out: fileOf('--out', values.out) ?? DEFAULT_OUT,
    resume: fileOf('--resume', values.resume),
    startingBalanceStroops: balanceOf(values['starting-balance']),
  };
}

function listCommand(args: string[]): Command {
  const values = read(args, OPTIONS.list);
  if (values.help) return { name: 'help' };
  return { name: 'list', file: fileOf('--file', values.file), json: values.json ?? false };
}

function read<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const [text = ''] = (error as Error).message.split(/\.\s/);
    return wrong(text);
  }
}

function countOf(text: string): number {
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MAX_COUNT) wrong(`--count must be a whole number from 1 to ${MAX_COUNT}`);
  return count;
}

function fileOf(option: string, path: string | undefined): string | undefined {
  if (path?.trim() === '') wrong(`${option} needs the name of a file`);
  return path;
}

function balanceOf(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  const stroops = stroopsOf(text);
  if (stroops === undefined || stroops < LEAST_BALANCE_STROOPS || stroops > MAX_STARTING_BALANCE_STROOPS) {
    wrong(
      `--starting-balance must be an amount in XLM, such as 5 or 2.5, from ${xlm(LEAST_BALANCE_STROOPS)} (the reserve ` +
        `of an account, which pays for nothing) to ${xlm(MAX_STARTING_BALANCE_STROOPS)}`,
    );
  }
  return stroops;
}

function wrong(text: string): never {
  throw new Failure(EXIT_USAGE, text);
}
