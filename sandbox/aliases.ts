/**
 * Makes this process's `https` requests to the hosts of Stellar's public networks reach the sandbox.
 *
 * Stock x402 clients ask a hard-coded Horizon address for the ledger times. Only the connection's target
 * changes: the server name that TLS checks stays the real one, which the sandbox's certificate names, so
 * the checks stay on (see `trustCertificate` in tls.ts). Every other host is reached as before.
 * This covers what uses `node:https` (axios, and so stellar-sdk 14), not the global `fetch`.
 */
import https from 'node:https';
import type { Duplex } from 'node:stream';

/** The hosts that stock clients have built in. */
export const STELLAR_HOSTS = [
  'horizon-testnet.stellar.org',
  'soroban-testnet.stellar.org',
  'horizon.stellar.org',
];

/**
 * Routes `STELLAR_HOSTS` to the sandbox at `httpsUrl` by replacing `https.globalAgent`.
 * Returns a function that puts everything back.
 */
export function aliasStellarHosts(httpsUrl: string): () => void {
  const { hostname, port } = new URL(httpsUrl);
  const agent = new https.Agent(https.globalAgent.options);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback): Duplex | null | undefined =>
    connect(
      STELLAR_HOSTS.includes(options.host ?? '')
        ? { ...options, host: hostname, port: Number(port) }
        : options,
      callback,
    );
  const previousAgent = https.globalAgent;
  https.globalAgent = agent;
  const restoreProxy = bypassProxy([...STELLAR_HOSTS, hostname, 'localhost']);
  return () => {
    https.globalAgent = previousAgent;
    agent.destroy();
    restoreProxy();
  };
}

/** Excludes these hosts from the environment's proxy. Otherwise axios would use it, and never reach the sandbox. */
function bypassProxy(hosts: string[]): () => void {
  const previous = process.env['no_proxy'];
  const inherited = previous ?? process.env['NO_PROXY'];
  process.env['no_proxy'] = [...(inherited ? [inherited] : []), ...hosts].join(',');
  return () => {
    if (previous === undefined) delete process.env['no_proxy'];
    else process.env['no_proxy'] = previous;
  };
}
