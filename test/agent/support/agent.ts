/** An agent's host: the SDK's own client, connected to the tool server in this process or over stdio. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  ElicitRequestSchema,
  type ContentBlock,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished } from 'vitest';
import { toMcpConfig, type McpEnvironment } from '../../../src/agent/config.ts';
import type { AgentLimits } from '../../../src/agent/limits.ts';
import { createMcpLog } from '../../../src/agent/log.ts';
import { createToolServer } from '../../../src/agent/server.ts';
import { signerFromSecret, type AuthorizationSigner } from '../../../src/agent/wallet/index.ts';
import { childEnvironment } from '../../support/childEnvironment.ts';

/** What a tool answered; that its text says the same as its structure is checked already. */
export interface ToolAnswer {
  isError: boolean;
  structured: any;
  /** Beside the text. */
  blocks: ContentBlock[];
}

export interface CallOptions {
  signal?: AbortSignal;
  timeout?: number;
  onprogress?: (progress: { progress: number }) => void;
}

export interface Agent {
  client: Client;
  search(query: string, filters?: object): Promise<ToolAnswer>;
  pay(args: object, options?: CallOptions): Promise<ToolAnswer>;
  call(tool: string, args: object, options?: CallOptions): Promise<ToolAnswer>;
  /** What the server wrote for whoever runs it: JSON lines. */
  log: Record<string, unknown>[];
  close(): Promise<void>;
}

/** Answers the questions of the tool server. */
export type Person = (question: string) => ElicitResult | Promise<ElicitResult>;

/** The answers of persons who do not approve, each with what they do. */
export const DECLINING: [string, ElicitResult][] = [
  ['declines', { action: 'decline' }],
  ['cancels', { action: 'cancel' }],
  ['accepts without approving', { action: 'accept', content: { approve: false } }],
];

/** A host, which asks its person if it has one. */
export function hostOf(person: Person | undefined): Client {
  const client = new Client(
    { name: 'test-host', version: '1' },
    { capabilities: person ? { elicitation: {} } : {} },
  );
  if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message));
  return client;
}

/** In this process, until the test ends. */
export async function openAgent(
  environment: McpEnvironment,
  options: { signer?: AuthorizationSigner; limits?: AgentLimits; person?: Person } = {},
): Promise<Agent> {
  const configured = toMcpConfig(environment);
  if ('problems' in configured) throw new Error(JSON.stringify(configured.problems));
  const { config, secret, facilitatorKey } = configured;
  const log: Record<string, unknown>[] = [];
  const signer = options.signer ?? (secret === undefined ? undefined : signerFromSecret(secret));
  const server = createToolServer({
    ...(options.limits && { limits: options.limits }),
    config,
    signer,
    facilitatorKey,
    log: createMcpLog(
      secret === undefined ? [] : [secret],
      (line) => void log.push(JSON.parse(line) as never),
    ),
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.openSession().connect(there);
  const client = hostOf(options.person);
  await client.connect(here);
  return agentOf(client, log, async () => {
    await server.close();
    await client.close();
  });
}

/** A host's tool server in a process of its own. */
export type SpawnedAgent = Agent & { stderr(): string; pid: number | null };

/** The packaged server in a process of its own. */
export function spawnAgent(environment: McpEnvironment, person?: Person): Promise<SpawnedAgent> {
  const [command, args] = [process.execPath, ['dist/stellar-facilitator-mcp.js']];
  return spawnHosted({ command, args, env: { ...childEnvironment, ...environment } }, person);
}

/** The server that a host's settings start. */
export async function spawnHosted(
  started: { command: string; args: string[]; env: Record<string, string>; cwd?: string },
  person?: Person,
): Promise<SpawnedAgent> {
  const transport = new StdioClientTransport({ ...started, stderr: 'pipe' });
  let stderr = '';
  transport.stderr?.on('data', (text: Buffer) => (stderr += text.toString()));
  const client = hostOf(person);
  await client.connect(transport);
  const agent = await agentOf(client, [], () => client.close());
  return { ...agent, stderr: () => stderr, pid: transport.pid };
}

/** What tests do through a connected host. It is closed when the test ends. */
export async function agentOf(
  client: Client,
  log: Record<string, unknown>[],
  close: () => Promise<void>,
): Promise<Agent> {
  onTestFinished(close);
  // From here on the client holds results to the tools' output schemas.
  await client.listTools();
  const call: Agent['call'] = async (name, args, options = {}) => {
    const { content, structuredContent, isError } = await client.callTool(
      { name, arguments: args as Record<string, unknown> },
      undefined,
      options,
    );
    const [text, ...blocks] = content as ContentBlock[];
    expect(text?.type).toBe('text');
    expect(JSON.parse((text as { text: string }).text)).toEqual(structuredContent);
    return { isError: isError === true, structured: structuredContent, blocks };
  };
  return {
    client,
    log,
    close,
    call,
    search: (query, filters) => call('search_resources', { query, ...(filters && { filters }) }),
    pay: (args, options) => call('paid_call', args, options),
  };
}
