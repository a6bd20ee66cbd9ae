import type { SchemeLog } from '../log.ts';
import { RPC_LIMITS } from '../limits.ts';
import type { RpcLimits } from '../limits.ts';
import { createLedgerJudge } from './ledgerJudge.ts';
import { createNodeHealth } from './nodeHealth.ts';
import type { NodeHealth } from './nodeHealth.ts';
import { createStandstill } from './standstill.ts';
import type { Standstill } from './standstill.ts';
import { createRpcNode, INVALID_PARAMS, RpcFault } from './node.ts';
import type { Connect, Purpose, RpcAnswers, RpcNode } from './node.ts';

/** The Stellar RPC as the scheme uses it: one node or several, any of which may fail. */
export interface Rpc {
  /**
   * Makes one call. A read goes to the first healthy node, and to the next one if that fails. A submission goes on too,
   * with the same bytes. Once a node has failed to answer it, a rejection by another one proves nothing, and the fault
   * is thrown. Throws an RpcFault; repeats nothing at the same node.
   */
  call<Method extends keyof RpcAnswers>(
    method: Method,
    params?: object,
    purpose?: Purpose,
  ): Promise<RpcAnswers[Method]>;
  /** Makes the same read at every node. Returns the fault of each node that fails. */
  callEach<Method extends keyof RpcAnswers>(
    method: Method,
    params?: object,
  ): Promise<(RpcAnswers[Method] | RpcFault)[]>;
  close(): Promise<void>;
}

export interface RpcDeps {
  log: SchemeLog;
  /** Monotonic milliseconds. */
  now: () => number;
  /** Connects by HTTP unless a test brings its own network. */
  connect?: Connect;
  limits?: Partial<RpcLimits>;
  /** The passphrase of the network that all nodes must be of. A node that names another is not asked any more. */
  passphrase?: string;
}

interface Member {
  readonly node: RpcNode;
  readonly health: NodeHealth;
  readonly standstill: Standstill;
  /** Undefined until the node has named its network. */
  isOfNetwork: boolean | undefined;
  /** When the node was last asked for it. */
  metAt: number;
}

export function createRpc(urls: readonly string[], { log, now, connect, passphrase, ...deps }: RpcDeps): Rpc {
  const limits = { ...RPC_LIMITS, ...deps.limits };
  const answerTimeoutMs = urls.length === 1 ? limits.answerTimeoutMs : limits.answerTimeoutAmongSeveralMs;
  const judge = createLedgerJudge({ now, limits, nodes: urls.length });
  const members: Member[] = urls.map((url) => {
    const node = createRpcNode(url, limits, answerTimeoutMs, connect);
    const health = createNodeHealth({ rpc: node.origin, log, now, limits, answerTimeoutMs });
    const { maxStandstillMs } = limits;
    const standstill = createStandstill({ rpc: node.origin, log, now, maxStandstillMs });
    return { node, health, standstill, isOfNetwork: passphrase === undefined || undefined, metAt: -Infinity };
  });

  /**
   * Returns the nodes in the order of their list. Those that stand still come after the others, in turns. Those that
   * rest come last, the soonest to be back first.
   */
  const inOrder = (): Member[] =>
    members
      .filter(({ isOfNetwork }) => isOfNetwork !== false)
      .toSorted((one, other) => one.health.restMs() - other.health.restMs() || compareStandstill(one, other));

  async function ask<Method extends keyof RpcAnswers>(
    member: Member,
    method: Method,
    params?: object,
    purpose?: Purpose,
  ): Promise<RpcAnswers[Method]> {
    const { node, health } = member;
    // Answering getNetwork, or failing to, makes a node no better or worse at everything else.
    const report = method === 'getNetwork' ? () => {} : health.ask(method);
    if (method === 'getNetwork') member.metAt = now();
    try {
      const answer = await node.call(method, params, purpose);
      if (method === 'getNetwork') meet(member, answer as RpcAnswers['getNetwork']);
      const { latestLedger } = answer as { latestLedger?: number };
      judge.check(node, method, { latestLedger });
      if (latestLedger !== undefined) member.standstill.observe(latestLedger);
      report();
      if (member.isOfNetwork === undefined) askNetwork(member);
      return answer;
    } catch (fault) {
      if (fault instanceof RpcFault && !isOfRequest(method, fault)) report(fault);
      throw fault;
    }
  }

  /** Learns a node's network. If it is another one, its earlier answers may have named that network's ledgers. */
  function meet(member: Member, { passphrase: said }: RpcAnswers['getNetwork']): void {
    member.isOfNetwork ??= said === passphrase;
    if (member.isOfNetwork) return;
    judge.forget();
    log.error(
      { rpc: member.node.origin, passphrase: said },
      'the RPC is of another network: it is not asked',
    );
    throw new RpcFault('getNetwork: the node is of another network');
  }

  /** Asks a node again that could not name its network when the service started. */
  function askNetwork(member: Member): void {
    if (now() - member.metAt >= limits.maxRestMs) void ask(member, 'getNetwork').catch(() => {});
  }

  return {
    async call(method, params, purpose) {
      let firstFault: unknown;
      let notUnderstood: unknown;
      let hasFailed = false;
      let busy: RpcAnswers[typeof method] | undefined;
      for (const member of inOrder()) {
        try {
          const answer = await ask(member, method, params, purpose);
          if (isBusy(answer)) busy ??= answer;
          else if (!hasFailed || method !== 'sendTransaction' || isAccepted(answer)) return answer;
        } catch (fault) {
          if (!hasFailed) firstFault = fault;
          hasFailed = true;
          // Another node may run a newer protocol.
          if (isOfRequest(method, fault)) notUnderstood ??= fault;
        }
      }
      if (hasFailed) throw notUnderstood ?? firstFault;
      return busy ?? throwNoNode(method);
    },
    callEach: (method, params) =>
      Promise.all(
        inOrder().map((member) =>
          ask(member, method, params).catch((fault: unknown) => {
            if (fault instanceof RpcFault) return fault;
            throw fault;
          }),
        ),
      ),
    async close() {
      await Promise.all(members.map(({ node }) => node.close()));
    },
  };
}

/**
 * True if the request is at fault. A sender's transaction may be one that no node understands: that is no failure of
 * the node. This service makes all other requests itself.
 */
function isOfRequest(method: keyof RpcAnswers, fault: unknown): boolean {
  return method === 'simulateTransaction' && fault instanceof RpcFault && fault.code === INVALID_PARAMS;
}

function compareStandstill({ standstill: one }: Member, { standstill: other }: Member): number {
  if (one.isStill() !== other.isStill()) return one.isStill() ? 1 : -1;
  return one.isStill() ? one.heardAt() - other.heardAt() : 0;
}

function throwNoNode(method: string): never {
  throw new RpcFault(`${method}: no RPC node is of this network`);
}

/** True if the node does not take the transaction now; another one may. */
function isBusy(answer: object): boolean {
  return (answer as RpcAnswers['sendTransaction']).status === 'TRY_AGAIN_LATER';
}

function isAccepted(answer: object): boolean {
  const { status } = answer as RpcAnswers['sendTransaction'];
  return status === 'PENDING' || status === 'DUPLICATE';
}
