import { createFaults, type Faults } from '../../sandbox/faults.ts';
import { createJsonRpc, type Calls } from '../../sandbox/jsonRpc.ts';
import type { Network } from '../../sandbox/network.ts';
import type { HttpReply } from '../../sandbox/reply.ts';

/** A front door of a network: a Stellar RPC node with the sandbox's faults. Several of them are several nodes of it. */
export interface Node {
  readonly faults: Faults;
  readonly calls: Calls;
  /** Hears of each call, and may hold it up, before it takes effect. */
  onCall: (method: string) => void | Promise<void>;
  /** Hears of each call that has taken effect, before it is answered. */
  onEffect: (method: string) => void;
  /** Answers the body of a request that was sent to `url`. */
  respond(body: string, url: string): Promise<HttpReply>;
}

export function createNode(network: Network): Node {
  const heard: Network = Object.assign(Object.create(network) as Network, {
    rpc(method: string, params: unknown) {
      const answer = network.rpc(method, params);
      node.onEffect(method);
      return answer;
    },
  } satisfies Pick<Network, 'rpc'>);
  const faults = createFaults(heard);
  const rpc = createJsonRpc(heard, faults);
  const node: Node = {
    faults,
    calls: rpc.calls,
    onCall: () => {},
    onEffect: () => {},
    async respond(body, url) {
      await node.onCall((JSON.parse(body) as { method: string }).method);
      return rpc.respond(body, url);
    },
  };
  return node;
}
