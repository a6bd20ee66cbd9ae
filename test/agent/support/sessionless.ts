/** Hosts that speak the revision 2026-07-28: on the stock client, or in requests as they stand. */
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished } from 'vitest';
import { childEnvironment } from '../../support/childEnvironment.ts';
import type { CallOptions, Person, ToolAnswer } from './agent.ts';
import { ask, type RawAnswer } from './httpTools.ts';

export const REVISION = '2026-07-28';

export interface SessionlessHost {
  client: Client;
  search(query: string): Promise<ToolAnswer>;
  pay(args: Record<string, unknown>, options?: CallOptions): Promise<ToolAnswer>;
  /** Cuts the connections of the requests that are open, without a word. */
  hangUp(): void;
}

export interface SessionlessOptions {
  person?: Person;
  token?: string;
  /** `auto` asks the server which revisions it speaks. */
  mode?: 'auto' | 'legacy' | { pin: string };
}

/** Connects the stock client over HTTP, until the test ends. */
export function connectSessionless(url: string, options: SessionlessOptions = {}): Promise<SessionlessHost> {
  const { token } = options;
  let cut = new AbortController();
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
    fetch(asked, { signal, ...init } = {}) {
      const signals = [signal, cut.signal].filter((one) => one instanceof AbortSignal);
      return fetch(asked, { ...init, signal: AbortSignal.any(signals) });
    },
  });
  const hangUp = (): void => {
    cut.abort();
    cut = new AbortController();
  };
  return connect(transport, options, hangUp);
}

/** Connects the stock client to the packaged server in a process of its own, until the test ends. */
export function spawnSessionless(
  environment: Record<string, string>,
  options: SessionlessOptions = {},
): Promise<SessionlessHost> {
  const env = { ...childEnvironment, ...environment };
  const args = ['dist/stellar-facilitator-mcp.js'];
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' });
  return connect(transport, options, () => {});
}

async function connect(
  transport: Transport,
  { person, mode = 'auto' }: SessionlessOptions,
  hangUp: () => void,
): Promise<SessionlessHost> {
  const client = new Client(
    { name: 'test-host', version: '1' },
    { capabilities: person ? { elicitation: {} } : {}, versionNegotiation: { mode } },
  );
  if (person)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const { action, content } = await person(params.message);
      return { action, ...(content && { content }) };
    });
  await client.connect(transport);
  onTestFinished(() => client.close());
  // From here on the client holds results to the tools' output schemas.
  await client.listTools();
  const call = async (name: string, args: Record<string, unknown>, options: CallOptions = {}) => {
    const result = await client.callTool({ name, arguments: args }, options);
    const [text, ...blocks] = result.content;
    expect(JSON.parse((text as { text: string }).text)).toEqual(result.structuredContent);
    return {
      isError: result.isError === true,
      structured: result.structuredContent,
      blocks: blocks as ToolAnswer['blocks'],
    };
  };
  return {
    client,
    hangUp,
    search: (query) => call('search_resources', { query }),
    pay: (args, options) => call('paid_call', args, options),
  };
}

export interface RawOptions {
  capabilities?: object;
  headers?: object;
  id?: number;
  [param: string]: unknown;
}

/** The message and the headers of a request. */
export function requestOf(
  method: string,
  { capabilities = {}, headers = {}, id = 1, ...params }: RawOptions = {},
) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const named = typeof params['name'] === 'string' && { 'mcp-name': params['name'] };
  return {
    headers: { 'mcp-protocol-version': REVISION, 'mcp-method': method, ...named, ...headers },
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta } },
  };
}

/** Sends one request, and reads the answer as the JSON that it is. */
export async function askSessionless(
  url: string,
  method: string,
  options?: RawOptions,
): Promise<RawAnswer & { json: any }> {
  const answer = await ask(url, requestOf(method, options));
  return { ...answer, json: answer.text === '' ? undefined : JSON.parse(answer.text) };
}

/** Calls paid_call, as a host that can show forms unless told. Returns its result. */
export async function payRaw(url: string, args: object, options: RawOptions = {}): Promise<any> {
  const call = { name: 'paid_call', arguments: args, capabilities: { elicitation: {} }, ...options };
  const { status, json } = await askSessionless(url, 'tools/call', call);
  expect(status).toBe(200);
  return json.result;
}
