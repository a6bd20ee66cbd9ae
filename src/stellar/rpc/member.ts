import type { LedgerView, NodeView } from '../ledgerView.ts';
import type { RpcLimits } from '../limits.ts';
import type { SchemeLog } from '../log.ts';
import type { RpcAnswers } from './answers.ts';
import { INVALID_PARAMS, RpcFault } from './fault.ts';
import type { RpcNode } from './node.ts';
import type { RpcObserver } from './observer.ts';
import { createNodeHealth, type NodeHealth } from './nodeHealth.ts';
import type { Purpose } from './transport.ts';

/**
 * Unknown: it has not answered yet. Resting: it failed several times in a row, and has not answered since. Stale: its
 * ledgers do not advance. Foreign: it belongs to another network, and is not asked.
 */
export const NODE_STATES = ['sound', 'resting', 'stale', 'foreign', 'unknown'] as const;

/** A node of the pool, as an operator sees it. */
export interface NodeState {
  /** The node, as the log names it. */
  readonly rpc: string;
  readonly state: (typeof NODE_STATES)[number];
  /** How long it is still asked after all others. */
  readonly restMs: number;
  readonly latestLedger: number | undefined;
  /** Milliseconds since it last answered. */
  readonly heardAgoMs: number | undefined;
}

/** One node of the pool. Its calls also throw an RpcFault if the answer is out of date or from the future. */
export interface Member
  extends Pick<RpcNode, 'call' | 'close'>, Pick<NodeHealth, 'restMs'>, Pick<NodeView, 'isStale' | 'heardAt'> {
  /** True once the node has named another network. */
  isForeign(): boolean;
  state(): NodeState;
}

interface MemberDeps {
  ledgers: LedgerView;
  log: SchemeLog;
  now: () => number;
  limits: RpcLimits;
  answerTimeoutMs: number;
  passphrase: string | undefined;
  observer: RpcObserver;
}

const FOREIGN = 'the node belongs to another network';

export function createMember(node: RpcNode, deps: MemberDeps): Member {
  const { ledgers, log, now, limits, passphrase, observer } = deps;
  const rpc = node.origin;
  const health = createNodeHealth({ ...deps, rpc });
  const { hear, highestLedger, ...view } = ledgers.addNode(rpc);
  /** Undefined until the node has named its network. */
  let isOfNetwork: boolean | undefined = passphrase === undefined || undefined;
  /** When the node was last asked for it. */
  let metAt = -Infinity;
  let answeredAt: number | undefined;

  const ask: RpcNode['call'] = async (method, params, purpose) => {
    const report = health.ask(method);
    const askedAt = now();
    try {
      const answer = await node.call(method, params, purpose);
      // It may have named another network meanwhile.
      if (isOfNetwork === false) throw new RpcFault(`${method}: ${FOREIGN}`, { kind: 'network' });
      hear(method, answer);
      answeredAt = now();
      report();
      observer.called(rpc, method, answeredAt - askedAt, undefined);
      if (isOfNetwork === undefined && now() - metAt >= limits.maxRestMs) void meet().catch(() => {});
      return answer;
    } catch (fault) {
      note(method, askedAt, fault, report);
      throw fault;
    }
  };

  function note(
    method: keyof RpcAnswers,
    askedAt: number,
    fault: unknown,
    report: (fault: RpcFault) => void,
  ): void {
    if (!(fault instanceof RpcFault)) return;
    const isRequests = isOfRequest(method, fault);
    if (!isRequests) report(fault);
    observer.called(rpc, method, now() - askedAt, isRequests ? 'request' : fault.kind);
  }

  /**
   * Learns the node's network. If it is another one, the node's earlier answers may have named that network's ledgers.
   * Answering this, or failing to, makes a node no better or worse at everything else.
   */
  async function meet(purpose?: Purpose): Promise<RpcAnswers['getNetwork']> {
    metAt = now();
    const answer = await node.call('getNetwork', undefined, purpose);
    answeredAt = now();
    isOfNetwork ??= answer.passphrase === passphrase;
    if (isOfNetwork) return answer;
    ledgers.forget();
    log.error(
      { rpc, passphrase: answer.passphrase },
      'the RPC node belongs to another network: it is not asked',
    );
    throw new RpcFault(`getNetwork: ${FOREIGN}`, { kind: 'network' });
  }

  function stateName(): NodeState['state'] {
    if (isOfNetwork === false) return 'foreign';
    if (health.isResting()) return 'resting';
    if (view.isStale()) return 'stale';
    return answeredAt === undefined ? 'unknown' : 'sound';
  }

  return {
    ...view,
    restMs: health.restMs,
    isForeign: () => isOfNetwork === false,
    state: () => ({
      rpc,
      state: stateName(),
      restMs: health.restMs(),
      latestLedger: highestLedger(),
      heardAgoMs: answeredAt === undefined ? undefined : now() - answeredAt,
    }),
    call: (method, params, purpose) =>
      method === 'getNetwork' ? (meet(purpose) as never) : ask(method, params, purpose),
    close: () => node.close(),
  };
}

/**
 * True if the request is at fault. A sender's transaction may be one that no node understands: that is no failure of
 * the node. This service makes all other requests itself.
 */
export function isOfRequest(method: keyof RpcAnswers, fault: unknown): boolean {
  return method === 'simulateTransaction' && fault instanceof RpcFault && fault.code === INVALID_PARAMS;
}
