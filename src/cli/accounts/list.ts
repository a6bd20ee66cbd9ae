import { EXIT_CONFIG } from '../../process/exitCodes.ts';
import { readAccounts } from '../../stellar/accounts.ts';
import type { Context, ProcessEnvironment } from '../command.ts';
import { Failure } from '../failure.ts';
import { readKeyFile } from './keyFile.ts';
import { listingOf } from './listing.ts';
import { onNetwork } from './network.ts';
import { readSettings, withSecretFiles, type Settings } from './settings.ts';
import { tableOf } from './table.ts';

export interface ListOrder {
  /** A file with the keys of further accounts. */
  readonly file: string | undefined;
  readonly json: boolean;
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
    feeBumpSecret: environment['FEE_BUMP_SECRET']?.trim() || feeBumpSecret,
  });
}
