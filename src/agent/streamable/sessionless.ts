import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { JsonObject } from '../json.ts';
import type { ToolServer } from '../server.ts';
import type { Deliveries } from './delivery.ts';
import type { StreamableLimits } from './limits.ts';

/** Requests of the revision without sessions, limited in number. */
export interface SessionlessRequests {
  /** Gives a request a place until its response is closed. Returns false if there is none. */
  admit(response: ServerResponse): boolean;
  answer(request: IncomingMessage, response: ServerResponse, message: JsonObject): Promise<void>;
  /** Admits no more requests. */
  close(): void;
}

export interface SessionlessRequestsDeps {
  tools: ToolServer;
  deliveries: Deliveries;
  limits: Pick<StreamableLimits, 'maxSessionlessRequests'>;
}

export function createSessionlessRequests({
  tools,
  deliveries,
  limits,
}: SessionlessRequestsDeps): SessionlessRequests {
  let places = limits.maxSessionlessRequests;
  let isClosing = false;
  return {
    admit(response) {
      if (isClosing || places === 0) return false;
      places -= 1;
      response.once('close', () => (places += 1));
      return true;
    },
    async answer(request, response, message) {
      // Otherwise the response would never be seen to close.
      if (request.socket.destroyed) return;
      const delivery = deliveries.follow(response);
      const { answer } = await tools.sessionless();
      const listener = getRequestListener((asked) => answer(asked, message, delivery), {
        overrideGlobalObjects: false,
      });
      await listener(request, response);
    },
    close: () => void (isClosing = true),
  };
}
