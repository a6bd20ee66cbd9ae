import type { LedgerView, NodeView } from '../ledgerView.ts';
import type { RpcLimits } from '../limits.ts';
import type { SchemeLog } from '../log.ts';
import type { RpcAnswers } from './answers.ts';
import { INVALID_PARAMS, RpcFault } from './fault.ts';
import type { RpcNode } from './node.ts';
import type { RpcObserver } from './observer.ts';
import { createNodeHealth, type NodeHealth } from './nodeHealth.ts';
import { createNodeNetwork, foreign } from './nodeNetwork.ts';

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

export function createMember(node: RpcNode, deps: MemberDeps): Member {
  const { ledgers, now } = deps;
  const rpc = node.origin;
  const health = createNodeHealth({ ...deps, rpc });
  const { hear, highestLedger, ...view } = ledgers.addNode(rpc);
  let answeredAt: number | undefined;
  const network = createNodeNetwork(node, { ...deps, onAnswer: () => (answeredAt = now()) });

  const ask: RpcNode['call'] = async (method, params, purpose) => {
    const report = reportOn(method, rpc, health, deps);
    try {
      const answer = await node.call(method, params, purpose);
      // It may have named another network meanwhile.
      if (network.isForeign()) throw foreign(method);
      hear(method, answer);
      answeredAt = now();
      report(undefined);
      if (network.isDue()) void network.meet().catch(() => {});
      return answer;
    } catch (fault) {
      if (fault instanceof RpcFault) report(fault);
      throw fault;
    }
  };

  function stateName(): NodeState['state'] {
    if (network.isForeign()) return 'foreign';
    if (health.isResting()) return 'resting';
    if (view.isStale()) return 'stale';
    return answeredAt === undefined ? 'unknown' : 'sound';
  }

  return {
    ...view,
    restMs: health.restMs,
    isForeign: network.isForeign,
    state: () => ({
      rpc,
      state: stateName(),
      restMs: health.restMs(),
      latestLedger: highestLedger(),
      heardAgoMs: answeredAt === undefined ? undefined : now() - answeredAt,
    }),
    // Answering this, or failing to, makes a node no better or worse at everything else.
    call: (method, params, purpose) =>
      method === 'getNetwork' ? (network.meet(purpose) as never) : ask(method, params, purpose),
    close: () => node.close(),
  };
}

/** Call this before a call to the node. The returned function takes the call's fault, or undefined if it succeeded. */
function reportOn(
  method: keyof RpcAnswers,
  rpc: string,
  health: NodeHealth,
  { observer, now }: Pick<MemberDeps, 'observer' | 'now'>,
): (fault: RpcFault | undefined) => void {
  const report = health.ask(method);
  const askedAt = now();
  return (fault) => {
    const isRequests = isOfRequest(method, fault);
    if (!isRequests) report(fault);
    observer.called(rpc, method, now() - askedAt, isRequests ? 'request' : fault?.kind);
  };
}

/**
 * True if the request is at fault. A sender's transaction may be one that no node understands: that is no failure of
 * the node. This service makes all other requests itself.
 */
export function isOfRequest(method: keyof RpcAnswers, fault: unknown): boolean {
  return method === 'simulateTransaction' && fault instanceof RpcFault && fault.code === INVALID_PARAMS;
}
