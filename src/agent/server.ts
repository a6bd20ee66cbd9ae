import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { createArgumentChecks } from './arguments.ts';
import { Failure } from './codes.ts';
import type { McpConfig } from './config.ts';
import type { JsonObject } from './json.ts';
import { AGENT_LIMITS } from './limits.ts';
import type { AgentLimits } from './limits.ts';
import type { Log } from '../log/log.ts';
import type { CallResult } from './callResult.ts';
import { createParts } from './parts.ts';
import { describeTools, INSTRUCTIONS } from './tools/index.ts';
import { SELF } from './version.ts';
import { quoted, wellFormed } from './words.ts';
import type { AuthorizationSigner } from './wallet/index.ts';

export interface McpServerOptions {
  config: McpConfig;
  /** Signs for the address that pays; undefined for a server that only searches and makes free calls. */
  signer: AuthorizationSigner | undefined;
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

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Serves the tools over the protocol. Failures are results with `isError`, never protocol errors. */
export function createMcpServer(options: McpServerOptions): McpServer {
  const { config, signer, log, limits = AGENT_LIMITS } = options;
  const parts = createParts({ config, signer, log, limits });
  const tools = describeTools(config, { isSearchOnly: signer === undefined, limits });
  const checks = createArgumentChecks(tools);
  const calls = new Set<Promise<unknown>>();
  let isClosing = false;

  async function call(name: string, given: unknown, extra: Extra): Promise<CallResult | Failure> {
    const check = checks.get(name);
    if (check === undefined)
      return new Failure('svc_mcp_invalid_arguments', `There is no tool ${quoted(name)}.`);
    if (isClosing || calls.size >= limits.maxCallsAtOnce)
      return new Failure(
        'svc_mcp_internal_error',
        `${isClosing ? 'The server is closing' : 'Too many calls at once'}. Nothing was paid.`,
      );
    const problem = check(given);
    if (problem !== undefined) return problem;
    const working = parts.run(name, given, extra.signal);
    calls.add(working);
    const progress = tellProgress(extra, limits);
    try {
      return await working;
    } catch (error) {
      log.error({ err: error, tool: name }, 'a call failed');
      return new Failure('svc_mcp_internal_error', 'The tool server failed. Nothing was paid.');
    } finally {
      clearInterval(progress);
      calls.delete(working);
    }
  }

  const server = new Server(SELF, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) =>
    toolResult(await call(params.name, params.arguments ?? {}, extra)),
  );
  server.onerror = (error) => log.warn({ err: error }, 'the protocol was broken');

  const { promise: disconnected, resolve: onDisconnect } = Promise.withResolvers<void>();
  server.onclose = onDisconnect;

  return {
    disconnected,
    connect: (transport) => server.connect(transport),
    async close() {
      isClosing = true;
      parts.stopPaying();
      const ended = Promise.allSettled([...calls]).then(() => parts.idle());
      await Promise.race([ended, sleep(limits.drainMs, undefined, { ref: false })]);
      // The last answers are written a moment after their calls finish.
      await setImmediate();
      await parts.close();
      await server.close();
    },
  };
}

/** Sends progress, since some hosts stop waiting without it. */
function tellProgress({ _meta, sendNotification }: Extra, { progressEveryMs }: AgentLimits): NodeJS.Timeout {
  let progress = 0;
  return setInterval(() => {
    const progressToken = _meta?.progressToken;
    if (progressToken === undefined) return;
    progress += 1;
    const params = { progressToken, progress, message: 'Waiting for the target and the ledger.' };
    void sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  }, progressEveryMs);
}

/** Returns structured content, and the same as text for hosts that show only text. */
function toolResult(result: CallResult | Failure): CallToolResult {
  if (result instanceof Failure) {
    const structured = { errorCode: result.code, reason: result.message };
    return toolResult({ structured, blocks: [], isError: true });
  }
  const { blocks, isError } = result;
  const structured = wellFormed(result.structured) as JsonObject;
  return {
    content: [asText(structured), ...blocks],
    structuredContent: structured,
    ...(isError && { isError }),
  };
}

function asText(value: object): { type: 'text'; text: string } {
  return { type: 'text', text: JSON.stringify(value) };
}
