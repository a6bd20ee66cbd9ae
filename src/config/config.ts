import { isIP } from 'node:net';
import { PASSPHRASES, type Network } from '../stellar/networks.ts';
import { readAccountKeys, type AccountKeys } from './accountKeys.ts';
import { databasePathProblem, DEFAULT_DB_PATH } from './databasePath.ts';
import { readDatabaseUrl } from './databaseUrl.ts';
import { readEnvironment, type Environment, type Variable } from './environment.ts';
import { readFees, type FeeSettings } from './fees.ts';
import { readPolicy, type PolicySettings } from './policy.ts';
import { readRpcUrls } from './rpcUrls.ts';
import { readSecretFiles } from './secretFiles.ts';
import { containsSecretKey } from './secretKeys.ts';
import { wholeNumber, type Report } from './values.ts';

export { DEFAULT_FEES } from './fees.ts';

export interface Secrets extends AccountKeys {
  /** The database that instances share; undefined if this instance has files of its own. May hold a password. */
  readonly databaseUrl?: string | undefined;
}

/** The settings that may be shown and logged. {@link Secrets} holds the secrets. */
export interface Config {
  readonly network: Network;
  /** Nodes of the Stellar RPC, at least one. May hold a key in the path, query or user info: show only the origins. */
  readonly rpcUrls: readonly string[];
  /** The address to listen on; all addresses if not set. */
  readonly host?: string;
  /** 0 asks the system for any free port. */
  readonly port: number;
  readonly dbPath: string;
  readonly feeMode: 'free';
  readonly fees: FeeSettings;
  readonly policy: PolicySettings;
  /** The limit per recipient; see the variable MAX_NEW_LISTINGS_PER_RECIPIENT_PER_HOUR. */
  readonly newListingsPerHour: number;
}

/** One thing to fix. The text says what to do and never repeats the value, which may be a secret. */
export interface Problem {
  readonly variable: Variable | `${SecretVariable}_FILE`;
  readonly text: string;
}

/** A file may hold each of them instead, named by `SUBMITTER_SECRET_FILE` or `FEE_BUMP_SECRET_FILE`. */
export const SECRET_VARIABLES = ['SUBMITTER_SECRET', 'FEE_BUMP_SECRET'] as const;
type SecretVariable = (typeof SECRET_VARIABLES)[number];
/** These leave the environment at the start, so that no thread, child process or diagnostic report sees them. */
export const HIDDEN_VARIABLES = [...SECRET_VARIABLES, 'DATABASE_URL'] as const;

export type Configured =
  { readonly config: Config; readonly secrets: Secrets } | { readonly problems: readonly Problem[] };

const NETWORKS: readonly string[] = Object.keys(PASSPHRASES);
const DEFAULT_PORT = 4021;
const MAX_PORT = 65_535;
export const DEFAULT_NEW_LISTINGS_PER_HOUR = 1_000;
const MAX_NEW_LISTINGS_PER_HOUR = 1_000_000;

/**
 * Turns the environment into a configuration, or into everything that is wrong with it at once. Pure: touches neither
 * files nor network.
 */
export function toConfig(environment: Environment): Configured {
  const problems = misplacedSecrets(environment);
  const report: Report = (variable, text) => void problems.push({ variable, text });
  const secrets = {
    ...readAccountKeys(environment, report),
    databaseUrl: readDatabaseUrl(environment, report),
  };
  const network = readNetwork(environment, report);
  const config: Config = {
    network,
    rpcUrls: readRpcUrls(environment, network, report),
    ...readPlace(environment, report),
    dbPath: environment.DB_PATH ?? DEFAULT_DB_PATH,
    fees: readFees(environment, report),
    policy: readPolicy(environment, report),
    feeMode: readFeeMode(environment, report),
    newListingsPerHour: readNewListings(environment, report),
  };
  return problems.length > 0 ? { problems } : { config, secrets };
}

/**
 * Configures the service from a process's environment, like {@link toConfig}. Also reads the files with keys, and
 * checks that the catalog's database can be written.
 */
export function configure(source: Readonly<Record<string, string | undefined>>): Configured {
  const files = readSecretFiles(source, SECRET_VARIABLES);
  const environment = { ...readEnvironment(source), ...files.secrets };
  const configured = toConfig(environment);
  const isOfFile = (variable: string): boolean =>
    files.problems.some((problem) => problem.variable === `${variable}_FILE`);
  const others = 'problems' in configured ? configured.problems : [];
  const problems = [...files.problems, ...others.filter(({ variable }) => !isOfFile(variable))];
  if (!problems.some(({ variable }) => variable === 'DB_PATH')) {
    const text = databasePathProblem(environment.DB_PATH ?? DEFAULT_DB_PATH);
    if (text !== undefined) problems.push({ variable: 'DB_PATH', text });
  }
  return problems.length > 0 ? { problems } : configured;
}

/** Returns the origins of the RPC URLs, which may be shown. */
export function rpcOrigins({ rpcUrls }: Config): string {
  return rpcUrls.map((url) => new URL(url).origin).join(',');
}

/** Finds secrets in variables that are shown or logged, from where they would leak. */
function misplacedSecrets(environment: Environment): Problem[] {
  const shown = Object.keys(environment).filter((name) => !name.endsWith('_SECRET')) as Variable[];
  return shown
    .filter((variable) => {
      const text = environment[variable] ?? '';
      // A URL's escapes are decoded before it is shown.
      return containsSecretKey(text) || containsSecretKey(URL.parse(text)?.href ?? '');
    })
    .map((variable) => ({
      variable,
      text: 'holds a secret key, which belongs in SUBMITTER_SECRET or FEE_BUMP_SECRET',
    }));
}

function readNetwork({ NETWORK: network = 'stellar:testnet' }: Environment, report: Report): Network {
  if (!NETWORKS.includes(network)) report('NETWORK', `must be one of ${NETWORKS.join(', ')}`);
  return network as Network;
}

/** Reads the address and the port to listen on. */
function readPlace(environment: Environment, report: Report): Pick<Config, 'host' | 'port'> {
  const host = environment.HOST;
  if (host !== undefined && isIP(host) === 0 && host !== 'localhost')
    report('HOST', 'must be an IP address of this machine, such as 127.0.0.1 or ::1, or localhost');
  const rule = { absent: DEFAULT_PORT, min: 0, max: MAX_PORT, note: '0 takes any free port' };
  const port = wholeNumber(environment, 'PORT', rule, report);
  return host === undefined ? { port } : { host, port };
}

function readFeeMode({ FEE_MODE: mode = 'free' }: Environment, report: Report): 'free' {
  if (mode !== 'free') report('FEE_MODE', 'must be free, the only mode there is');
  return 'free';
}

function readNewListings(environment: Environment, report: Report): number {
  const rule = { absent: DEFAULT_NEW_LISTINGS_PER_HOUR, min: 1, max: MAX_NEW_LISTINGS_PER_HOUR };
  return wholeNumber(environment, 'MAX_NEW_LISTINGS_PER_RECIPIENT_PER_HOUR', rule, report);
}
