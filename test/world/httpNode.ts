import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Network } from '../../sandbox/network.ts';
import type { HttpReply } from '../../sandbox/reply.ts';
import { freePort } from '../support/freePort.ts';
import { createNode, type Node } from './node.ts';

/** A call on its way through a node's connection. */
export interface Exchange {
  socket: Socket;
  /** Lets the call take effect. Returns the body that goes back; undefined if the node's own fault sends none. */
  answer(): Promise<string | undefined>;
}

/** Writes the answer to the connection in its own way, or writes nothing. */
export type Wire = (exchange: Exchange) => Promise<void>;

/** A node on a port of its own, on connections with faults of their own. */
export interface HttpNode extends Node {
  readonly url: string;
  /** Chooses how the answer to a call travels; undefined for the proper way. */
  wire: (method: string) => Wire | undefined;
  /** Cuts the connections and refuses new ones, until it is up again. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Counts the open connections. */
  connections(): Promise<number>;
}

export async function openNode(network: Network): Promise<HttpNode> {
  let server: Server | undefined;

  async function respond(request: IncomingMessage): Promise<void> {
    const { socket } = request;
    // What breaks under a fault is meant to break.
    if (socket.listenerCount('error') < 2) socket.on('error', () => {});
    // The sender may be killed before it has sent everything.
    const body = await text(request).catch(() => '');
    if (body === '') return;
    const wire = node.wire((JSON.parse(body) as { method: string }).method);
    const reply = () => node.respond(body, url);
    if (wire === undefined) return write(socket, await reply());
    await wire({
      socket,
      async answer() {
        const replied = await reply();
        return 'text' in replied && replied.status === 200 ? replied.text : undefined;
      },
    });
  }

  async function listen(port: number): Promise<Server> {
    // Answers are written past Node's own response, so that one connection can carry sound and broken ones.
    const listening = createServer((request) => void respond(request)).listen(port, '127.0.0.1');
    await once(listening, 'listening');
    return listening;
  }

  const port = await freePort();
  server = await listen(port);
  const url = `http://127.0.0.1:${port}`;
  const node: HttpNode = Object.assign(createNode(network), {
    url,
    wire: () => undefined,
    async down() {
      const closed = server && once(server, 'close');
      server?.close();
      server?.closeAllConnections();
      server = undefined;
      await closed;
    },
    async up() {
      server ??= await listen(port);
    },
    connections: () =>
      new Promise<number>((resolve, reject) => {
        if (server === undefined) resolve(0);
        else server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
  });
  return node;
}

function write(socket: Socket, reply: HttpReply): void {
  if ('lost' in reply) return void socket.destroy();
  if (socket.destroyed) return;
  const { status, contentType, text: body } = reply;
  socket.write(
    `HTTP/1.1 ${status} -\r\ncontent-type: ${contentType}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
