import { EXIT_CONFIG } from '../../process/exitCodes.ts';
import { readAccounts } from '../../stellar/accounts.ts';
import type { AccountState } from '../../stellar/accounts.ts';
import type { Context, ProcessEnvironment } from '../command.ts';
import { Failure } from '../failure.ts';
import { readKeyFile } from './keyFile.ts';
import { lumensOf, spendableStroops } from './lumens.ts';
import { onNetwork } from './network.ts';
import { readSettings, withSecretFiles } from './settings.ts';
import type { Settings } from './settings.ts';

export interface ListOrder {
  /** A file with the keys of further accounts. */
  readonly file: string | undefined;
  readonly json: boolean;
}

/** The network's usual charge for a settlement: 23,000 to 24,000 stroops were observed. */
const USUAL_FEE_STROOPS = 24_000;

/** The number of settlements that a sum pays for. */
interface Settlements {
  /** At the highest fee that the service bids. */
  readonly atLeast: number;
  /** At the network's usual charge. */
  readonly usually: number;
}

interface Listed {
  readonly address: string;
  readonly role: 'submitter' | 'feeBump';
  readonly exists: boolean;
  /** In XLM. The spendable part is neither reserved nor owed to the account's own offers. */
  readonly balance: string | null;
  readonly spendable: string | null;
  readonly sequence: string | null;
  /** Null if another account pays the fees. */
  readonly settlements: Settlements | null;
}

interface Listing {
  readonly network: string;
  readonly feeStroops: { readonly highest: number; readonly usual: number };
  readonly accounts: readonly Listed[];
  readonly total: { readonly balance: string; readonly spendable: string; readonly settlements: Settlements };
}

/** Shows the accounts of the environment and of the file, as they are on the ledger. Throws a Failure. */
export async function listAccounts({ file, json }: ListOrder, context: Context): Promise<void> {
  const settings = settingsOf(file, withSecretFiles(context.environment));
  const addresses = [...settings.submitters, ...(settings.feeBump === undefined ? [] : [settings.feeBump])];
  const accounts = await onNetwork(settings, ({ rpc }) => readAccounts(rpc, addresses));
  const listing = listingOf(settings, accounts);
  context.terminal.say(json ? JSON.stringify(listing, null, 2) : tableOf(listing));
}

function settingsOf(file: string | undefined, environment: ProcessEnvironment): Settings {
  const own = environment['SUBMITTER_SECRET']?.trim() ?? '';
  if (file === undefined) {
    if (own !== '') return readSettings(environment, {});
    throw new Failure(
      EXIT_CONFIG,
      'SUBMITTER_SECRET is missing: set it as for the service, or name the file that has it with --file',
    );
  }
  const { submitterSecrets, feeBumpSecret } = readKeyFile(file);
  const inEnvironment = own === '' ? [] : own.split(',').map((secret) => secret.trim());
  const others = submitterSecrets.filter((secret) => !inEnvironment.includes(secret));
  return readSettings(environment, {
    submitterSecrets: [...inEnvironment, ...others],
    feeBumpSecret: environment['FEE_BUMP_SECRET']?.trim() || feeBumpSecret || null,
  });
}

function listingOf(settings: Settings, found: ReadonlyMap<string, AccountState>): Listing {
  const { network, fees, submitters, feeBump } = settings;
  const countOf = (stroops: bigint): Settlements => ({
    atLeast: Number(stroops / BigInt(fees.ceilingStroops)),
    usually: Number(stroops / BigInt(Math.min(USUAL_FEE_STROOPS, fees.ceilingStroops))),
  });
  const listed = (address: string, role: Listed['role'], paysFees: boolean): Listed => {
    const account = found.get(address);
    const spendable = account && spendableStroops(account);
    return {
      address,
      role,
      exists: account !== undefined,
      balance: account ? lumensOf(account.balanceStroops) : null,
      spendable: spendable === undefined ? null : lumensOf(spendable),
      sequence: account ? String(account.sequence) : null,
      settlements: paysFees ? countOf(spendable ?? 0n) : null,
    };
  };
  const accounts = submitters.map((address) => listed(address, 'submitter', feeBump === undefined));
  if (feeBump !== undefined) accounts.push(listed(feeBump, 'feeBump', true));
  const entries = accounts.flatMap(({ address }) => found.get(address) ?? []);
  const paying = accounts.flatMap(({ settlements }) => settlements ?? []);
  return {
    network,
    feeStroops: { highest: fees.ceilingStroops, usual: USUAL_FEE_STROOPS },
    accounts,
    total: {
      balance: lumensOf(entries.reduce((sum, { balanceStroops }) => sum + balanceStroops, 0n)),
      spendable: lumensOf(entries.reduce((sum, entry) => sum + spendableStroops(entry), 0n)),
      settlements: {
        atLeast: paying.reduce((sum, { atLeast }) => sum + atLeast, 0),
        usually: paying.reduce((sum, { usually }) => sum + usually, 0),
      },
    },
  };
}

const HEAD = ['ADDRESS', 'BALANCE XLM', 'SPENDABLE XLM', 'SEQUENCE', 'SETTLEMENTS AT LEAST', 'USUALLY'];

function tableOf({ network, feeStroops, accounts, total }: Listing): string {
  const counts = (settlements: Settlements | null): string[] =>
    settlements === null
      ? ['-', '-']
      : [settlements.atLeast, settlements.usually].map((count) => count.toLocaleString('en'));
  const rows = accounts.map(({ address, balance, spendable, sequence, settlements }) => [
    address,
    balance ?? 'no account',
    spendable ?? '-',
    sequence ?? '-',
    ...counts(settlements),
  ]);
  const last = ['total', total.balance, total.spendable, '', ...counts(total.settlements)];
  const missing = accounts.filter(({ exists }) => !exists).length;
  const feeBump = accounts.find(({ role }) => role === 'feeBump');
  return [
    `Accounts on ${network}:`,
    ...aligned([HEAD, ...rows, last]),
    '',
    `Settlements at least: at ${feeStroops.highest} stroops each, the most that is bid (MAX_TRANSACTION_FEE_STROOPS).`,
    `Usually: at ${feeStroops.usual} stroops each, what the network charges as a rule.`,
    ...(feeBump
      ? [`${feeBump.address} pays all fees (FEE_BUMP_SECRET); submitters only need to exist.`]
      : []),
    ...(missing > 0
      ? [
          `${missing} of them ${missing === 1 ? 'does' : 'do'} not exist on ${network}: fund them with lumens.`,
        ]
      : []),
  ].join('\n');
}

/** Aligns the first column to the left, and the others to the right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = HEAD.map((_head, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  '),
  );
}
