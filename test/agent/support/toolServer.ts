/** An MCP server with one paid tool, over streamable HTTP or SSE, on the SDK's server. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import type { PaymentRequirements, SettleResponse } from '../../../src/contract/index.ts';
import type { AgentStage } from './stage.ts';

export const TOOL = 'forecast';
export const PAYMENT = 'x402/payment';
export const RECEIPT = 'x402/payment-response';

/** One call of the tool, and the ways to answer it. */
export interface ToolVisit {
  name: string;
  input: Record<string, unknown>;
  /** The payment that came with it. */
  payment: any;
  /** The result that asks to be paid, with the terms in both places unless told. */
  askToPay(changes?: { required?: object; asText?: boolean }): object;
  settle(): Promise<SettleResponse>;
  deliver(value?: unknown, receipt?: unknown): object;
  /** Ends the connection that the call came in by. */
  cut(): void;
}

export type ToolBehaviour = (visit: ToolVisit) => object | Promise<object>;

export interface ToolServer {
  url: string;
  visits: ToolVisit[];
  /** Sessions that were opened, and those that are open still. */
  sessions: { opened: number; open: number };
}

export interface ToolServerOptions {
  transport?: 'streamable-http' | 'sse';
  /** Streamable HTTP: answers as JSON instead of a stream. */
  asJson?: boolean;
  terms?: Partial<PaymentRequirements>;
}

export async function openToolServer(
  stage: AgentStage,
  behaviour: ToolBehaviour = sellToolHonestly,
  { transport = 'streamable-http', asJson = false, terms = {} }: ToolServerOptions = {},
): Promise<ToolServer> {
  const visits: ToolVisit[] = [];
  const sessions = { opened: 0, open: 0 };
  const path = transport === 'sse' ? '/sse' : '/mcp';
  let origin = '';

  function mcpServer(cut: () => void): Server {
    const server = new Server({ name: 'seller', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [{ name: TOOL, inputSchema: { type: 'object' as const } }],
    }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      const { name, arguments: input = {}, _meta } = params;
      const payment = (_meta as Record<string, any> | undefined)?.[PAYMENT];
      const accepts = [stage.terms(terms)];
      const visit: ToolVisit = {
        name,
        input,
        payment,
        askToPay({ required = {}, asText = false } = {}) {
          const asked = { x402Version: 2, resource: { url: origin + path }, accepts, ...required };
          const content = [{ type: 'text', text: JSON.stringify(asked) }];
          return { isError: true, content, ...(!asText && { structuredContent: asked }) };
        },
        settle: () =>
          stage.facilitator.settle({
            x402Version: 2,
            paymentPayload: payment,
            paymentRequirements: payment.accepted,
          }),
        deliver: (value = { weather: 'sunny' }, receipt) => ({
          content: [{ type: 'text', text: JSON.stringify(value) }],
          ...(receipt !== undefined && { _meta: { [RECEIPT]: receipt } }),
        }),
        cut,
      };
      visits.push(visit);
      return await behaviour(visit);
    });
    return server;
  }

  const http = createServer(transport === 'sse' ? sseHandler() : streamableHandler());

  function streamableHandler(): RequestListener {
    const transports = new Map<string, StreamableHTTPServerTransport>();
    return async (request, response) => {
      const known = transports.get(String(request.headers['mcp-session-id']));
      if (known) return known.handleRequest(request, response);
      const opened = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => `session-${++sessions.opened}`,
        enableJsonResponse: asJson,
        onsessioninitialized: (id) => {
          transports.set(id, opened);
          sessions.open += 1;
        },
        onsessionclosed: () => void (sessions.open -= 1),
      });
      // The SDK's own transport does not fit its own type under exactOptionalPropertyTypes.
      await mcpServer(() => http.closeAllConnections()).connect(opened);
      await opened.handleRequest(request, response);
    };
  }

  function sseHandler(): RequestListener {
    const transports = new Map<string, SSEServerTransport>();
    return async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://seller');
      if (request.method === 'POST' && pathname === path) return void response.writeHead(405).end();
      if (request.method === 'POST')
        return transports.get(searchParams.get('sessionId') ?? '')?.handlePostMessage(request, response);
      const opened = new SSEServerTransport('/messages', response);
      transports.set(opened.sessionId, opened);
      sessions.opened += 1;
      sessions.open += 1;
      response.on('close', () => (sessions.open -= 1));
      await mcpServer(() => http.closeAllConnections()).connect(opened);
    };
  }

  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return { url: origin + path, visits, sessions };
}

/** As the paid tool call goes by its specification. */
export async function sellToolHonestly(visit: ToolVisit): Promise<object> {
  if (visit.payment === undefined) return visit.askToPay();
  const receipt = await visit.settle();
  if (receipt.success) return visit.deliver({ for: visit.input }, receipt);
  return visit.askToPay({ required: { error: receipt.errorReason } });
}

export function whenToolPaid(behaviour: ToolBehaviour): ToolBehaviour {
  return (visit) => (visit.payment === undefined ? visit.askToPay() : behaviour(visit));
}
