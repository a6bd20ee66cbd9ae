import { Keypair } from '@stellar/stellar-sdk';
import { commandLine, START } from '../../process/commands.ts';
import { EXIT_CONFIG } from '../../process/exitCodes.ts';
import { withoutHidden } from '../../log/log.ts';
import { readAccounts } from '../../stellar/accounts.ts';
import { publicKeyOf } from '../../config/secretKeys.ts';
import type { Context, Terminal } from '../command.ts';
import { Failure, wrongUsage } from '../failure.ts';
import { openFriendbot } from './friendbot.ts';
import { openFunder } from './funder.ts';
import { readKeyFile, writeKeyFile } from './keyFile.ts';
import { STROOPS_PER_LUMEN } from './lumens.ts';
import { failureOf, onNetwork, type AccountsNetwork } from './network.ts';
import { readFunderSecret, readSettings, withSecretFiles, type Settings } from './settings.ts';
import type { Source } from './source.ts';
import { accountsText, shellWord } from './words.ts';

export interface CreateOrder {
  /** The number of accounts to make. */
  readonly count: number;
  /** The file for their keys, which must not exist yet. */
  readonly out: string;
  /** A file with keys that were made earlier. Only the missing accounts are funded. */
  readonly resume: string | undefined;
  readonly startingBalanceStroops: bigint | undefined;
}

/** One lumen stays as the reserve. Four pay for 800 settlements at the highest fee, and usually for about 1,700. */
const DEFAULT_STARTING_BALANCE_STROOPS = 5n * STROOPS_PER_LUMEN;

/**
 * Makes keys and has their accounts funded. Writes the keys to the file before any money moves. With `--resume`, takes
 * the keys from that file, and funds only the accounts that the network does not have. Throws a Failure.
 */
export async function createAccounts(order: CreateOrder, context: Context): Promise<void> {
  const { resume, count, out } = order;
  const { terminal } = context;
  const environment = withSecretFiles(context.environment);
  const secrets = resume === undefined ? newSecrets(count) : readKeyFile(resume).submitterSecrets;
  const settings = readSettings(environment, { submitterSecrets: secrets });
  const funderSecret = readFunderSecret(environment, settings);
  checkSource(order, settings, funderSecret);
  await onNetwork(settings, async (network) => {
    const { missing, source } = await prepare({ order, settings, network, funderSecret, terminal });
    const file = resume ?? out;
    if (resume === undefined) writeKeyFile(file, secrets);
    if (missing.length > 0) await fund(source, missing, { file, settings, terminal });
    terminal.say(summary(settings, file));
  });
}

function newSecrets(count: number): string[] {
  return Array.from({ length: count }, () => Keypair.random().secret());
}

function checkSource(
  { startingBalanceStroops }: CreateOrder,
  { network }: Settings,
  funderSecret: string | undefined,
): void {
  if (funderSecret !== undefined) return;
  const needed = 'set it to the secret key (S…) of the account that pays for the new ones';
  if (network === 'stellar:pubnet')
    throw new Failure(
      EXIT_CONFIG,
      `FUNDER_SECRET is missing: nobody gives lumens away on stellar:pubnet; ${needed}`,
    );
  if (startingBalanceStroops !== undefined)
    throw wrongUsage(
      `--starting-balance needs a funder, since friendbot decides what it gives: FUNDER_SECRET is missing; ${needed}`,
    );
}

interface CreateDeps {
  order: CreateOrder;
  settings: Settings;
  network: AccountsNetwork;
  funderSecret: string | undefined;
  terminal: Terminal;
}

/** Finds out what is left to do, and who can do it. Throws a Failure if nobody can. */
async function prepare(deps: CreateDeps): Promise<{ missing: readonly string[]; source: Source }> {
  const { order, settings, network, funderSecret, terminal } = deps;
  const { rpc, friendbotUrl } = network;
  const { note } = terminal;
  const funder = funderSecret === undefined ? [] : [publicKeyOf(funderSecret)];
  // Reads all accounts at once. A transaction of an earlier run has either made all of its accounts by now, or has the
  // sequence number that this run would use, so that only one of the two can apply.
  const existing = await readAccounts(rpc, [...funder, ...settings.submitters]);
  const missing = settings.submitters.filter((address) => !existing.has(address));
  if (funderSecret === undefined || missing.length === 0)
    return { missing, source: openFriendbot({ rpc, friendbotUrl, note }) };
  const hidden = [...settings.hidden, funderSecret];
  const source = openFunder(
    {
      rpc,
      network: settings.network,
      secret: funderSecret,
      startingBalanceStroops: order.startingBalanceStroops ?? DEFAULT_STARTING_BALANCE_STROOPS,
      inclusionStroops: settings.fees.maxInclusionStroops,
      note,
      describe: (fault) => withoutHidden(fault instanceof Error ? fault.message : String(fault), hidden),
    },
    existing.get(publicKeyOf(funderSecret)),
    missing.length,
  );
  return { missing, source };
}

async function fund(
  source: Source,
  addresses: readonly string[],
  { file, settings, terminal }: { file: string; settings: Settings; terminal: Terminal },
): Promise<void> {
  const goOn = `continue with: ${commandLine('accounts')} create --resume ${shellWord(file)}`;
  terminal.note(
    `The keys are in ${file}. ${source.name} funds ${accountsText(addresses.length)} on ${settings.network}; if that ` +
      `is interrupted, ${goOn}`,
  );
  try {
    await source.fund(addresses);
  } catch (error) {
    const failure = failureOf(error, settings);
    if (!(failure instanceof Failure)) throw failure;
    throw new Failure(failure.exitCode, `${failure.message}\nNothing is lost: when that is fixed, ${goOn}`);
  }
}

function summary({ submitters, network }: Settings, file: string): string {
  const path = shellWord(file);
  return `On ${network} there are:
${submitters.map((address) => `  ${address}`).join('\n')}

${file} has their keys, in the line SUBMITTER_SECRET=…: whoever reads it can spend their lumens. Next, with RPC_URL and NETWORK set as for this command:
  ${commandLine('accounts')} list --file ${path}
  SUBMITTER_SECRET_FILE=${path} ${START}`;
}
