import { StrKey } from '@stellar/stellar-sdk';
import { isLoopback } from '../net/loopback.ts';
import { sandboxKeyProblem } from '../config/sandboxKeys.ts';
import { findMisspelled, type Misspelled } from '../config/misspelled.ts';
import { containsSecretKey, secretKeyProblem } from '../config/secretKeys.ts';
import { readHttp, type HttpConfig } from './httpConfig.ts';
import { contractOfAsset } from '../stellar/assets.ts';
import { isKnownNetwork, type Network } from '../stellar/networks.ts';
import { baseUnits } from '../stellar/values.ts';
import type { DailyLimits, SpendLimits } from './wallet/index.ts';

/** The environment variables of the tool server. */
export const VARIABLES = [
  'FACILITATOR_URL',
  'FACILITATOR_KEY',
  'CLIENT_STELLAR_PRIVATE_KEY',
  'SVC_MCP_MAX_AMOUNT',
  'SVC_MCP_SESSION_BUDGET',
  'SVC_MCP_BUDGET_FILE',
  'SVC_MCP_DAILY_ASSET_BUDGET',
  'SVC_MCP_DAILY_HOST_BUDGET',
  'SVC_MCP_APPROVE_ABOVE',
  'SVC_MCP_ALLOWED_ASSETS',
  'SVC_MCP_ALLOWED_HOSTS',
  'SVC_MCP_HTTP_HOST',
  'SVC_MCP_HTTP_PORT',
  'SVC_MCP_HTTP_NAMES',
  'SVC_MCP_HTTP_TOKEN',
  'NETWORK',
  'RPC_URL',
] as const;

export type Variable = (typeof VARIABLES)[number];
/** The variables that are set, as text without surrounding spaces. An empty variable counts as absent. */
export type McpEnvironment = { readonly [name in Variable]?: string };

/** May be shown, except for `rpcUrls`, which may hold a provider's key. */
export interface McpConfig {
  /** Has no slash at its end. */
  readonly facilitatorUrl: string;
  readonly network: Network;
  readonly rpcUrls: readonly string[];
  readonly spend: SpendLimits;
  /** A person must approve a payment of more base units than this, whatever the asset; undefined for none. */
  readonly approveAbove: bigint | undefined;
  /** `host` or `host:port`; undefined for any. */
  readonly allowedHosts: readonly string[] | undefined;
  readonly http: HttpConfig;
}

/** One thing to fix. The text never repeats the value, which may be a secret. */
export interface Problem {
  readonly variable: Variable;
  readonly text: string;
}

/** Keeps the secrets apart. */
export type Configured =
  | {
      readonly config: McpConfig;
      /** The secret key (S…); undefined for a server that only searches and makes free calls. */
      readonly secret: string | undefined;
      /** The key that the facilitator's operator gave. */
      readonly facilitatorKey: string | undefined;
      /** What hosts must show over HTTP; undefined if they need not. */
      readonly httpToken: string | undefined;
    }
  | { readonly problems: readonly Problem[] };

const DEFAULT_FACILITATOR_URL = 'http://127.0.0.1:4021';
const DEFAULT_MAX_AMOUNT = 10_000_000n;
/** The default session budget is this many times the cap. */
const DEFAULT_BUDGET_CAPS = 10n;
const TESTNET_RPC_URL = 'https://soroban-testnet.stellar.org';
/** One call may wait for each of them in turn. */
const MAX_RPC_URLS = 5;

const SETTINGS: readonly string[] = [
  ...VARIABLES,
  ...['CLIENT_STELLAR_PRIVATE_KEY', 'FACILITATOR_KEY', 'SVC_MCP_HTTP_TOKEN'].map((name) => `${name}_FILE`),
];
/** No other program has such variables, and most of them limit what is spent. */
const OWN = /^SVC_MCP_/;

/**
 * Finds variables that are no settings. Those in `problems` can be no other program's. Those in `misspelled` only look
 * like settings.
 */
export function findUnknown(source: Readonly<Record<string, string | undefined>>): {
  problems: { variable: string; text: string }[];
  misspelled: Misspelled[];
} {
  const resembling = findMisspelled(source, SETTINGS);
  const unknown = Object.keys(source).filter(
    (name) => OWN.test(name) && source[name]?.trim() && !SETTINGS.includes(name),
  );
  const problems = unknown.map((variable) => {
    const meant = resembling.find((one) => one.variable === variable)?.meant;
    return { variable, text: `is not a setting${meant === undefined ? '' : `: did you mean ${meant}?`}` };
  });
  return { problems, misspelled: resembling.filter(({ variable }) => !unknown.includes(variable)) };
}

/** Reads the variables, and deletes the secrets from `source`, so that no child process and no dump gets them. */
export function takeEnvironment(source: Record<string, string | undefined>): McpEnvironment {
  const environment: { [name in Variable]?: string } = {};
  for (const name of VARIABLES) {
    const text = source[name]?.trim();
    if (text) environment[name] = text;
  }
  delete source['CLIENT_STELLAR_PRIVATE_KEY'];
  delete source['FACILITATOR_KEY'];
  delete source['SVC_MCP_HTTP_TOKEN'];
  return environment;
}

/** Returns the configuration, or all that is wrong with it at once. Pure. */
export function toMcpConfig(environment: McpEnvironment): Configured {
  const problems: Problem[] = [];
  const report: Report = (variable, text) => {
    if (text !== undefined) problems.push({ variable, text });
  };
  for (const variable of VARIABLES) report(variable, misplacedSecret(variable, environment[variable]));
  const secret = environment.CLIENT_STELLAR_PRIVATE_KEY;
  if (secret !== undefined) report('CLIENT_STELLAR_PRIVATE_KEY', secretKeyProblem(secret));
  const facilitatorKey = environment.FACILITATOR_KEY;
  if (facilitatorKey !== undefined) report('FACILITATOR_KEY', facilitatorKeyProblem(facilitatorKey));
  const network = environment.NETWORK ?? 'stellar:testnet';
  if (!isKnownNetwork(network)) report('NETWORK', 'must be stellar:testnet or stellar:pubnet');
  const facilitatorUrl = (environment.FACILITATOR_URL ?? DEFAULT_FACILITATOR_URL).replace(/\/+$/, '');
  report('FACILITATOR_URL', facilitatorProblem(facilitatorUrl));
  const rpcUrls = listOf(environment.RPC_URL) ?? (network === 'stellar:testnet' ? [TESTNET_RPC_URL] : []);
  report('RPC_URL', rpcProblem(rpcUrls, network));
  if (secret !== undefined) report('CLIENT_STELLAR_PRIVATE_KEY', sandboxKeyProblem(secret, rpcUrls));
  const spend = spendLimits(environment, network, report);
  const approveAbove = amountOf(environment, 'SVC_MCP_APPROVE_ABOVE', report);
  const allowedHosts = listOf(environment.SVC_MCP_ALLOWED_HOSTS)?.map((host) => host.toLowerCase());
  if (allowedHosts?.some((host) => !isHost(host)))
    report('SVC_MCP_ALLOWED_HOSTS', 'must be hosts, each with or without a port, separated by commas');
  const http = readHttp(environment, secret !== undefined || facilitatorKey !== undefined, report);
  if (problems.length > 0 || !isKnownNetwork(network)) return { problems };
  const config = { facilitatorUrl, network, rpcUrls, spend, approveAbove, allowedHosts, http };
  return { config, secret, facilitatorKey, httpToken: environment.SVC_MCP_HTTP_TOKEN };
}

/** Takes a problem; ignores undefined. */
export type Report = (variable: Variable, text: string | undefined) => void;

/** Reads the limits of what may be spent. They are of no use once a problem was reported. */
function spendLimits(environment: McpEnvironment, network: string, report: Report): SpendLimits {
  const maxAmount = amountOf(environment, 'SVC_MCP_MAX_AMOUNT', report) ?? DEFAULT_MAX_AMOUNT;
  const sessionBudget =
    amountOf(environment, 'SVC_MCP_SESSION_BUDGET', report) ?? maxAmount * DEFAULT_BUDGET_CAPS;
  const assets = listOf(environment.SVC_MCP_ALLOWED_ASSETS) ?? ['USDC'];
  const allowedAssets = isKnownNetwork(network)
    ? assets.map((asset) => contractOfAsset(asset, network) ?? asset)
    : [];
  if (allowedAssets.some((asset) => !StrKey.isValidContract(asset)))
    report(
      'SVC_MCP_ALLOWED_ASSETS',
      'must be USDC, EURC, PYUSD, XLM or contract addresses (C…), separated by commas',
    );
  const daily = dailyLimits(environment, report);
  return { maxAmount, sessionBudget, allowedAssets, ...(daily && { daily }) };
}

function dailyLimits(environment: McpEnvironment, report: Report): DailyLimits | undefined {
  const file = environment.SVC_MCP_BUDGET_FILE;
  const perAsset = amountOf(environment, 'SVC_MCP_DAILY_ASSET_BUDGET', report);
  const perHost = amountOf(environment, 'SVC_MCP_DAILY_HOST_BUDGET', report);
  const { SVC_MCP_DAILY_ASSET_BUDGET, SVC_MCP_DAILY_HOST_BUDGET } = environment;
  if (file !== undefined && (SVC_MCP_DAILY_ASSET_BUDGET ?? SVC_MCP_DAILY_HOST_BUDGET) === undefined)
    report(
      'SVC_MCP_BUDGET_FILE',
      'limits nothing by itself: set SVC_MCP_DAILY_ASSET_BUDGET or SVC_MCP_DAILY_HOST_BUDGET, too',
    );
  if (perAsset === undefined && perHost === undefined) return undefined;
  if (file === undefined)
    report('SVC_MCP_BUDGET_FILE', 'is missing: a budget of a day needs a file that remembers what was spent');
  return { file: file ?? '', perAsset, perHost };
}

/** Reads an amount in base units. It is undefined if it is not set, or if a problem was reported. */
function amountOf(environment: McpEnvironment, variable: Variable, report: Report): bigint | undefined {
  const text = environment[variable];
  if (text === undefined) return undefined;
  const amount = baseUnits(text);
  if (amount === undefined) report(variable, 'must be a whole number of base units, in plain digits');
  return amount;
}

/** Finds a secret key in any other variable, from where it would be shown or sent. */
function misplacedSecret(variable: Variable, text = ''): string | undefined {
  if (variable === 'CLIENT_STELLAR_PRIVATE_KEY' || !containsSecretKey(text)) return undefined;
  return 'holds a secret key, which belongs in CLIENT_STELLAR_PRIVATE_KEY';
}

function listOf(text: string | undefined): string[] | undefined {
  return text?.split(',').map((entry) => entry.trim());
}

function facilitatorProblem(text: string): string | undefined {
  const url = httpUrl(text);
  if (url === undefined) return 'must be an absolute http or https URL';
  if (url.username || url.password) return 'must not hold a user name or a password';
  if (url.search || url.hash) return 'must have neither a query nor a fragment';
  return undefined;
}

/** Accepts any token that a header can carry, since each facilitator has keys of its own form. */
export function facilitatorKeyProblem(text: string): string | undefined {
  return /^[\x21-\x7e]{1,1024}$/.test(text) ? undefined : 'must be a key in ASCII, without spaces';
}

function rpcProblem(urls: readonly string[], network: string): string | undefined {
  if (urls.length === 0)
    return network === 'stellar:pubnet' ? 'is missing: stellar:pubnet needs a Stellar RPC' : undefined;
  if (urls.length > MAX_RPC_URLS) return `names more than ${MAX_RPC_URLS} URLs`;
  for (const text of urls) {
    const url = httpUrl(text);
    if (url === undefined) return 'must be an absolute http or https URL';
    if (network === 'stellar:pubnet' && url.protocol === 'http:' && !isLoopback(url.hostname))
      return 'must be https on stellar:pubnet, unless the RPC runs on this machine';
  }
  return undefined;
}

function httpUrl(text: string): URL | undefined {
  return /^https?:\/\//i.test(text) ? (URL.parse(text) ?? undefined) : undefined;
}

/** True when a text is written like the host of a URL, so that the two can be compared. */
function isHost(text: string): boolean {
  const url = URL.parse(`http://${text}`);
  return url !== null && /^[^*]+$/.test(text) && [url.host, `${url.hostname}:80`].includes(text);
}
