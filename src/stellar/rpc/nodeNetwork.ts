import type { LedgerView } from '../ledgerView.ts';
import type { RpcLimits } from '../limits.ts';
import type { SchemeLog } from '../log.ts';
import type { RpcAnswers } from './answers.ts';
import { RpcFault } from './fault.ts';
import type { RpcNode } from './node.ts';
import type { Purpose } from './transport.ts';

/** Learns which network a node belongs to. */
export interface NodeNetwork {
  /** True once the node has named another network. */
  isForeign(): boolean;
  /** True if the node has not named its network, and was not asked for it lately. */
  isDue(): boolean;
  /** Asks the node for its network. Throws an RpcFault if that is another one, or if the node does not answer. */
  meet(purpose?: Purpose): Promise<RpcAnswers['getNetwork']>;
}

interface NodeNetworkDeps {
  ledgers: Pick<LedgerView, 'forget'>;
  log: SchemeLog;
  now: () => number;
  limits: Pick<RpcLimits, 'maxRestMs'>;
  /** The passphrase of the network that the node should belong to; undefined if any will do. */
  passphrase: string | undefined;
  /** Hears of each answer. */
  onAnswer: () => void;
}

const FOREIGN = 'the node belongs to another network';

export function createNodeNetwork(node: RpcNode, deps: NodeNetworkDeps): NodeNetwork {
  const { ledgers, log, now, limits, passphrase, onAnswer } = deps;
  /** Undefined until the node has named its network. */
  let isOfNetwork: boolean | undefined = passphrase === undefined || undefined;
  /** When the node was last asked for it. */
  let metAt = -Infinity;

  return {
    isForeign: () => isOfNetwork === false,
    isDue: () => isOfNetwork === undefined && now() - metAt >= limits.maxRestMs,
    async meet(purpose) {
      metAt = now();
      const answer = await node.call('getNetwork', undefined, purpose);
      onAnswer();
      isOfNetwork ??= answer.passphrase === passphrase;
      if (isOfNetwork) return answer;
      // The node's earlier answers may have named that network's ledgers.
      ledgers.forget();
      log.error(
        { rpc: node.origin, passphrase: answer.passphrase },
        'the RPC node belongs to another network: it is not asked',
      );
      throw foreign('getNetwork');
    },
  };
}

/** Returns the fault of a call to a node of another network. */
export function foreign(method: keyof RpcAnswers): RpcFault {
  return new RpcFault(`${method}: ${FOREIGN}`, { kind: 'network' });
}
