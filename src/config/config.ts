import { isIP } from 'node:net';
import { readEnvironment } from './environment.ts';
import type { Environment, Variable } from './environment.ts';
import { isLoopback } from '../net/loopback.ts';
import { readSecretFiles } from './secretFiles.ts';
import { secretKeyProblem, containsSecretKey, publicKeyOf } from './secretKeys.ts';
import { databasePathProblem, DEFAULT_DB_PATH } from './databasePath.ts';
import { policyIn, policyProblems } from './policy.ts';
import { PASSPHRASES } from '../stellar/networks.ts';
import type { Network } from '../stellar/networks.ts';
import type { FeeSettings, PaymentPolicy } from '../scheme/index.ts';
import { wholeNumber } from './values.ts';

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
  readonly policy: PaymentPolicy;
  /** The limit per recipient; see the variable MAX_NEW_LISTINGS_PER_RECIPIENT_PER_HOUR. */
  readonly newListingsPerHour: number;
}

export interface Secrets {
  /** Secret keys (S…) of the accounts that source the settlements; at least one. */
  readonly submitterSecrets: readonly string[];
  readonly feeBumpSecret: string | null;
}

/** One thing to fix. The text says what to do and never repeats the value, which may be a secret. */
export interface Problem {
  readonly variable: Variable | `${SecretVariable}_FILE`;
  readonly text: string;
}

/** A file may hold each of them instead, named by `SUBMITTER_SECRET_FILE` or `FEE_BUMP_SECRET_FILE`. */
export const SECRET_VARIABLES = ['SUBMITTER_SECRET', 'FEE_BUMP_SECRET'] as const;
type SecretVariable = (typeof SECRET_VARIABLES)[number];

export type Configured =
  { readonly config: Config; readonly secrets: Secrets } | { readonly problems: readonly Problem[] };

const NETWORKS: readonly string[] = Object.keys(PASSPHRASES);
const TESTNET_RPC_URL = 'https://soroban-testnet.stellar.org';
const DEFAULT_PORT = 4021;
/** The fees that apply unless the operator sets others. */
export const DEFAULT_FEES: FeeSettings = {
  ceilingStroops: 50_000,
  percentile: 90,
  minInclusionStroops: 100,
  maxInclusionStroops: 10_000,
};
/** The percentiles of recent fees that the Stellar RPC reports. */
const FEE_PERCENTILES = [10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99];
export const DEFAULT_NEW_LISTINGS_PER_HOUR = 1_000;
const MAX_NEW_LISTINGS_PER_HOUR = 1_000_000;
const MAX_PORT = 65_535;
const MAX_RPC_URLS = 8;
/** The fee of a transaction is an unsigned 32-bit integer. */
const MAX_FEE_STROOPS = 0xffff_ffff;

/**
 * Turns the environment into a configuration, or into everything that is wrong with it at once. Pure: touches neither
 * files nor network.
 */
export function toConfig(environment: Environment): Configured {
  const problems: Problem[] = misplacedSecrets(environment);
  const problem = (variable: Variable, text: string | null): void => {
    if (text !== null && !problems.some((known) => known.variable === variable && known.text === text)) {
      problems.push({ variable, text });
    }
  };

  const submitterSecrets = environment.SUBMITTER_SECRET?.split(',').map((secret) => secret.trim()) ?? [];
  const feeBumpSecret = environment.FEE_BUMP_SECRET ?? null;
  for (const text of submitterProblems(submitterSecrets)) problem('SUBMITTER_SECRET', text);
  problem('FEE_BUMP_SECRET', feeBumpProblem(feeBumpSecret, submitterSecrets));

  const network = environment.NETWORK ?? 'stellar:testnet';
  if (!NETWORKS.includes(network)) problem('NETWORK', `must be one of ${NETWORKS.join(', ')}`);
  const rpcUrls = rpcUrlsIn(environment, network);
  for (const text of rpcUrlsProblems(rpcUrls, network)) problem('RPC_URL', text);

  const host = environment.HOST;
  if (host !== undefined && isIP(host) === 0 && host !== 'localhost')
    problem('HOST', 'must be an IP address of this machine, such as 127.0.0.1 or ::1, or localhost');
  const port = wholeNumber(environment.PORT, DEFAULT_PORT, 0, MAX_PORT);
  if (port === null) problem('PORT', `must be a whole number from 0 to ${MAX_PORT} (0 takes any free port)`);
  const fees = feesIn(environment);
  for (const [variable, text] of feeProblems(fees)) problem(variable, text);
  const policy = policyIn(environment);
  for (const [variable, text] of policyProblems(policy)) problem(variable, text);
  if ((environment.FEE_MODE ?? 'free') !== 'free')
    problem('FEE_MODE', 'must be free, the only mode there is');

  const newListingsPerHour = wholeNumber(
    environment.MAX_NEW_LISTINGS_PER_RECIPIENT_PER_HOUR,
    DEFAULT_NEW_LISTINGS_PER_HOUR,
    1,
    MAX_NEW_LISTINGS_PER_HOUR,
  );
  if (newListingsPerHour === null) {
    problem(
      'MAX_NEW_LISTINGS_PER_RECIPIENT_PER_HOUR',
      `must be a whole number from 1 to ${MAX_NEW_LISTINGS_PER_HOUR}`,
    );
  }

  if (problems.length > 0 || port === null || newListingsPerHour === null) {
    return { problems };
  }
  const dbPath = environment.DB_PATH ?? DEFAULT_DB_PATH;
  const config: Config = {
    network: network as Network,
    rpcUrls,
    ...(host !== undefined && { host }),
    port,
    dbPath,
    feeMode: 'free',
    fees: fees as FeeSettings,
    policy: policy as PaymentPolicy,
    newListingsPerHour,
  };
  return { config, secrets: { submitterSecrets, feeBumpSecret } };
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
    if (text !== null) problems.push({ variable: 'DB_PATH', text });
  }
  return problems.length > 0 ? { problems } : configured;
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
      text: 'holds a secret key, which belongs into SUBMITTER_SECRET or FEE_BUMP_SECRET',
    }));
}

/** Returns what is wrong with a list of secret keys, without repeating any part of them. */
export function submitterProblems(secrets: readonly string[]): string[] {
  if (secrets.length === 0) {
    return [
      'is missing: set it to the secret key (S…) of the account that pays the network fees, or a comma-separated ' +
        'list, or SUBMITTER_SECRET_FILE to a file that holds it',
    ];
  }
  const seen = new Map<string, number>();
  return secrets.flatMap((secret, index) => {
    const entry = secrets.length === 1 ? '' : `entry ${index + 1} `;
    const malformed = secretKeyProblem(secret);
    if (malformed !== null) return [entry + malformed];
    const first = seen.get(secret);
    if (first !== undefined) return [`${entry}repeats entry ${first + 1}: name each submitter once`];
    seen.set(secret, index);
    return [];
  });
}

function feeBumpProblem(secret: string | null, submitterSecrets: readonly string[]): string | null {
  if (secret === null) return null;
  const malformed = secretKeyProblem(secret);
  if (malformed !== null) return malformed;
  if (!submitterSecrets.includes(secret)) return null;
  return `is also a submitter (${publicKeyOf(secret)}): use an account of its own, or leave it out`;
}

/** Returns the origins of the RPC URLs, which may be shown. */
export function rpcOrigins({ rpcUrls }: Config): string {
  return rpcUrls.map((url) => new URL(url).origin).join(',');
}

function rpcUrlsIn({ RPC_URL: text }: Environment, network: string): string[] {
  if (text === undefined) return network === 'stellar:testnet' ? [TESTNET_RPC_URL] : [];
  return text.split(',').map((url) => url.trim());
}

function rpcUrlsProblems(urls: readonly string[], network: string): string[] {
  if (urls.length === 0)
    return network === 'stellar:pubnet' ? ['is missing: stellar:pubnet needs the URL of a Stellar RPC'] : [];
  if (urls.length > MAX_RPC_URLS) return [`names ${urls.length} URLs; ${MAX_RPC_URLS} at most`];
  return urls.flatMap((url, index) => {
    const entry = urls.length === 1 ? '' : `entry ${index + 1} `;
    const text = rpcUrlProblem(url, network);
    if (text !== null) return [entry + text];
    return urls.indexOf(url) === index ? [] : [`${entry}repeats entry ${urls.indexOf(url) + 1}`];
  });
}

function rpcUrlProblem(rpcUrl: string, network: string): string | null {
  const url = URL.parse(rpcUrl);
  if (url === null || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(rpcUrl)) {
    return 'must be an absolute http or https URL';
  }
  if (!decodes(url.username) || !decodes(url.password))
    return 'has a malformed escape in its user or password';
  if (network === 'stellar:pubnet' && url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return 'must be https on stellar:pubnet, unless the RPC runs on this machine';
  }
  return null;
}

/** Null for a value that is not a number in its range. */
type ReadFees = { readonly [Name in keyof FeeSettings]: number | null };

function feesIn(environment: Environment): ReadFees {
  const stroops = (text: string | undefined, absent: number): number | null =>
    wholeNumber(text, absent, 1, MAX_FEE_STROOPS);
  const percentile = wholeNumber(environment.INCLUSION_FEE_PERCENTILE, DEFAULT_FEES.percentile, 1, 99);
  return {
    ceilingStroops: stroops(environment.MAX_TRANSACTION_FEE_STROOPS, DEFAULT_FEES.ceilingStroops),
    percentile: FEE_PERCENTILES.includes(percentile ?? 0) ? percentile : null,
    minInclusionStroops: stroops(environment.MIN_INCLUSION_FEE_STROOPS, DEFAULT_FEES.minInclusionStroops),
    maxInclusionStroops: stroops(environment.MAX_INCLUSION_FEE_STROOPS, DEFAULT_FEES.maxInclusionStroops),
  };
}

function feeProblems(fees: ReadFees): [Variable, string][] {
  const noStroops = `must be a whole number of stroops from 1 to ${MAX_FEE_STROOPS}`;
  const { ceilingStroops, percentile, minInclusionStroops, maxInclusionStroops } = fees;
  const problems: [Variable, string | false][] = [
    ['MAX_TRANSACTION_FEE_STROOPS', ceilingStroops === null && noStroops],
    ['INCLUSION_FEE_PERCENTILE', percentile === null && `must be one of ${FEE_PERCENTILES.join(', ')}`],
    ['MIN_INCLUSION_FEE_STROOPS', minInclusionStroops === null && noStroops],
    ['MAX_INCLUSION_FEE_STROOPS', maxInclusionStroops === null && noStroops],
    [
      'MAX_INCLUSION_FEE_STROOPS',
      (maxInclusionStroops ?? Infinity) < (minInclusionStroops ?? 0) &&
        'must not be below MIN_INCLUSION_FEE_STROOPS',
    ],
  ];
  return problems.filter((problem): problem is [Variable, string] => problem[1] !== false);
}

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
