import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { askThrough } from './askPerson.ts';
import type { Log } from '../log/log.ts';
import type { CallResult } from './callResult.ts';
import { createCalls, type CallingSession } from './calls.ts';
import { Failure } from './codes.ts';
import type { McpConfig } from './config.ts';
import type { JsonObject } from './json.ts';
import { AGENT_LIMITS, type AgentLimits } from './limits.ts';
import { createParts } from './parts.ts';
import { describeTools, instructionsFor } from './tools/index.ts';
import { SELF } from './version.ts';
import type { AuthorizationSigner } from './wallet/index.ts';
import { wellFormed } from './words.ts';

export interface ToolServerOptions {
  config: McpConfig;
  /** Signs for the address that pays; undefined for a server that only searches and makes free calls. */
  signer: AuthorizationSigner | undefined;
  /** Is sent to the facilitator, and to nobody else. */
  facilitatorKey?: string | undefined;
  log: Log;
  limits?: AgentLimits;
  /** False for a server that only searches. */
  offersCalls?: boolean;
}

/** Serves the tools over the protocol to any number of sessions, which share the wallet, the line of calls and the days' budgets. */
export interface ToolServer {
  openSession(options?: SessionOptions): Session;
  /** Takes no more calls, gives the current ones and their payments a limited time to finish, and closes all sessions. */
  close(): Promise<void>;
}

export interface SessionOptions {
  /** Says how a call's result gets to the host. Without it, a result counts as delivered once it is there. */
  deliveryOf?: CallingSession['deliveryOf'];
}

/** A host's connection to the tools, with a budget of its own. */
export interface Session {
  connect(transport: Transport): Promise<void>;
  /** Resolves when the connection to the host has been closed, by either side. */
  readonly disconnected: Promise<void>;
  /** Gives up its calls, and leaves its payments to be followed to their outcome. */
  close(): Promise<void>;
}

/** Failures are results with `isError`, never protocol errors. Throws UnusableFile. */
export function createToolServer(options: ToolServerOptions): ToolServer {
  const { config, signer, facilitatorKey, log, limits = AGENT_LIMITS, offersCalls = true } = options;
  const parts = createParts({ config, signer, facilitatorKey, log, limits });
  const tools = describeTools(config, { offersCalls, hasWallet: signer !== undefined, limits });
  const calls = createCalls({ tools, limits, log });
  // Shared, since each takes hundreds of kB.
  const jsonSchemaValidator = new AjvJsonSchemaValidator();
  const servers = new Set<Server>();

  function openSession({ deliveryOf = deliveredAtOnce }: SessionOptions = {}): Session {
    const instructions = instructionsFor(offersCalls);
    const server = new Server(SELF, { capabilities: { tools: {} }, instructions, jsonSchemaValidator });
    const session: CallingSession & { parts: { end(): void } } = {
      parts: parts.openSession(),
      askPersonOf: (extra) => askThrough(server, extra),
      deliveryOf,
    };
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) =>
      toolResult(await calls.run(session, { tool: params.name, given: params.arguments ?? {} }, extra)),
    );
    server.onerror = (error) => log.warn({ err: error }, 'the protocol was broken');
    const { promise: disconnected, resolve } = Promise.withResolvers<void>();
    server.onclose = () => {
      servers.delete(server);
      session.parts.end();
      resolve();
    };
    servers.add(server);
    return { disconnected, connect: (transport) => server.connect(transport), close: () => server.close() };
  }

  return {
    openSession,
    async close() {
      parts.stopPaying();
      const ended = calls.drain().then(() => parts.idle());
      await Promise.race([ended, sleep(limits.drainMs, undefined, { ref: false })]);
      // The last answers are written a moment after their calls finish.
      await setImmediate();
      await parts.close();
      await Promise.all([...servers].map((server) => server.close()));
    },
  };
}

const deliveredAtOnce: CallingSession['deliveryOf'] = () => ({
  hungUp: NEVER,
  ended: Promise.resolve(),
});

const NEVER = new AbortController().signal;

/** Returns structured content, and the same as text for hosts that show only text. */
function toolResult(result: CallResult | Failure): CallToolResult {
  if (result instanceof Failure) {
    const structured = { errorCode: result.code, reason: result.message };
    return toolResult({ structured, blocks: [], isError: true });
  }
  const { blocks, isError } = result;
  const structured = wellFormed(result.structured) as JsonObject;
  const text = { type: 'text', text: JSON.stringify(structured) } as const;
  return { content: [text, ...blocks], structuredContent: structured, ...(isError && { isError }) };
}
