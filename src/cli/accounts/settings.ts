import { SECRET_VARIABLES, toConfig } from '../../config/config.ts';
import type { Config, Secrets } from '../../config/config.ts';
import { readEnvironment } from '../../config/environment.ts';
import type { Environment } from '../../config/environment.ts';
import { EXIT_CONFIG } from '../../process/exitCodes.ts';
import { hiddenTexts } from '../../log/log.ts';
import { readSecretFiles } from '../../config/secretFiles.ts';
import { publicKeyOf, secretKeyProblem } from '../../config/secretKeys.ts';
import { Failure } from './failure.ts';

/** What of the service's configuration the accounts depend on; the rest may be as wrong as it likes. */
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
  /** What must not be shown: keys, and what of the RPC's URL may be one. */
  readonly hidden: readonly string[];
}

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** The environment with the secrets that `…_FILE` variables name. Throws a Failure. */
export function withSecretFiles(source: ProcessEnvironment): ProcessEnvironment {
  const { secrets, problems } = readSecretFiles(source, [...SECRET_VARIABLES, 'FUNDER_SECRET']);
  if (problems.length > 0) throw problemsFailure(problems);
  return { ...source, ...secrets };
}

function problemsFailure(problems: readonly { variable: string; text: string }[]): Failure {
  return new Failure(EXIT_CONFIG, problems.map(({ variable, text }) => `${variable} ${text}`).join('\n'));
}

/** Throws a Failure with a line for each thing to put right. */
export function readSettings(source: ProcessEnvironment, secrets: Partial<Secrets>): Settings {
  const given = readEnvironment(source);
  const read = Object.fromEntries(VARIABLES_READ.map((name) => [name, given[name]]));
  const environment = {
    ...read,
    SUBMITTER_SECRET: secrets.submitterSecrets?.join(',') ?? given.SUBMITTER_SECRET,
    FEE_BUMP_SECRET: secrets.feeBumpSecret ?? given.FEE_BUMP_SECRET,
  } as Environment;
  const configured = toConfig(environment);
  if ('problems' in configured) throw problemsFailure(configured.problems);
  const { config } = configured;
  const { submitterSecrets, feeBumpSecret } = configured.secrets;
  return {
    network: config.network,
    rpcUrls: config.rpcUrls,
    fees: config.fees,
    submitters: submitterSecrets.map(publicKeyOf),
    feeBump: feeBumpSecret === null ? undefined : publicKeyOf(feeBumpSecret),
    hidden: hiddenTexts(config, configured.secrets),
  };
}

/** The secret key of the account that pays for others; undefined where there is none. */
export function readFunderSecret(source: ProcessEnvironment): string | undefined {
  const secret = source['FUNDER_SECRET']?.trim() || undefined;
  const problem = secret === undefined ? null : secretKeyProblem(secret);
  if (problem !== null) throw new Failure(EXIT_CONFIG, `FUNDER_SECRET ${problem}`);
  return secret;
}
