import { IncomingMessage } from 'node:http';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressOf } from './address.ts';
import { BODY_LIMIT_PIECES, CONNECTIONS_LIMIT, MAX_WAITING_REQUESTS } from './limits.ts';
import { createShares } from './shares.ts';
import type { Share } from './shares.ts';

export interface App {
  /** A request has arrived: its body may be received while those before it on its connection are answered. */
  arrive(request: IncomingMessage): void;
  /** Its turn has come. */
  answer: RequestListener;
  /** Its sender has gone, or was answered. */
  leave(request: IncomingMessage): void;
}

/** All open connections: how many there are, and whose turn it is on each. */
export interface Connections {
  open(socket: Socket): void;
  arrive: RequestListener;
  /** True if a client cannot take an answer to a broken request for the answer to another request. */
  isFree(socket: Socket): boolean;
  /** The answer under way on each connection ends it, and says so: a client that sent more learns that nobody looked at it. */
  finish(): void;
}

interface Connection {
  readonly share: Share;
  /** Requests that are not answered yet, oldest first; only the first is worked on. */
  waiting: Waiting[];
  /** The response to the latest request. */
  latest?: ServerResponse;
}

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  isWhole: boolean;
}

export function createConnections(app: App): Connections {
  const shares = createShares(CONNECTIONS_LIMIT);
  const connections = new Map<Socket, Connection>();
  let isClosing = false;

  /** Keeps a connection that has one request, which arrived whole. One that waits for the rest, or has more, may end. */
  function weigh({ share, waiting }: Connection): void {
    if (waiting.length === 1 && waiting[0]!.isWhole) share.keep();
    else share.offer();
    share.resize(Math.max(1, waiting.length));
  }

  function answerFirst(connection: Connection): void {
    const [first] = connection.waiting;
    if (first === undefined) return;
    const { request, response } = first;
    if (isClosing) endWith(response);
    response.once('close', () => {
      app.leave(request);
      connection.waiting.shift();
      weigh(connection);
      // The requests that wait are not worked on any more.
      if (isClosing) request.socket.destroySoon();
      else if (request.socket.writable) answerFirst(connection);
    });
    app.answer(request, response);
  }

  return {
    open(socket) {
      const share = shares.take(addressOf(socket), 1, () => socket.destroy());
      const connection: Connection = { share, waiting: [] };
      connections.set(socket, connection);
      socket.once('close', () => {
        for (const { request } of connection.waiting) app.leave(request);
        share.release();
        connections.delete(socket);
      });
    },
    arrive(request, response) {
      const { socket } = request;
      const connection = connections.get(socket);
      if (connection === undefined || socket.destroyed) return;
      if (isClosing && connection.waiting.length > 0) return;
      if (connection.waiting.length > MAX_WAITING_REQUESTS) return void socket.destroy();
      const arrived: Waiting = { request, response, isWhole: false };
      connection.latest = response;
      connection.waiting.push(arrived);
      countPieces(request);
      request.once('end', () => {
        arrived.isWhole = true;
        weigh(connection);
      });
      app.arrive(request);
      if (connection.waiting.length === 1) answerFirst(connection);
      else weigh(connection);
    },
    isFree(socket) {
      const { latest, waiting = [] } = connections.get(socket) ?? {};
      if (latest === undefined) return true;
      // If the latest request came whole, this is another one. Else this is the rest of the latest one, which may
      // have been answered already.
      if (latest.req.complete) return waiting.length === 0;
      return waiting.length === 1 && !latest.headersSent;
    },
    finish() {
      isClosing = true;
      for (const connection of connections.values()) {
        const [first] = connection.waiting;
        if (first === undefined) continue;
        connection.waiting = [first];
        endWith(first.response);
      }
    },
  };
}

function endWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}

/** Node reads a body even if nobody wants it; one in very many pieces costs too much. */
function countPieces(request: IncomingMessage): void {
  let pieces = 0;
  request.on('data', () => {
    pieces += 1;
    if (pieces > BODY_LIMIT_PIECES) request.socket.destroy();
  });
}

/**
 * Thousands of small requests may come in one piece, and their connection may be cut off while Node parses that piece.
 * The request then says that another protocol follows, and the parser stops.
 */
export class ParsedRequest extends IncomingMessage {
  declare private isUpgrade: boolean;

  get upgrade(): boolean {
    return this.isUpgrade || this.socket.destroyed;
  }

  set upgrade(isUpgrade: boolean) {
    this.isUpgrade = isUpgrade;
  }
}
