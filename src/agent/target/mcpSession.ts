/** Runs a session with another MCP server, bounded in time and size. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ResultSchema, type Result } from '@modelcontextprotocol/sdk/types.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Reach } from '../../net/reach.ts';
import type { TargetFetch } from '../http/fetch.ts';
import type { AgentLimits } from '../limits.ts';
import { SELF } from '../version.ts';

export type TransportKind = 'streamable-http' | 'sse';

export interface McpSession {
  /** Calls a tool. Throws what the SDK throws, or the signal's reason once it is aborted. */
  callTool(params: ToolCall, signal: AbortSignal): Promise<Result>;
  close(): Promise<void>;
}

export interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
  _meta?: Record<string, unknown>;
}

export interface SessionDeps {
  fetch: TargetFetch;
  url: URL;
  reach: Reach;
  limits: AgentLimits;
}

/**
 * Connects by the transport that the listing names. If that is streamable HTTP and the server does not know it,
 * connects by SSE, as the SDK recommends. Throws what the SDK throws, or the signal's reason.
 */
export async function openSession(
  deps: SessionDeps,
  kind: TransportKind,
  signal: AbortSignal,
): Promise<McpSession> {
  try {
    return await connect(deps, kind, signal);
  } catch (error) {
    if (kind === 'sse' || !isUnknownTransport(error)) throw error;
    return connect(deps, 'sse', signal);
  }
}

function isUnknownTransport(error: unknown): boolean {
  return error instanceof StreamableHTTPError && [400, 404, 405, 406, 415].includes(error.code ?? 0);
}

async function connect(deps: SessionDeps, kind: TransportKind, signal: AbortSignal): Promise<McpSession> {
  const closing = new AbortController();
  /** Belongs to the request that waits for an answer, and is aborted when no answer can come any more. */
  let waiting = new AbortController();
  const fetch = boundedFetch(deps, kind, closing.signal, () => waiting);
  const options = { fetch };
  const transport =
    kind === 'sse'
      ? new SSEClientTransport(deps.url, options)
      : new StreamableHTTPClientTransport(deps.url, { ...options, reconnectionOptions: NO_RECONNECTION });
  const client = new Client(SELF, { capabilities: {} });
  const close = async (): Promise<void> => {
    if (transport instanceof StreamableHTTPClientTransport) await endSession(transport, deps.limits);
    closing.abort(new Error('closed'));
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
  };
  const request = async <T>(ask: (options: RequestOptions) => Promise<T>, until: AbortSignal): Promise<T> => {
    waiting = new AbortController();
    const ended = AbortSignal.any([until, waiting.signal]);
    const { promise: noAnswer, reject } = Promise.withResolvers<never>();
    ended.addEventListener('abort', () => reject(ended.reason as Error));
    // The SDK's own timeout must not fire first.
    return Promise.race([ask({ signal: ended, timeout: deps.limits.paidTimeoutMs * 2 }), noAnswer]);
  };
  try {
    // The transport's type is stricter about absent fields than the SDK's own transports.
    await request((options) => client.connect(transport as Transport, options), signal);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    callTool: (params, until) =>
      request((options) => client.request({ method: 'tools/call', params }, ResultSchema, options), until),
    close,
  };
}

/** Tells the server that the session is over. Servers keep the state of a session until then. */
async function endSession(
  transport: StreamableHTTPClientTransport,
  { goodbyeMs }: AgentLimits,
): Promise<void> {
  const told = transport.terminateSession().catch(() => {});
  await Promise.race([told, sleep(goodbyeMs, undefined, { ref: false })]);
}

/** A stream that ended is not resumed: an answer that it did not bring within the grace time never comes. */
const NO_RECONNECTION = {
  maxRetries: 0,
  initialReconnectionDelay: 1,
  maxReconnectionDelay: 1,
  reconnectionDelayGrowFactor: 1,
};

/**
 * Returns `fetch` for the SDK's transports. It limits the requests and the bytes of the session, and notices the end of
 * a stream that should bring an answer. The SDK would keep waiting.
 */
function boundedFetch(
  { fetch, reach, limits }: SessionDeps,
  kind: TransportKind,
  closing: AbortSignal,
  waiting: () => AbortController,
): FetchLike {
  let sessionBytes = 0;
  let requests = 0;

  async function* counted(body: AsyncIterable<Uint8Array>, onEnd: () => void): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) {
        sessionBytes += chunk.length;
        if (sessionBytes > limits.maxSessionBytes) {
          const fault = new Error(`the server sent more than ${limits.maxSessionBytes} bytes`);
          waiting().abort(fault);
          throw fault;
        }
        yield chunk;
      }
    } finally {
      onEnd();
    }
  }

  return async (target, init = {}) => {
    requests += 1;
    if (requests > limits.maxSessionRequests) {
      const fault = new Error(`the server asks for more than ${limits.maxSessionRequests} requests`);
      waiting().abort(fault);
      throw fault;
    }
    const signal = init.signal ? AbortSignal.any([closing, init.signal]) : closing;
    const response = await fetch(new URL(target), { ...(init as object), signal, reach });
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const isPost = init.method === 'POST';
    const mayAnswer = kind === 'sse' ? !isPost : isPost && status === 200;
    const asked = waiting();
    const onEnd = (): void => {
      if (!mayAnswer) return;
      const lost = (): void => (kind === 'sse' ? waiting() : asked).abort(new Error(NO_ANSWER));
      setTimeout(lost, limits.streamGraceMs).unref();
    };
    const stream = ReadableStream.from(counted(body as AsyncIterable<Uint8Array>, onEnd));
    return new Response(stream, { status, statusText, headers: [...headers] });
  };
}

const NO_ANSWER = 'the connection was closed without an answer';
