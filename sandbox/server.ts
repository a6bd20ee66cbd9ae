/** Serves the sandbox network: Stellar RPC, friendbot and a small part of Horizon, over http and https. */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createFaults, type Faults } from './faults.ts';
import { createJsonRpc, type Calls } from './jsonRpc.ts';
import { createNetwork, type Network, type NetworkOptions } from './network.ts';
import { problem, type HttpReply } from './reply.ts';
import { createRouter, type Router } from './routes.ts';
import { createCertificate } from './tls.ts';

const LOOPBACK = '127.0.0.1';
const ALL_ADDRESSES = '0.0.0.0';
const MAX_BODY_BYTES = 512 * 1024;
const MAX_CONNECTIONS = 1_000;
/** The longest time that a request may take to arrive. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than clients keep idle connections: the side that closes first can cut off a request on its way. */
const KEEP_ALIVE_MS = 65_000;
const DEFAULT_LEDGER_MS = 5_000;
/** Ledgers that have closed before the start: clients measure the network's pace from them. */
const PAST_LEDGERS = 20;

export interface SandboxOptions extends NetworkOptions {
  /** An IPv4 address of this machine; default 127.0.0.1. */
  host?: string;
  /** Port of http; default 0 = any free one. */
  port?: number;
  /** Port of https; default 0 = any free one. */
  httpsPort?: number;
  /** Time between ledgers; default 5000, 0 = a ledger closes only when asked for. */
  ledgerMs?: number;
}

export interface Sandbox {
  /** Stellar RPC over http, also the base address of everything else. */
  url: string;
  /** The same over https, for clients that refuse http. */
  httpsUrl: string;
  /** The certificate (PEM) that clients of `httpsUrl` must trust. */
  caCertificate: string;
  network: Network;
  faults: Faults;
  calls: Calls;
  /** Stops the ledgers, closes both ports and cuts open connections. */
  close(): Promise<void>;
}

/** Starts a network and serves it, on loopback unless told otherwise. Throws the listen error (EADDRINUSE) when a port is taken. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = LOOPBACK, port = 0, httpsPort = 0, ledgerMs = DEFAULT_LEDGER_MS } = options;
  const network = createNetworkWithPast(options, ledgerMs);
  const faults = createFaults(network);
  const rpc = createJsonRpc(network, faults);
  const { key, certificate } = await createCertificate();
  const listener = requestListener(createRouter(network, faults, rpc, ledgerMs || DEFAULT_LEDGER_MS));

  const limits = { requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS };
  const http = createHttpServer(limits, listener);
  const https = createHttpsServer({ ...limits, key, cert: certificate }, listener);
  const servers = [http, https];
  try {
    await listen(http, host, port);
    await listen(https, host, httpsPort);
  } catch (error) {
    await Promise.all(servers.map(stop));
    throw error;
  }

  const closeOnTime = () => {
    if (!faults.list().some(({ kind }) => kind === 'ledgersStop')) network.closeLedger();
  };
  const shown = host === ALL_ADDRESSES ? LOOPBACK : host;
  const clock = ledgerMs > 0 ? setInterval(closeOnTime, ledgerMs) : undefined;
  return {
    url: `http://${shown}:${portOf(http)}`,
    httpsUrl: `https://${shown}:${portOf(https)}`,
    caCertificate: certificate,
    network,
    faults,
    calls: rpc.calls,
    async close() {
      clearInterval(clock);
      await Promise.all(servers.map(stop));
    },
  };
}

function createNetworkWithPast({ now = Date.now, ...options }: NetworkOptions, ledgerMs: number): Network {
  let agoMs = options.saved ? 0 : PAST_LEDGERS * ledgerMs;
  const network = createNetwork({ ...options, now: () => now() - agoMs });
  while (agoMs > 0) {
    agoMs -= ledgerMs;
    network.closeLedger();
  }
  return network;
}

function requestListener(route: Router): RequestListener {
  return async (request, response) => {
    try {
      send(response, await respond(request, route));
    } catch (error) {
      send(response, problem(500, `fault in the sandbox: ${(error as Error).message}`));
    }
  };
}

async function respond(request: IncomingMessage, route: Router): Promise<HttpReply> {
  const body = await readBody(request);
  if (body === undefined) return problem(413, `the body is over ${MAX_BODY_BYTES} bytes`);
  const scheme = 'encrypted' in request.socket ? 'https' : 'http';
  const origin = `${scheme}://${request.headers.host}`;
  const { pathname, searchParams } = new URL(`${scheme}://sandbox${request.url}`);
  return route({ method: request.method ?? '', path: pathname, query: searchParams, body, origin });
}

/** Returns the body; undefined if it is over the limit. Reads and drops the excess, so that the answer arrives. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return bytes <= MAX_BODY_BYTES ? Buffer.concat(chunks).toString() : undefined;
}

function send(response: ServerResponse, reply: HttpReply): void {
  if ('lost' in reply) response.destroy();
  else if (!response.destroyed)
    response.writeHead(reply.status, { 'content-type': reply.contentType }).end(reply.text);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
