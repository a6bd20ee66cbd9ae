import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { objectAt, valueAt, type JsonObject } from '../json.ts';
import type { ToolServer } from '../server.ts';
import { GONE, type Deliveries, type HttpDelivery } from './delivery.ts';
import type { HttpRefusal } from './refusal.ts';

/** A host's session over HTTP. */
export interface HttpSession {
  /** Is known to its host only. */
  readonly id: string;
  /** Answers a request of the host; `message` is the body of a POST. Returns why it does not. */
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    message?: JsonObject,
  ): Promise<HttpRefusal | undefined>;
  /** Returns how long no request was open, in milliseconds; 0 while one is. */
  idleMs(): number;
  /** True if the session has called paid_call, so that its budget may be in use. */
  hasPaid(): boolean;
  /** Resolves when it has ended, by either side. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export interface HttpSessionDeps {
  tools: ToolServer;
  deliveries: Deliveries;
  /** Milliseconds that never decrease. */
  now: () => number;
}

export function openHttpSession({ tools, deliveries, now }: HttpSessionDeps): HttpSession {
  const id = randomUUID();
  /** The requests that are not answered yet. */
  const requests = new Map<RequestId, HttpDelivery>();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => id });
  const session = tools.openSession({ deliveryOf: (requestId) => requests.get(requestId) ?? GONE });
  const connected = session.connect(transport);
  let openRequests = 0;
  let idleSince = now();
  let hasPaid = false;

  function count(response: ServerResponse): void {
    openRequests += 1;
    response.once('close', () => {
      openRequests -= 1;
      idleSince = now();
    });
  }

  /** Follows the answer of a JSON-RPC request. Returns why it cannot be answered. */
  function follow(message: JsonObject, response: ServerResponse): HttpRefusal | undefined {
    const { id: requestId, method } = message;
    if (method === undefined || (typeof requestId !== 'string' && typeof requestId !== 'number'))
      return undefined;
    if (requests.has(requestId)) return { status: 400, message: 'A request with this id is under way.' };
    requests.set(requestId, deliveries.follow(response));
    response.once('close', () => requests.delete(requestId));
    hasPaid ||= method === 'tools/call' && valueAt(message, 'params', 'name') === 'paid_call';
    return undefined;
  }

  return {
    ...{ id, ended: session.disconnected, close: () => session.close(), hasPaid: () => hasPaid },
    idleMs: () => (openRequests > 0 ? 0 : now() - idleSince),
    async answer(request, response, message) {
      // Otherwise the response would never be seen to close.
      if (request.socket.destroyed) return undefined;
      count(response);
      if (message?.['method'] === 'notifications/cancelled') {
        // The SDK would never end the response of a request that it cancels. One that is given up here is answered.
        requests.get(objectAt(message['params'])['requestId'] as RequestId)?.giveUp();
        response.writeHead(202).end();
        return undefined;
      }
      const refused = message && follow(message, response);
      if (refused !== undefined) return refused;
      await connected;
      await transport.handleRequest(request, response, message);
      if (transport.sessionId === undefined) await session.close();
      return undefined;
    },
  };
}
