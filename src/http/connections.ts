import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { countedAddress } from '../net/countedAddress.ts';
import type { ClientAddresses } from './clientAddresses.ts';
import type { HttpLimits } from './limits.ts';
import type { Places } from './places.ts';
import { createShares, type Share, type Shares } from './shares.ts';

export interface App {
  /**
   * Takes in a request. Its body may be received while earlier requests on its connection are answered. Returns true if
   * its key's limit counts its connection.
   */
  arrive(request: IncomingMessage): boolean;
  /** Answers a request whose turn has come. */
  answer: RequestListener;
  /** Lets go of a request whose sender has gone, or was answered. */
  leave(request: IncomingMessage): void;
  /** Returns the places of each operation that has a limit. */
  readonly places: Places['state'];
}

/** Keeps all open connections: counts them, and decides whose turn it is on each. */
export interface Connections {
  /** The number of open connections. */
  readonly size: number;
  open(socket: Socket): void;
  arrive: RequestListener;
  /** True if a client cannot mistake the answer to a broken request for the answer to another request. */
  isFree(socket: Socket): boolean;
  /** Closes each connection after the answer under way. It says so: clients learn that the rest was dropped. */
  finish(): void;
}

interface Connection {
  share: Share;
  /** True if it counts for no address. */
  countsAlone: boolean;
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
  readonly isProxy: ClientAddresses['isProxy'];
  readonly limits: HttpLimits;
  readonly shares: Shares;
  readonly connections: Map<Socket, Connection>;
  isClosing: boolean;
}

export function createConnections(
  app: App,
  isProxy: ClientAddresses['isProxy'],
  limits: HttpLimits,
): Connections {
  const shares = createShares(limits.maxConnections);
  const parts: Parts = { app, isProxy, limits, shares, connections: new Map(), isClosing: false };
  return {
    get size() {
      return parts.connections.size;
    },
    open: (socket) => open(parts, socket),
    arrive: (request, response) => arrive(parts, request, response),
    isFree: (socket) => isFree(parts.connections.get(socket)),
    finish: () => finish(parts),
  };
}

function open({ app, isProxy, shares, connections }: Parts, socket: Socket): void {
  const { remoteAddress = '' } = socket;
  // A proxy's connections carry the requests of many clients: only their number in all is limited.
  const countsAlone = isProxy(remoteAddress);
  const name = countsAlone ? nameOf(socket) : countedAddress(remoteAddress);
  const share = shares.take(name, 1, () => socket.destroy());
  const connection: Connection = { share, countsAlone, waiting: [] };
  connections.set(socket, connection);
  socket.once('close', () => {
    for (const { request } of connection.waiting) app.leave(request);
    connection.share.release();
    connections.delete(socket);
  });
}

const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress}|${remotePort}`;

/** Counts a connection no longer for its address: the limit of its key counts it. */
function countAlone({ shares }: Parts, connection: Connection, socket: Socket): void {
  connection.countsAlone = true;
  connection.share.release();
  connection.share = shares.take(nameOf(socket), 1, () => socket.destroy());
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
  if (app.arrive(request) && !connection.countsAlone) countAlone(parts, connection, socket);
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
