import { isIP, isIPv6 } from 'node:net';
import type { McpEnvironment, Report } from './config.ts';
import { tokenProblem } from '../net/bearerToken.ts';
import { isLoopback } from '../net/loopback.ts';

/** Says where the tools are served over HTTP. */
export interface HttpConfig {
  /** An IP address of this machine, or localhost. */
  readonly host: string;
  /** 0 asks the system for any free port. */
  readonly port: number;
  /** Names, in lower case, by which hosts may reach it beside its address. */
  readonly names: readonly string[];
}

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 4023;
const MAX_PORT = 65_535;

/** Reads the settings of `--http`. `isGuarded` says that strangers must be kept out. */
export function readHttp(environment: McpEnvironment, isGuarded: boolean, report: Report): HttpConfig {
  const {
    SVC_MCP_HTTP_HOST: host = DEFAULT_HOST,
    SVC_MCP_HTTP_PORT: portText = String(DEFAULT_PORT),
    SVC_MCP_HTTP_NAMES: namesText,
    SVC_MCP_HTTP_TOKEN: token,
  } = environment;
  if (isIP(host) === 0 && host !== 'localhost')
    report('SVC_MCP_HTTP_HOST', 'must be an IP address of this machine, such as 127.0.0.1, or localhost');
  const port = Number(portText);
  if (!/^\d{1,5}$/.test(portText) || port > MAX_PORT)
    report('SVC_MCP_HTTP_PORT', `must be a whole number from 0 to ${MAX_PORT}; 0 takes any free port`);
  const names = namesText?.split(',').map((name) => name.trim().toLowerCase()) ?? [];
  if (!names.every((name) => /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name)))
    report('SVC_MCP_HTTP_NAMES', 'must be names of hosts, without ports, separated by commas');
  if (token !== undefined) report('SVC_MCP_HTTP_TOKEN', tokenProblem(token));
  else if (isGuarded && !isLoopback(hostnameOf(host)))
    report(
      'SVC_MCP_HTTP_TOKEN',
      'must be set if other machines can reach SVC_MCP_HTTP_HOST, unless there is neither a wallet nor a FACILITATOR_KEY: make one with openssl rand -hex 32',
    );
  return { host, port, names };
}

/** Returns an address as it stands in a URL. */
export function hostnameOf(host: string): string {
  return isIPv6(host) ? (URL.parse(`http://[${host}]`)?.hostname ?? host) : host;
}
