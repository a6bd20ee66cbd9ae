import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import {
  createMcpHandler,
  Server,
  type ListToolsResult,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import { serveStdio, type StdioServerHandle } from '@modelcontextprotocol/server/stdio';
import type { Log } from '../../log/log.ts';
import type { CallingSession, Calls } from '../calls.ts';
import { DELIVERED_AT_ONCE, type Delivery } from '../delivery.ts';
import type { JsonObject } from '../json.ts';
import { progressTo } from '../progress.ts';
import type { Session } from '../server.ts';
import { toolResult } from '../toolResult.ts';
import { SELF } from '../version.ts';
import { createAsking } from './askPerson.ts';
import type { Questions } from './questions.ts';

/** Serves the tools by the revision 2026-07-28, in which each request stands alone. */
export interface Sessionless {
  /** Answers a request over HTTP; `message` is its body. */
  answer(request: Request, message: JsonObject, delivery: Delivery): Promise<Response>;
  /** Serves the host on stdio. The session serves it if, after a look, it speaks an older revision. */
  serveStdio(transport: Transport, session: Session): void;
  close(): Promise<void>;
}

export interface SessionlessDeps {
  tools: readonly Tool[];
  instructions: string;
  jsonSchemaValidator: NonNullable<ServerOptions['jsonSchemaValidator']>;
  calls: Calls;
  /** The one session that all requests share, with its budget. */
  session: CallingSession;
  questions: Questions;
  log: Log;
}

export function createSessionless(deps: SessionlessDeps): Sessionless {
  const deliveries = new WeakMap<Request, Delivery>();
  const onerror = (error: Error): void => deps.log.warn({ err: error }, 'the protocol was broken');
  const http = createMcpHandler(
    ({ requestInfo }) => openServer(deps, requestInfo && deliveries.get(requestInfo)),
    { legacy: 'reject', onerror },
  );
  const hosts = new Set<StdioServerHandle>();
  return {
    answer(request, message, delivery) {
      deliveries.set(request, delivery);
      return http.fetch(request, { parsedBody: message });
    },
    serveStdio(transport, session) {
      // The package calls only connect and close of a server for older revisions.
      const older = session as unknown as Server;
      const open = ({ era }: { era: string }): Server => (era === 'modern' ? openServer(deps) : older);
      hosts.add(serveStdio(open, { transport, onerror }));
    },
    async close() {
      await Promise.all([http, ...hosts].map((one) => one.close()));
    },
  };
}

/** Opens a server for one request over HTTP, or for the host on stdio. */
function openServer(
  { tools, instructions, jsonSchemaValidator, calls, session, questions, log }: SessionlessDeps,
  overHttp?: Delivery,
): Server {
  const server = new Server(SELF, { capabilities: { tools: {} }, instructions, jsonSchemaValidator });
  // The older package types schemas as objects, this one as JSON.
  server.setRequestHandler('tools/list', () => ({ tools: tools as ListToolsResult['tools'] }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { _meta, notify } = context.mcpReq;
    const { askPerson, asked } = createAsking(questions, context);
    // Over HTTP, a host cancels by hanging up. The package's own signal is also aborted once a response has left.
    const signal = overHttp ? overHttp.hungUp : context.mcpReq.signal;
    const delivery = overHttp ?? DELIVERED_AT_ONCE;
    const host = { signal, askPerson, delivery, tellProgress: progressTo(_meta?.progressToken, notify) };
    const call = { tool: params.name, given: params.arguments ?? {} };
    const result = await calls.run(session, call, host);
    return asked() ?? toolResult(result);
  });
  server.onerror = (error) => log.warn({ err: error }, 'the protocol was broken');
  return server;
}
