import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressOf } from './address.ts';
import type { HttpLimits } from './limits.ts';
import { createShares, type Share, type Shares } from './shares.ts';

export interface App {
  /** Takes in a request. Its body may be received while earlier requests on its connection are answered. */
  arrive(request: IncomingMessage): void;
  /** Answers a request whose turn has come. */
  answer: RequestListener;
  /** Lets go of a request whose sender has gone, or was answered. */
  leave(request: IncomingMessage): void;
}

/** Keeps all open connections: counts them, and decides whose turn it is on each. */
export interface Connections {
  open(socket: Socket): void;
  arrive: RequestListener;
  /** True if a client cannot mistake the answer to a broken request for the answer to another request. */
  isFree(socket: Socket): boolean;
  /** Closes each connection after the answer under way. It says so: clients learn that the rest was dropped. */
  finish(): void;
}

interface Connection {
  readonly share: Share;
  /** Unanswered requests, oldest first. Only the first is worked on. */
  waiting: Waiting[];
  /** The response to the latest request. */
  latest?: ServerResponse;
}

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  isWhole: boolean;
}

interface Parts {
  readonly app: App;
  readonly limits: HttpLimits;
  readonly shares: Shares;
  readonly connections: Map<Socket, Connection>;
  isClosing: boolean;
}

export function createConnections(app: App, limits: HttpLimits): Connections {
  const shares = createShares(limits.maxConnections);
  const parts: Parts = { app, limits, shares, connections: new Map(), isClosing: false };
  return {
    open: (socket) => open(parts, socket),
    arrive: (request, response) => arrive(parts, request, response),
    isFree: (socket) => isFree(parts.connections.get(socket)),
    finish: () => finish(parts),
  };
}

function open({ app, shares, connections }: Parts, socket: Socket): void {
  const share = shares.take(addressOf(socket), 1, () => socket.destroy());
  const connection: Connection = { share, waiting: [] };
  connections.set(socket, connection);
  socket.once('close', () => {
    for (const { request } of connection.waiting) app.leave(request);
    share.release();
    connections.delete(socket);
  });
}

function arrive(parts: Parts, request: IncomingMessage, response: ServerResponse): void {
  const { app, limits, connections, isClosing } = parts;
  const { socket } = request;
  const connection = connections.get(socket);
  if (connection === undefined || socket.destroyed) return;
  if (isClosing && connection.waiting.length > 0) return;
  if (connection.waiting.length > limits.maxWaitingRequests) return void socket.destroy();
  const arrived: Waiting = { request, response, isWhole: false };
  connection.latest = response;
  connection.waiting.push(arrived);
  countPieces(request, limits.maxBodyPieces);
  request.once('end', () => {
    arrived.isWhole = true;
    weigh(connection);
  });
  app.arrive(request);
  if (connection.waiting.length === 1) answerFirst(parts, connection);
  else weigh(connection);
}

function answerFirst(parts: Parts, connection: Connection): void {
  const [first] = connection.waiting;
  if (first === undefined) return;
  const { request, response } = first;
  if (parts.isClosing) endWith(response);
  response.once('close', () => {
    parts.app.leave(request);
    connection.waiting.shift();
    weigh(connection);
    // While closing, drop the requests that still wait.
    if (parts.isClosing) request.socket.destroySoon();
    else if (request.socket.writable) answerFirst(parts, connection);
  });
  parts.app.answer(request, response);
}

/** Keeps a connection whose only request has arrived whole. Any other may be closed when there is no room. */
function weigh({ share, waiting }: Connection): void {
  if (waiting.length === 1 && waiting[0]!.isWhole) share.keep();
  else share.offer();
  share.resize(Math.max(1, waiting.length));
}

function isFree(connection: Connection | undefined): boolean {
  if (connection?.latest === undefined) return true;
  const { latest, waiting } = connection;
  // If the latest request arrived whole, the broken one is another. If not, the broken one is the rest of the latest,
  // which may have been answered already.
  if (latest.req.complete) return waiting.length === 0;
  return waiting.length === 1 && !latest.headersSent;
}

function finish(parts: Parts): void {
  parts.isClosing = true;
  for (const connection of parts.connections.values()) {
    const [first] = connection.waiting;
    if (first === undefined) continue;
    connection.waiting = [first];
    endWith(first.response);
  }
}

function endWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}

/** Cuts off a body in very many pieces: Node reads a body even if nobody wants it, and each piece costs time. */
function countPieces(request: IncomingMessage, maxPieces: number): void {
  let pieces = 0;
  request.on('data', () => {
    pieces += 1;
    if (pieces > maxPieces) request.socket.destroy();
  });
}
