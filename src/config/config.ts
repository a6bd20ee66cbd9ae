import { isIP } from 'node:net';
import { tokenProblem } from '../net/bearerToken.ts';
import type { Reach } from '../net/reach.ts';
import { PASSPHRASES, type Network } from '../stellar/networks.ts';
import { checkSandboxKeys, readAccountKeys, type AccountKeys } from './accountKeys.ts';
import { checkSecretProblem } from './checkSecret.ts';
import { readCallers, type CallerSettings } from './callers.ts';
import { readCorsOrigins } from './corsOrigins.ts';
import { databasePathProblem, DEFAULT_DB_PATH } from './databasePath.ts';
import { readDatabaseUrl } from './databaseUrl.ts';
import { readEnvironment, VARIABLES, type Environment, type Variable } from './environment.ts';
import { readFeeBalances, type FeeBalanceSettings } from './feeBalances.ts';
import { readFees, type FeeSettings } from './fees.ts';
import { readListingOperations } from './listingOperations.ts';
import { readLogging, type LogSettings } from './logging.ts';
import { readOperator, type OperatorSettings } from './operator.ts';
import { readPolicy, type PolicySettings } from './policy.ts';
import { readPolicyFile } from './policyFile/read.ts';
import { readRpcUrls } from './rpcUrls.ts';
import { readSearch, type HybridSearchSettings } from './search.ts';
import { servingSettings, withPreset } from './serving.ts';
import { readSecretFiles } from './secretFiles.ts';
import { containsSecretKey } from './secretKeys.ts';
import { readTracing, readTracingHeaders, type TracingSettings } from './tracing.ts';
import { readProofs } from './proofs.ts';
import { readReceiptSeeds, receiptSeedProblem } from './receipts.ts';
import { wholeNumber, type Report } from './values.ts';
import { readWebhooks, readWebhookSecret, type WebhookSettings } from './webhooks.ts';

export { DEFAULT_FEES } from './fees.ts';

export interface Secrets extends AccountKeys {
  /** The database that instances share; undefined if this instance has files of its own. May hold a password. */
  readonly databaseUrl?: string | undefined;
  /** Signs the calls of the policy's check. */
  readonly policyCheckSecret?: string | undefined;
  /** Headers for the collector of spans. */
  readonly tracingHeaders?: Readonly<Record<string, string>> | undefined;
  /** Opens the operator's port; undefined if nobody needs one. */
  readonly operatorToken?: string | undefined;
  /** Signs webhooks. */
  readonly webhookSecret?: string | undefined;
  /** Seeds (base64) of the keys of receipts: the first signs, all are published. Undefined if there are no receipts. */
  readonly receiptSeeds?: readonly string[] | undefined;
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
  /** The operator's port; undefined if there is none. */
  readonly operator?: OperatorSettings | undefined;
  readonly dbPath: string;
  /** Finished settlements that are kept for looking back; the journal's own default if not set. */
  readonly settlementsKept?: number | undefined;
  readonly feeMode: 'free';
  readonly fees: FeeSettings;
  readonly feeBalances?: FeeBalanceSettings;
  readonly policy: PolicySettings;
  readonly callers: CallerSettings;
  /** The origins of the web pages that may verify and settle; none if not set. */
  readonly corsOrigins?: readonly string[];
  /** The settings that say whom the service serves, by name: those that are set. */
  readonly serving?: Environment;
  /** The limit per recipient; see the variable MAX_NEW_LISTINGS_PER_RECIPIENT_PER_HOUR. */
  readonly newListingsPerHour: number;
  /** Undefined if searches rank by words alone. */
  readonly hybridSearch?: HybridSearchSettings | undefined;
  /** The public URL of the service, if recipients may act on their listings. */
  readonly listingOperations?: string | undefined;
  /** Unless given, JSON from info on. */
  readonly log?: LogSettings;
  /** The collector of spans; undefined if tracing is off. */
  readonly tracing?: TracingSettings | undefined;
  /** Undefined if there are no webhooks. */
  readonly webhooks?: WebhookSettings | undefined;
  /** The origins that are asked whom they name; undefined if none are. */
  readonly proofs?: Reach | undefined;
}

/** One thing to fix. The text says what to do and never repeats a value that may be a secret. */
export interface Problem {
  readonly variable: Variable | `${SecretVariable}_FILE`;
  readonly text: string;
}

/** The accounts' keys. A file may hold each of them instead, named by `SUBMITTER_SECRET_FILE` or `FEE_BUMP_SECRET_FILE`. */
export const SECRET_VARIABLES = ['SUBMITTER_SECRET', 'FEE_BUMP_SECRET'] as const;
/** They sign what the service sends to the operator's servers. A file may hold each of them instead, too. */
const SIGNING_SECRETS = ['POLICY_CHECK_SECRET', 'WEBHOOK_SECRET'] as const;
/** A file may hold it instead, too. */
const OPERATOR_TOKEN = 'OPERATOR_TOKEN';
/** A file may hold it instead, too. */
const RECEIPT_SECRET = 'RECEIPT_SECRET';
type SecretVariable =
  | (typeof SECRET_VARIABLES | typeof SIGNING_SECRETS)[number]
  | typeof OPERATOR_TOKEN
  | typeof RECEIPT_SECRET;
/** Every variable that the service reads. */
export const SETTINGS: readonly string[] = [
  ...VARIABLES,
  ...[...SECRET_VARIABLES, ...SIGNING_SECRETS, OPERATOR_TOKEN, RECEIPT_SECRET].map((name) => `${name}_FILE`),
];
/** These leave the environment at the start, so that no thread, child process or diagnostic report sees them. */
export const HIDDEN_VARIABLES = [
  ...SECRET_VARIABLES,
  ...SIGNING_SECRETS,
  OPERATOR_TOKEN,
  RECEIPT_SECRET,
  'DATABASE_URL',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
] as const;

export type Configured =
  | { readonly config: Config; readonly secrets: Secrets }
  | { readonly problems: readonly Problem[] };

const NETWORKS: readonly string[] = Object.keys(PASSPHRASES);
const DEFAULT_PORT = 4021;
const MAX_PORT = 65_535;
export const DEFAULT_NEW_LISTINGS_PER_HOUR = 1_000;
const MAX_NEW_LISTINGS_PER_HOUR = 1_000_000;
const MAX_SETTLEMENTS_KEPT = 100_000_000;

/**
 * Turns the environment into a configuration, or into everything that is wrong with it at once. Pure: touches neither
 * files nor network.
 */
export function toConfig(given: Environment): Configured {
  const problems = misplacedSecrets(given);
  const report: Report = (variable, text) => void problems.push({ variable, text });
  const environment = withPreset(given, report);
  const tracing = readTracing(environment, report);
  const secrets = {
    ...readAccountKeys(environment, report),
    databaseUrl: readDatabaseUrl(environment, report),
    policyCheckSecret: readSecret(environment, 'POLICY_CHECK_SECRET', checkSecretProblem, report),
    operatorToken: readSecret(environment, OPERATOR_TOKEN, tokenProblem, report),
    tracingHeaders: tracing && readTracingHeaders(environment, report),
    webhookSecret: readWebhookSecret(environment, report),
    receiptSeeds: readReceiptSeeds(environment, report),
  };
  const network = readNetwork(environment, report);
  const rpcUrls = readRpcUrls(environment, network, report);
  const place = readPlace(environment, report);
  const config: Config = {
    network,
    rpcUrls,
    ...place,
    operator: readOperator(environment, place.port, report),
    dbPath: environment.DB_PATH ?? DEFAULT_DB_PATH,
    fees: readFees(environment, report),
    feeBalances: readFeeBalances(environment, report),
    policy: readPolicy(environment, report),
    callers: readCallers(environment, report),
    corsOrigins: readCorsOrigins(environment, report),
    serving: servingSettings(environment),
    feeMode: readFeeMode(environment, report),
    newListingsPerHour: readNewListings(environment, report),
    hybridSearch: readSearch(environment, report),
    listingOperations: readListingOperations(environment, report),
    log: readLogging(environment, report),
    tracing,
    settlementsKept: readSettlementsKept(environment, report),
    webhooks: readWebhooks(environment, report),
    proofs: readProofs(environment, network, report),
  };
  checkSandboxKeys(secrets, config.rpcUrls, report);
  return problems.length > 0 ? { problems } : { config, secrets };
}

/**
 * Configures the service from a process's environment, like {@link toConfig}. Also reads the files with keys, and
 * checks that the catalog's database can be written.
 */
export function configure(source: Readonly<Record<string, string | undefined>>): Configured {
  const keys = readSecretFiles(source, SECRET_VARIABLES);
  const signing = readSecretFiles(source, SIGNING_SECRETS, checkSecretProblem);
  const token = readSecretFiles(source, [OPERATOR_TOKEN], tokenProblem);
  const receipt = readSecretFiles(source, [RECEIPT_SECRET], receiptSeedProblem);
  const fromFiles: Problem[] = [
    ...[...keys.problems, ...signing.problems],
    ...[...token.problems, ...receipt.problems],
  ];
  const environment = {
    ...readEnvironment(source),
    ...keys.secrets,
    ...signing.secrets,
    ...token.secrets,
    ...receipt.secrets,
  };
  const configured = withPolicyFile(toConfig(environment), environment);
  const isOfFile = (variable: string): boolean =>
    fromFiles.some((problem) => problem.variable === `${variable}_FILE`);
  const others = 'problems' in configured ? configured.problems : [];
  const problems = [...fromFiles, ...others.filter(({ variable }) => !isOfFile(variable))];
  if (!problems.some(({ variable }) => variable === 'DB_PATH')) {
    const text = databasePathProblem(environment.DB_PATH ?? DEFAULT_DB_PATH);
    if (text !== undefined) problems.push({ variable: 'DB_PATH', text });
  }
  return problems.length > 0 ? { problems } : configured;
}

/** Adds the rules of the policy file, if there is one, or what is wrong with it. */
function withPolicyFile(configured: Configured, environment: Environment): Configured {
  const { POLICY_FILE: path, POLICY_CHECK_SECRET: secret } = environment;
  const others = 'problems' in configured ? configured.problems : [];
  if (path === undefined || others.some(({ variable }) => variable === 'POLICY_FILE')) return configured;
  const { rules, problems = [] } = readPolicyFile(path, secret !== undefined);
  const told = problems.map((text): Problem => ({ variable: 'POLICY_FILE', text }));
  if (rules === undefined || 'problems' in configured) return { problems: [...others, ...told] };
  const { config, secrets } = configured;
  return { config: { ...config, policy: { ...config.policy, rules } }, secrets };
}

/** Returns the origins of the RPC URLs, which may be shown. */
export function rpcOrigins({ rpcUrls }: Config): string {
  return rpcUrls.map((url) => new URL(url).origin).join(',');
}

/** Finds secrets in variables that are shown or logged, from where they would leak. */
export function misplacedSecrets(environment: Environment): Problem[] {
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

function readSecret(
  environment: Environment,
  variable: 'POLICY_CHECK_SECRET' | typeof OPERATOR_TOKEN,
  problemOf: (secret: string) => string | undefined,
  report: Report,
): string | undefined {
  const secret = environment[variable];
  const problem = secret === undefined ? undefined : problemOf(secret);
  if (problem !== undefined) report(variable, problem);
  return secret;
}

export function readNetwork({ NETWORK: network = 'stellar:testnet' }: Environment, report: Report): Network {
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

/** The journal takes some 3 KiB for each. */
function readSettlementsKept(environment: Environment, report: Report): number | undefined {
  if (environment.SETTLEMENTS_KEPT === undefined) return undefined;
  const rule = { absent: NaN, min: 1_000, max: MAX_SETTLEMENTS_KEPT };
  return wholeNumber(environment, 'SETTLEMENTS_KEPT', rule, report);
}

function readNewListings(environment: Environment, report: Report): number {
  const rule = { absent: DEFAULT_NEW_LISTINGS_PER_HOUR, min: 1, max: MAX_NEW_LISTINGS_PER_HOUR };
  return wholeNumber(environment, 'MAX_NEW_LISTINGS_PER_RECIPIENT_PER_HOUR', rule, report);
}
