/** The tool server over streamable HTTP, in this process or in one of its own, and hosts on the SDK's own client. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished } from 'vitest';
import { toMcpConfig, type McpEnvironment } from '../../../src/agent/config.ts';
import { SHARED_AGENT_LIMITS, type AgentLimits } from '../../../src/agent/limits.ts';
import { createMcpLog } from '../../../src/agent/log.ts';
import { createToolServer } from '../../../src/agent/server.ts';
import { STREAMABLE_LIMITS, type StreamableLimits } from '../../../src/agent/streamable/limits.ts';
import { listen } from '../../../src/agent/streamable/listen.ts';
import { signerFromSecret } from '../../../src/agent/wallet/index.ts';
import { childEnvironment } from '../../support/childEnvironment.ts';
import { agentOf, hostOf, type Agent, type Person } from './agent.ts';

/** A host's session. */
export interface HttpHost extends Agent {
  /** Cuts the connections of the requests that are open, without a word. */
  hangUp(): void;
  /** Ends the session by DELETE. */
  end(): Promise<void>;
}

export interface HttpTools {
  url: string;
  /** Opens a session; `close` of the host leaves it to the server to notice. */
  host(options?: HostOptions): Promise<HttpHost>;
  log: Record<string, unknown>[];
  close(): Promise<void>;
}

export interface HostOptions {
  person?: Person;
  token?: string;
}

/** In this process, on a free port, until the test ends. */
export async function openHttpTools(
  environment: McpEnvironment,
  options: { limits?: Partial<AgentLimits>; streamable?: Partial<StreamableLimits> } = {},
): Promise<HttpTools> {
  const configured = toMcpConfig({ SVC_MCP_HTTP_PORT: '0', ...environment });
  if ('problems' in configured) throw new Error(JSON.stringify(configured.problems));
  const { config, secret, facilitatorKey, httpToken: token } = configured;
  const log: Record<string, unknown>[] = [];
  const mcpLog = createMcpLog([], (line) => void log.push(JSON.parse(line) as never));
  const signer = secret === undefined ? undefined : signerFromSecret(secret);
  const limits = { ...SHARED_AGENT_LIMITS, ...options.limits };
  const offersCalls = signer !== undefined;
  const tools = createToolServer({ config, signer, facilitatorKey, log: mcpLog, limits, offersCalls });
  const listening = await listen({
    ...{ tools, http: config.http, token, log: mcpLog },
    limits: { ...STREAMABLE_LIMITS, ...options.streamable },
  });
  const { close } = listening;
  const url = reachable(listening.url);
  onTestFinished(close);
  return { url, close, log, host: (hostOptions) => connectTo(url, hostOptions) };
}

/** The packaged server in a process of its own. */
export async function spawnHttpTools(environment: Record<string, string>) {
  const env = { ...childEnvironment, SVC_MCP_HTTP_PORT: '0', ...environment };
  const child = spawn(process.execPath, ['dist/stellar-facilitator-mcp.js', '--http'], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (output.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (output.stderr += text.toString()));
  const exit = new Promise<number | null>((done) => child.on('close', done));
  const started = (): string | undefined => /"url":"([^"]+)"/.exec(output.stderr)?.[1];
  await Promise.race([exit, expect.poll(started).toBeDefined()]);
  const url = reachable(started() ?? '');
  return { child, output, exit, url, host: (options?: HostOptions) => connectTo(url, options) };
}

export async function connectTo(url: string, { person, token }: HostOptions = {}): Promise<HttpHost> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  let cut = new AbortController();
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch(asked, { signal, ...init } = {}) {
      const signals = [signal, init.method === 'POST' && cut.signal].filter(
        (one) => one instanceof AbortSignal,
      );
      return fetch(asked, { ...init, signal: AbortSignal.any(signals) });
    },
  });
  const client = hostOf(person);
  await client.connect(transport);
  return {
    ...(await agentOf(client, [], () => client.close())),
    end: () => transport.terminateSession(),
    hangUp() {
      cut.abort();
      cut = new AbortController();
    },
  };
}

const reachable = (url: string): string => url.replace('0.0.0.0', '127.0.0.1');

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** One request as it stands: fetch would not send every `Host`. */
export async function ask(
  url: string,
  { method = 'POST', headers = {}, body }: { method?: string; headers?: object; body?: string | object } = {},
): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const request = httpRequest(url, { method, headers: { ...accept, ...headers } }, (response) => {
    let text = '';
    response.on('data', (chunk: Buffer) => (text += chunk.toString()));
    response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    response.on('error', reject);
  });
  request.on('error', reject);
  request.end(typeof body === 'object' ? JSON.stringify(body) : body);
  return promise;
}

/** Ways to send a message: the version of HTTP, and what becomes of the connection. */
export const WAYS = [
  ['1.1', 'keep-alive'],
  ['1.1', 'close'],
  ['1.0', 'keep-alive'],
  ['1.0', 'close'],
] as const;

/** Sends a message on a connection of its own, which stays open after the server has ended it. */
export async function post(
  url: string,
  headers: object,
  message: object,
  [version, connection]: readonly [string, string] = WAYS[0],
): Promise<Socket> {
  const { hostname, port, pathname, host } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const body = JSON.stringify(message);
  const sent = {
    ...{ host, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    ...{ 'content-length': body.length, connection, ...headers },
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${pathname} HTTP/${version}\r\n${lines.join('')}\r\n${body}`);
  return socket;
}

export const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  },
};

/** Opens a session, and returns the headers of its further requests. */
export async function begin(url: string): Promise<{ 'mcp-session-id': string }> {
  const { status, headers } = await ask(url, { body: INITIALIZE });
  expect(status).toBe(200);
  return { 'mcp-session-id': String(headers['mcp-session-id']) };
}
