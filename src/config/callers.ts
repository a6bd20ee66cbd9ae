import { BlockList, isIP } from 'node:net';
import type { RateLimits } from '../callers/index.ts';
import { IN_MEMORY } from '../store/sqliteFile.ts';
import type { Environment, Variable } from './environment.ts';
import { optionalNumber, type Report } from './values.ts';

/** Says who may call the service, and how often. By default everybody may, without limits. */
export interface CallerSettings {
  /** True if verify and settle need a key; `CALLERS`. */
  readonly needKey: boolean;
  /** True if everything else needs a key, too; `CALLERS_DISCOVERY`. */
  readonly discoveryNeedsKey: boolean;
  /** The proxies whose `X-Forwarded-For` is believed; `TRUSTED_PROXIES`. */
  readonly trustedProxies: BlockList;
  /** The limits of each caller, unless its key has others. */
  readonly limits: RateLimits;
  /** Stroops of network fees per day (UTC) for all callers without a key together; `ANONYMOUS_FEE_BUDGET_STROOPS`. */
  readonly anonymousFeeBudgetStroops: number | undefined;
  /** The same for all callers; `SERVICE_FEE_BUDGET_STROOPS`. */
  readonly serviceFeeBudgetStroops: number | undefined;
}

export const MAX_PER_MINUTE = 1_000_000;
export const MAX_AT_ONCE = 10_000;
/** About a thousand lumens. */
export const MAX_BUDGET_STROOPS = 9_999_999_999;

export function readCallers(environment: Environment, report: Report): CallerSettings {
  const most = (variable: Variable, max: number, unit: string): number | undefined =>
    optionalNumber(environment, variable, { min: 1, max, unit }, report);
  return {
    needKey: openOrKeys(environment, 'CALLERS', report),
    discoveryNeedsKey: openOrKeys(environment, 'CALLERS_DISCOVERY', report),
    trustedProxies: readProxies(environment, report),
    limits: {
      verifiesPerMinute: most('VERIFIES_PER_MINUTE', MAX_PER_MINUTE, 'requests'),
      settlesPerMinute: most('SETTLES_PER_MINUTE', MAX_PER_MINUTE, 'requests'),
      settlementsInFlight: most('MAX_SETTLEMENTS_IN_FLIGHT', MAX_AT_ONCE, 'settlements'),
      connections: most('MAX_CONNECTIONS', MAX_AT_ONCE, 'connections'),
    },
    anonymousFeeBudgetStroops: most('ANONYMOUS_FEE_BUDGET_STROOPS', MAX_BUDGET_STROOPS, 'stroops'),
    serviceFeeBudgetStroops: most('SERVICE_FEE_BUDGET_STROOPS', MAX_BUDGET_STROOPS, 'stroops'),
  };
}

/** Applies unless the operator sets something else. */
export const DEFAULT_CALLERS: CallerSettings = readCallers({}, () => {});

function openOrKeys(environment: Environment, variable: Variable, report: Report): boolean {
  const { [variable]: text = 'open' } = environment;
  if (text !== 'open' && text !== 'keys') report(variable, 'must be open or keys');
  else if (text === 'keys' && environment.DB_PATH === IN_MEMORY && environment.DATABASE_URL === undefined)
    report(variable, `is keys, but DB_PATH ${IN_MEMORY} cannot store any: name a file, or set DATABASE_URL`);
  return text === 'keys';
}

/** Reads addresses and networks, such as `10.0.0.1` and `10.0.0.0/8`, separated by commas. */
function readProxies({ TRUSTED_PROXIES: text = '' }: Environment, report: Report): BlockList {
  const proxies = new BlockList();
  const entries = text === '' ? [] : text.split(',').map((entry) => entry.trim());
  for (const [index, entry] of entries.entries())
    if (!addNetwork(proxies, entry))
      report(
        'TRUSTED_PROXIES',
        `entry ${index + 1} must be an IP address or a network, such as 10.0.0.1, 10.0.0.0/8 or fd00::/8`,
      );
  return proxies;
}

/** Returns false if the text is not an address or a network. */
function addNetwork(proxies: BlockList, text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  const [family, bits] = version === 4 ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : NaN;
  if (!(prefix <= bits)) return false;
  proxies.addSubnet(address, prefix, family);
  return true;
}
