import { SECRET_VARIABLES, toConfig, type Config, type Secrets } from '../../config/config.ts';
import { readEnvironment, type Environment } from '../../config/environment.ts';
import { hiddenTexts } from '../../config/hiddenTexts.ts';
import { readSecretFiles } from '../../config/secretFiles.ts';
import { sandboxKeyProblem } from '../../config/sandboxKeys.ts';
import { publicKeyOf, secretKeyProblem } from '../../config/secretKeys.ts';
import type { ProcessEnvironment } from '../command.ts';
import { wrongConfiguration } from '../failure.ts';

/** The variables of the service that this command reads. Problems with the others don't matter. */
const VARIABLES_READ = [
  'NETWORK',
  'RPC_URL',
  'FEE_BUMP_SECRET',
  'MAX_TRANSACTION_FEE_STROOPS',
  'MIN_INCLUSION_FEE_STROOPS',
  'MAX_INCLUSION_FEE_STROOPS',
] as const;

export interface Settings extends Pick<Config, 'network' | 'rpcUrls' | 'fees'> {
  readonly submitters: readonly string[];
  readonly feeBump: string | undefined;
  /** Texts that must not be shown: keys, and parts of the RPC's URL that may be keys. */
  readonly hidden: readonly string[];
}

/** Returns the environment with the secrets that `…_FILE` variables name. Throws a Failure. */
export function withSecretFiles(source: ProcessEnvironment): ProcessEnvironment {
  const { secrets, problems } = readSecretFiles(source, [...SECRET_VARIABLES, 'FUNDER_SECRET']);
  if (problems.length > 0) throw wrongConfiguration(problems);
  return { ...source, ...secrets };
}

/** Reads the settings. Throws a Failure with one line per problem. */
export function readSettings(source: ProcessEnvironment, secrets: Partial<Secrets>): Settings {
  const given = readEnvironment(source);
  const read = Object.fromEntries(VARIABLES_READ.map((name) => [name, given[name]]));
  const environment = {
    ...read,
    SUBMITTER_SECRET: secrets.submitterSecrets?.join(',') ?? given.SUBMITTER_SECRET,
    FEE_BUMP_SECRET: secrets.feeBumpSecret ?? given.FEE_BUMP_SECRET,
  } as Environment;
  const configured = toConfig(environment);
  if ('problems' in configured) throw wrongConfiguration(configured.problems);
  const { config } = configured;
  const { submitterSecrets, feeBumpSecret } = configured.secrets;
  return {
    network: config.network,
    rpcUrls: config.rpcUrls,
    fees: config.fees,
    submitters: submitterSecrets.map(publicKeyOf),
    feeBump: feeBumpSecret === undefined ? undefined : publicKeyOf(feeBumpSecret),
    hidden: hiddenTexts(config, configured.secrets),
  };
}

/** Returns the secret key of the account that pays for others; undefined if there is none. */
export function readFunderSecret(
  source: ProcessEnvironment,
  { rpcUrls }: Pick<Settings, 'rpcUrls'>,
): string | undefined {
  const secret = source['FUNDER_SECRET']?.trim() || undefined;
  const problem = secret && (secretKeyProblem(secret) ?? sandboxKeyProblem(secret, rpcUrls));
  if (problem) throw wrongConfiguration([{ variable: 'FUNDER_SECRET', text: problem }]);
  return secret;
}
