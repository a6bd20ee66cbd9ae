import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { askThrough } from './askPerson.ts';
import type { Log } from '../log/log.ts';
import { createCalls } from './calls.ts';
import type { McpConfig } from './config.ts';
import { DELIVERED_AT_ONCE, type Delivery } from './delivery.ts';
import { AGENT_LIMITS, type AgentLimits } from './limits.ts';
import { createParts } from './parts.ts';
import { progressTo } from './progress.ts';
import { createQuestions } from './sessionless/questions.ts';
import type { Sessionless } from './sessionless/server.ts';
import { toolResult } from './toolResult.ts';
import { describeTools, instructionsFor } from './tools/index.ts';
import { SELF } from './version.ts';
import type { AuthorizationSigner } from './wallet/index.ts';

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
  /** Serves the revision without sessions, whose requests share one budget. Loaded when its first host comes. */
  sessionless(): Promise<Sessionless>;
  /** Takes no more calls, gives the current ones and their payments a limited time to finish, and closes all sessions. */
  close(): Promise<void>;
}

export interface SessionOptions {
  /** Says how a call's result gets to the host. Without it, a result counts as delivered once it is there. */
  deliveryOf?: (requestId: RequestId) => Delivery;
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
  const instructions = instructionsFor(offersCalls);
  const servers = new Set<Server>();
  let sessionless: Promise<Sessionless> | undefined;

  function openSession({ deliveryOf = () => DELIVERED_AT_ONCE }: SessionOptions = {}): Session {
    const server = new Server(SELF, { capabilities: { tools: {} }, instructions, jsonSchemaValidator });
    const session = parts.openSession();
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
      const { requestId, signal, _meta, sendNotification } = extra;
      const askPerson = askThrough(server, requestId);
      const tellProgress = progressTo(_meta?.progressToken, sendNotification);
      const host = { signal, askPerson, delivery: deliveryOf(requestId), tellProgress };
      return toolResult(await calls.run(session, { tool: params.name, given: params.arguments ?? {} }, host));
    });
    server.onerror = (error) => log.warn({ err: error }, 'the protocol was broken');
    const { promise: disconnected, resolve } = Promise.withResolvers<void>();
    server.onclose = () => {
      servers.delete(server);
      session.end();
      resolve();
    };
    servers.add(server);
    return { disconnected, connect: (transport) => server.connect(transport), close: () => server.close() };
  }

  async function loadSessionless(): Promise<Sessionless> {
    const { createSessionless } = await import('./sessionless/server.ts');
    const questions = createQuestions({ now: () => Math.floor(performance.now()), limits });
    const session = parts.openSession({ maxKnownListings: limits.maxKnownListingsOfAll });
    return createSessionless({ tools, instructions, jsonSchemaValidator, calls, session, questions, log });
  }

  return {
    openSession,
    sessionless() {
      sessionless ??= loadSessionless().catch((error: unknown) => {
        // The next host tries again.
        sessionless = undefined;
        throw error;
      });
      return sessionless;
    },
    async close() {
      parts.stopPaying();
      const ended = calls.drain().then(() => parts.idle());
      await Promise.race([ended, sleep(limits.drainMs, undefined, { ref: false })]);
      // The last answers are written a moment after their calls finish.
      await setImmediate();
      await parts.close();
      const loaded = await sessionless?.catch(() => undefined);
      await Promise.all([...servers, loaded].map(async (server) => server?.close()));
    },
  };
}
