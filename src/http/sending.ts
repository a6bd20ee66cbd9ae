import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SEND_TIMEOUT_MS, UNSENT_LIMIT_BYTES } from './limits.ts';

/** Bounds what clients hold that do not take their answers: the time of a connection, and memory altogether. */
export interface Sending {
  /** A request has arrived: its handling takes the time it takes. */
  begin(request: IncomingMessage): void;
  /** Whether clients may leave so many bytes more lying here. */
  hasRoomFor(bytes: number): boolean;
  /** The answer is about to be sent. */
  end(response: ServerResponse, bytes: number): void;
}

export function createSending(): Sending {
  /** Requests that came on a connection and are not answered yet; there are several where a client pipelines. */
  const unanswered = new WeakMap<Socket, number>();
  let unsentBytes = 0;
  const count = (socket: Socket, change: number): number => {
    const now = (unanswered.get(socket) ?? 0) + change;
    unanswered.set(socket, now);
    return now;
  };

  return {
    begin({ socket }) {
      count(socket, 1);
      socket.setTimeout(0);
    },
    hasRoomFor: (bytes) => unsentBytes + bytes <= UNSENT_LIMIT_BYTES,
    end(response, bytes) {
      const { socket } = response.req;
      // A client that has gone already holds nothing, and its response closes no second time.
      if (socket.destroyed) return;
      unsentBytes += bytes;
      response.once('close', () => (unsentBytes -= bytes));
      // Node ends a connection on which nothing moves for this long; when the answer is out, it sets its own time.
      if (count(socket, -1) === 0) socket.setTimeout(SEND_TIMEOUT_MS);
    },
  };
}
