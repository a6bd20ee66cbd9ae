import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createFaults } from '../../sandbox/faults.ts';
import type { Faults } from '../../sandbox/faults.ts';
import { createJsonRpc } from '../../sandbox/jsonRpc.ts';
import type { Calls } from '../../sandbox/jsonRpc.ts';
import type { Network } from '../../sandbox/network.ts';
import type { HttpReply } from '../../sandbox/reply.ts';

/** A call on its way through a node's connection. */
export interface Exchange {
  socket: Socket;
  /** Lets the call take effect; the body that goes back, undefined where the node's own fault is another than a body. */
  answer(): Promise<string | undefined>;
}

/** Writes the answer to the connection in its own way, or does not. */
export type Wire = (exchange: Exchange) => Promise<void>;

/** One of the front doors of a network: a Stellar RPC node with the sandbox's faults, on connections with their own. */
export interface Node {
  url: string;
  faults: Faults;
  calls: Calls;
  /** How the answer to a call travels; undefined: as it should. */
  wire: (method: string) => Wire | undefined;
  /** Cuts the connections and refuses new ones, until it is up again. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** How many are open. */
  connections(): Promise<number>;
}

/** Serves `network` on a port of its own. Several of them are several nodes of it. */
export async function openNode(network: Network): Promise<Node> {
  const faults = createFaults(network);
  const rpc = createJsonRpc(network, faults);
  let server: Server | undefined;

  async function respond(request: IncomingMessage): Promise<void> {
    const { socket } = request;
    // What breaks under a fault is meant to break.
    if (socket.listenerCount('error') < 2) socket.on('error', () => {});
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const { method } = JSON.parse(body) as { method: string };
    const reply = () => rpc.respond(body, node.url);
    const wire = node.wire(method);
    if (wire === undefined) return write(socket, await reply());
    await wire({
      socket,
      async answer() {
        const replied = await reply();
        return 'text' in replied && replied.status === 200 ? replied.text : undefined;
      },
    });
  }

  async function listen(port: number): Promise<void> {
    // Answers are written past Node's own response, so that one connection can carry sound and broken ones.
    server = createServer((request) => void respond(request)).listen(port, '127.0.0.1');
    await once(server, 'listening');
  }

  const node: Node = {
    url: '',
    faults,
    calls: rpc.calls,
    wire: () => undefined,
    async down() {
      const closed = server && once(server, 'close');
      server?.close();
      server?.closeAllConnections();
      server = undefined;
      await closed;
    },
    async up() {
      if (server === undefined) await listen(Number(new URL(node.url).port));
    },
    connections: () =>
      new Promise((resolve, reject) => {
        if (server === undefined) resolve(0);
        else server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
  };
  await listen(0);
  node.url = `http://127.0.0.1:${(server!.address() as AddressInfo).port}`;
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
