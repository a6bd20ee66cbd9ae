import type { Network } from '../stellar/networks.ts';
import type { Scheme } from '../scheme/index.ts';

/** Every node of the RPC has named another network. The message tells the operator what to do. */
export class ForeignNodes extends Error {
  constructor(network: Network) {
    super(`RPC_URL names nodes of another network than ${network}: name others, or set NETWORK`);
    this.name = 'ForeignNodes';
  }
}

/** Throws ForeignNodes if no node can ever serve. One that has not answered yet may. */
export function checkNodes(scheme: Pick<Scheme, 'state'>, network: Network): void {
  const { nodes } = scheme.state();
  if (nodes.length > 0 && nodes.every(({ state }) => state === 'foreign')) throw new ForeignNodes(network);
}
