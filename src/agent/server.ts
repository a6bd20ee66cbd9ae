import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { askThrough } from './askPerson.ts';
import type { Log } from '../log/log.ts';
import type { CallResult } from './callResult.ts';
import { createCalls, type CallExtra } from './calls.ts';
import { Failure } from './codes.ts';
import type { McpConfig } from './config.ts';
import type { JsonObject } from './json.ts';
import { AGENT_LIMITS, type AgentLimits } from './limits.ts';
import { createParts } from './parts.ts';
import type { AskPerson } from './payment/approval.ts';
import { describeTools, INSTRUCTIONS } from './tools/index.ts';
import { SELF } from './version.ts';
import type { AuthorizationSigner } from './wallet/index.ts';
import { wellFormed } from './words.ts';

export interface McpServerOptions {
  config: McpConfig;
  /** Signs for the address that pays; undefined for a server that only searches and makes free calls. */
  signer: AuthorizationSigner | undefined;
  /** Is sent to the facilitator, and to nobody else. */
  facilitatorKey?: string | undefined;
  log: Log;
  limits?: AgentLimits;
}

export interface McpServer {
  connect(transport: Transport): Promise<void>;
  /** Resolves when the connection to the host has been closed, by either side. */
  readonly disconnected: Promise<void>;
  /** Takes no more calls, gives the current ones and their payments a limited time to finish, and closes. */
  close(): Promise<void>;
}

/** Serves the tools over the protocol. Failures are results with `isError`, never protocol errors. */
export function createMcpServer(options: McpServerOptions): McpServer {
  const { config, signer, facilitatorKey, log, limits = AGENT_LIMITS } = options;
  const parts = createParts({ config, signer, facilitatorKey, log, limits });
  const tools = describeTools(config, { isSearchOnly: signer === undefined, limits });
  const server = new Server(SELF, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  const askPersonOf = (extra: CallExtra): AskPerson => askThrough(server, extra);
  const calls = createCalls({ tools, parts, askPersonOf, limits, log });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) =>
    toolResult(await calls.run(params.name, params.arguments ?? {}, extra)),
  );
  server.onerror = (error) => log.warn({ err: error }, 'the protocol was broken');

  const { promise: disconnected, resolve: onDisconnect } = Promise.withResolvers<void>();
  server.onclose = onDisconnect;

  return {
    disconnected,
    connect: (transport) => server.connect(transport),
    async close() {
      parts.stopPaying();
      const ended = calls.drain().then(() => parts.idle());
      await Promise.race([ended, sleep(limits.drainMs, undefined, { ref: false })]);
      // The last answers are written a moment after their calls finish.
      await setImmediate();
      await parts.close();
      await server.close();
    },
  };
}

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
