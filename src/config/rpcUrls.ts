import { decodes } from '../net/decodes.ts';
import { isLoopback } from '../net/loopback.ts';
import type { Environment } from './environment.ts';
import type { Report } from './values.ts';

const TESTNET_RPC_URL = 'https://soroban-testnet.stellar.org';
const MAX_RPC_URLS = 8;

/** Returns the URLs of the Stellar RPC's nodes, in the order in which the operator names them. */
export function readRpcUrls({ RPC_URL: text }: Environment, network: string, report: Report): string[] {
  if (text === undefined) {
    if (network === 'stellar:pubnet')
      report('RPC_URL', 'is missing: stellar:pubnet needs the URL of a Stellar RPC');
    return network === 'stellar:testnet' ? [TESTNET_RPC_URL] : [];
  }
  const urls = text.split(',').map((url) => url.trim());
  if (urls.length > MAX_RPC_URLS)
    report('RPC_URL', `names ${urls.length} URLs, and may name at most ${MAX_RPC_URLS}`);
  else
    for (const [index, url] of urls.entries()) {
      const first = urls.indexOf(url);
      const problem = urlProblem(url, network) ?? (first < index ? `repeats entry ${first + 1}` : undefined);
      if (problem !== undefined)
        report('RPC_URL', urls.length === 1 ? problem : `entry ${index + 1} ${problem}`);
    }
  return urls;
}

function urlProblem(rpcUrl: string, network: string): string | undefined {
  const url = URL.parse(rpcUrl);
  if (url === null || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(rpcUrl))
    return 'must be an absolute http or https URL';
  if (!decodes(url.username) || !decodes(url.password))
    return 'has a malformed escape in its user name or password';
  if (network === 'stellar:pubnet' && url.protocol === 'http:' && !isLoopback(url.hostname))
    return 'must be https on stellar:pubnet, unless the RPC runs on this machine';
  return undefined;
}
