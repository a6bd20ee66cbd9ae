/** A node of the network for one service alone: with faults of its own, and somebody who sees the calls. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createFaults } from '../../sandbox/faults.ts';
import type { Faults } from '../../sandbox/faults.ts';
import { createJsonRpc } from '../../sandbox/jsonRpc.ts';
import type { Network } from '../../sandbox/network.ts';

export interface Node {
  url: string;
  faults: Faults;
  close(): void;
}

/** `onCall` hears of each call and may hold it up before it takes effect, `onEffect` before it is answered. */
export async function openNode(
  network: Network,
  watch: { onCall: (method: string) => void | Promise<void>; onEffect: (method: string) => void },
): Promise<Node> {
  const watched = Object.create(network) as Network;
  watched.rpc = (method, params) => {
    const answer = network.rpc(method, params);
    watch.onEffect(method);
    return answer;
  };
  const faults = createFaults(watched);
  const rpc = createJsonRpc(watched, faults);
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => '');
    // Its sender was killed.
    if (body === '') return;
    await watch.onCall((JSON.parse(body) as { method: string }).method);
    const reply = await rpc.respond(body, url);
    if ('lost' in reply) response.destroy();
    else response.writeHead(reply.status, { 'content-type': reply.contentType }).end(reply.text);
  }

  return {
    url,
    faults,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
