import { StrKey } from '@stellar/stellar-sdk';
import { isLoopback } from '../net/loopback.ts';
import { containsSecretKey, secretKeyProblem } from '../config/secretKeys.ts';
import { USDC, isKnownNetwork } from '../stellar/networks.ts';
import type { Network } from '../stellar/networks.ts';
import { baseUnits } from '../stellar/values.ts';
import type { SpendLimits } from './wallet/index.ts';

/** The environment variables of the tool server. */
export const VARIABLES = [
  'FACILITATOR_URL',
  'CLIENT_STELLAR_PRIVATE_KEY',
  'SVC_MCP_MAX_AMOUNT',
  'SVC_MCP_SESSION_BUDGET',
  'SVC_MCP_ALLOWED_ASSETS',
  'SVC_MCP_ALLOWED_HOSTS',
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
  /** `host` or `host:port`; null for any. */
  readonly allowedHosts: readonly string[] | null;
}

/** One thing to fix. The text never repeats the value, which may be a secret. */
export interface Problem {
  readonly variable: Variable;
  readonly text: string;
}

/** Keeps the secret key (S…) apart. It is null for a server that only searches and makes free calls. */
export type Configured =
  { readonly config: McpConfig; readonly secret: string | null } | { readonly problems: readonly Problem[] };

const DEFAULT_FACILITATOR_URL = 'http://127.0.0.1:4021';
const DEFAULT_MAX_AMOUNT = '10000000';
/** The default session budget is this many times the cap. */
const DEFAULT_BUDGET_CAPS = 10n;
const TESTNET_RPC_URL = 'https://soroban-testnet.stellar.org';
/** One call may wait for each of them in turn. */
const MAX_RPC_URLS = 5;

/** Reads the variables, and deletes the secret key from `source`, so that no child process and no dump gets it. */
export function takeEnvironment(source: Record<string, string | undefined>): McpEnvironment {
  const environment: { [name in Variable]?: string } = {};
  for (const name of VARIABLES) {
    const text = source[name]?.trim();
    if (text) environment[name] = text;
  }
  delete source['CLIENT_STELLAR_PRIVATE_KEY'];
  return environment;
}

/** Returns the configuration, or all that is wrong with it at once. Pure. */
export function toMcpConfig(environment: McpEnvironment): Configured {
  const problems: Problem[] = [];
  const problem = (variable: Variable, text: string | null): void => {
    if (text !== null) problems.push({ variable, text });
  };
  for (const variable of VARIABLES) problem(variable, misplacedSecret(variable, environment[variable]));

  const secret = environment.CLIENT_STELLAR_PRIVATE_KEY ?? null;
  problem('CLIENT_STELLAR_PRIVATE_KEY', secret === null ? null : secretKeyProblem(secret));
  const network = environment.NETWORK ?? 'stellar:testnet';
  if (!isKnownNetwork(network)) problem('NETWORK', 'must be stellar:testnet or stellar:pubnet');

  const facilitatorUrl = (environment.FACILITATOR_URL ?? DEFAULT_FACILITATOR_URL).replace(/\/+$/, '');
  problem('FACILITATOR_URL', facilitatorProblem(facilitatorUrl));
  const rpcUrls = listOf(environment.RPC_URL) ?? (network === 'stellar:testnet' ? [TESTNET_RPC_URL] : []);
  problem('RPC_URL', rpcProblem(rpcUrls, network));

  const maxAmount = baseUnits(environment.SVC_MCP_MAX_AMOUNT ?? DEFAULT_MAX_AMOUNT);
  if (maxAmount === undefined) problem('SVC_MCP_MAX_AMOUNT', NO_AMOUNT);
  const budgetText = environment.SVC_MCP_SESSION_BUDGET;
  const sessionBudget =
    budgetText === undefined ? (maxAmount ?? 0n) * DEFAULT_BUDGET_CAPS : baseUnits(budgetText);
  if (sessionBudget === undefined) problem('SVC_MCP_SESSION_BUDGET', NO_AMOUNT);
  const allowedAssets =
    listOf(environment.SVC_MCP_ALLOWED_ASSETS) ?? (isKnownNetwork(network) ? [USDC[network]] : []);
  if (allowedAssets.some((asset) => !StrKey.isValidContract(asset)))
    problem('SVC_MCP_ALLOWED_ASSETS', 'must be contract addresses (C…), separated by commas');
  const allowedHosts = listOf(environment.SVC_MCP_ALLOWED_HOSTS)?.map((host) => host.toLowerCase()) ?? null;
  if (allowedHosts?.some((host) => !isHost(host)))
    problem('SVC_MCP_ALLOWED_HOSTS', 'must be hosts, each with a port or without, separated by commas');

  if (problems.length > 0 || maxAmount === undefined || sessionBudget === undefined) return { problems };
  const spend = { maxAmount, sessionBudget, allowedAssets };
  return { config: { facilitatorUrl, network: network as Network, rpcUrls, spend, allowedHosts }, secret };
}

const NO_AMOUNT = 'must be a whole number of base units, in plain digits';

/** Finds a secret key in any other variable, from where it would be shown or sent. */
function misplacedSecret(variable: Variable, text = ''): string | null {
  if (variable === 'CLIENT_STELLAR_PRIVATE_KEY' || !containsSecretKey(text)) return null;
  return 'holds a secret key, which belongs into CLIENT_STELLAR_PRIVATE_KEY';
}

function listOf(text: string | undefined): string[] | null {
  return text?.split(',').map((entry) => entry.trim()) ?? null;
}

function facilitatorProblem(text: string): string | null {
  const url = httpUrl(text);
  if (url === null) return 'must be an absolute http or https URL';
  if (url.username || url.password) return 'must not hold a user or a password';
  if (url.search || url.hash) return 'must have neither a query nor a fragment';
  return null;
}

function rpcProblem(urls: readonly string[], network: string): string | null {
  if (urls.length === 0)
    return network === 'stellar:pubnet' ? 'is missing: stellar:pubnet needs a Stellar RPC' : null;
  if (urls.length > MAX_RPC_URLS) return `names more than ${MAX_RPC_URLS} URLs`;
  for (const text of urls) {
    const url = httpUrl(text);
    if (url === null) return 'must be an absolute http or https URL';
    if (network === 'stellar:pubnet' && url.protocol === 'http:' && !isLoopback(url.hostname))
      return 'must be https on stellar:pubnet, unless the RPC runs on this machine';
  }
  return null;
}

function httpUrl(text: string): URL | null {
  return /^https?:\/\//i.test(text) ? URL.parse(text) : null;
}

/** True when a text is written like the host of a URL, so that the two can be compared. */
function isHost(text: string): boolean {
  const url = URL.parse(`http://${text}`);
  return url !== null && /^[^*]+$/.test(text) && [url.host, `${url.hostname}:80`].includes(text);
}
