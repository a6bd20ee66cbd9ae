import type { SchemeLog } from '../log.ts';
import { RPC_LIMITS } from '../limits.ts';
import type { RpcLimits } from '../limits.ts';
import { createRpcNode, INVALID_PARAMS, RpcFault } from './node.ts';
import type { RpcAnswers, RpcNode } from './node.ts';

/** The Stellar RPC as the scheme uses it: one node or several, of which any may fail. */
export interface Rpc {
  /**
   * One call. A read goes to the first healthy node, and on to the next where that fails. A submission goes on too, as
   * the same bytes; once a node has left it unanswered, what another one says against it proves nothing, and the fault
   * is thrown. Throws an RpcFault; repeats nothing at the same node.
   */
  call<Method extends keyof RpcAnswers>(method: Method, params?: object): Promise<RpcAnswers[Method]>;
  /** The same read at every node, in their order; of those that fail, the fault. */
  callEach<Method extends keyof RpcAnswers>(
    method: Method,
    params: object,
  ): Promise<(RpcAnswers[Method] | RpcFault)[]>;
  close(): Promise<void>;
}

export interface RpcDeps {
  log: SchemeLog;
  /** Milliseconds that only ever rise. */
  now: () => number;
  limits?: Partial<RpcLimits>;
}

/** A node, and whether it is worth asking. */
interface Member {
  readonly node: RpcNode;
  /** Faults in a row. */
  faults: number;
  /** Until then it is asked last. */
  restsUntil: number;
}

export function createRpc(urls: readonly string[], { log, now, ...deps }: RpcDeps): Rpc {
  const limits = { ...RPC_LIMITS, ...deps.limits };
  const answerTimeoutMs = urls.length === 1 ? limits.answerTimeoutMs : limits.answerTimeoutAmongSeveralMs;
  const members: Member[] = urls.map((url) => ({
    node: createRpcNode(url, limits, answerTimeoutMs),
    faults: 0,
    restsUntil: 0,
  }));
  let latestLedger = 0;
  let latestSeenAt = 0;

  /** In the order of their list; those that rest come last, the soonest to be back first. */
  function inOrder(): Member[] {
    const restMs = ({ restsUntil }: Member): number => Math.max(0, restsUntil - now());
    return members.toSorted((one, other) => restMs(one) - restMs(other));
  }

  async function ask<Method extends keyof RpcAnswers>(
    member: Member,
    method: Method,
    params: object | undefined,
  ): Promise<RpcAnswers[Method]> {
    try {
      const answer = await member.node.call(method, params);
      checkLedger(method, answer as { latestLedger?: number });
      recovered(member);
      return answer;
    } catch (fault) {
      if (fault instanceof RpcFault && !isOfRequest(fault)) failed(member, fault);
      throw fault;
    }
  }

  /** A node that is far behind the others (or itself) tells of a past in which payments are not spent yet. */
  function checkLedger(method: string, { latestLedger: seen }: { latestLedger?: number }): void {
    if (seen === undefined) return;
    const isForgotten = now() - latestSeenAt > limits.ledgerMemoryMs;
    if (seen >= latestLedger || isForgotten) {
      if (seen !== latestLedger) latestSeenAt = now();
      latestLedger = seen;
    } else if (latestLedger - seen > limits.maxLagLedgers) {
      throw new RpcFault(`${method}: the node is ${latestLedger - seen} ledgers behind`);
    }
  }

  function failed(member: Member, fault: RpcFault): void {
    member.faults += 1;
    const excess = member.faults - limits.faultsBeforeRest;
    if (excess < 0) return;
    const restMs = Math.min(limits.maxRestMs, limits.minRestMs * 2 ** excess);
    member.restsUntil = now() + restMs;
    const fields = { rpc: member.node.origin, faults: member.faults, restMs, err: fault };
    if (excess === 0) log.warn(fields, 'RPC node rests: it failed several times in a row');
  }

  function recovered(member: Member): void {
    const { node, faults } = member;
    if (faults >= limits.faultsBeforeRest) log.info({ rpc: node.origin, faults }, 'RPC node is back');
    member.faults = 0;
    member.restsUntil = 0;
  }

  return {
    async call(method, params) {
      let firstFault: unknown;
      for (const member of inOrder()) {
        try {
          const answer = await ask(member, method, params);
          if (firstFault === undefined || method !== 'sendTransaction' || isAccepted(answer)) return answer;
        } catch (fault) {
          firstFault ??= fault;
          if (isOfRequest(fault)) break;
        }
      }
      throw firstFault;
    },
    callEach: (method, params) =>
      Promise.all(
        members.map((member) =>
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

/** What a sender writes may make a request that no node understands: that is no failure of the node. */
function isOfRequest(fault: unknown): boolean {
  return fault instanceof RpcFault && fault.code === INVALID_PARAMS;
}

function isAccepted(answer: object): boolean {
  const { status } = answer as RpcAnswers['sendTransaction'];
  return status === 'PENDING' || status === 'DUPLICATE';
}
