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

/** The Stellar RPC as the scheme uses it: one node or several, of which any may fail. */
export interface Rpc {
  /**
   * One call. A read goes to the first healthy node, and on to the next where that fails. A submission goes on too, as
   * the same bytes; once a node has left it unanswered, what another one says against it proves nothing, and the fault
   * is thrown. Throws an RpcFault; repeats nothing at the same node.
   */
  call<Method extends keyof RpcAnswers>(
    method: Method,
    params?: object,
    purpose?: Purpose,
  ): Promise<RpcAnswers[Method]>;
  /** The same read at every node; of those that fail, the fault. */
  callEach<Method extends keyof RpcAnswers>(
    method: Method,
    params?: object,
  ): Promise<(RpcAnswers[Method] | RpcFault)[]>;
  close(): Promise<void>;
}

export interface RpcDeps {
  log: SchemeLog;
  /** Milliseconds that only ever rise. */
  now: () => number;
  /** By HTTP unless a test brings its own network. */
  connect?: Connect;
  limits?: Partial<RpcLimits>;
  /** Of the network that all nodes must be of; one that says another is not asked any more. */
  passphrase?: string;
}

interface Member {
  readonly node: RpcNode;
  readonly health: NodeHealth;
  readonly standstill: Standstill;
  /** Undefined until it has said. */
  isOfNetwork: boolean | undefined;
  /** When it was last asked for that. */
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
   * In the order of their list. Those that stand still come after the others, in turns; those that rest come last, the
   * soonest to be back first.
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
    // Whether a node can say its network makes it no better or worse for the rest.
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

  /** What it said so far may have been of the other network's ledgers. */
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

  /** For one that could not say it when the service started. */
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
          // Another node may be of a newer protocol.
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
 * A transaction that a sender wrote may be one that no node understands: that is no failure of the node. All other
 * requests are of this service's own making.
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

/** Says that it does not take the transaction now; another one may. */
function isBusy(answer: object): boolean {
  return (answer as RpcAnswers['sendTransaction']).status === 'TRY_AGAIN_LATER';
}

function isAccepted(answer: object): boolean {
  const { status } = answer as RpcAnswers['sendTransaction'];
  return status === 'PENDING' || status === 'DUPLICATE';
}
