import type { LedgerClock, LedgerClose } from '../ledgerClock.ts';
import { createLedgerView } from '../ledgerView.ts';
import { RPC_LIMITS, type RpcLimits } from '../limits.ts';
import type { SchemeLog } from '../log.ts';
import { UNTRACED, type SchemeTracer } from '../tracer.ts';
import type { RpcAnswers } from './answers.ts';
import { RpcFault } from './fault.ts';
import { createMember, isOfRequest, type Member, type NodeState } from './member.ts';
import { UNOBSERVED, type RpcObserver } from './observer.ts';
import { createRpcNode, type RpcNode } from './node.ts';
import type { Connect, Purpose } from './transport.ts';

/** The Stellar RPC as the scheme uses it: one node or several, any of which may fail. */
export interface Rpc {
  /**
   * Makes one call. A read goes to the first healthy node, and to the next one if that fails. So does a submission,
   * with the same bytes. Once a node has failed to answer it, a rejection by another one proves nothing, and the fault
   * is thrown. Throws an RpcFault; repeats nothing at the same node.
   */
  readonly call: RpcNode['call'];
  /** Makes the same read at every node. Returns the fault of each node that fails. */
  callEach<Method extends keyof RpcAnswers>(
    method: Method,
    params?: object,
  ): Promise<(RpcAnswers[Method] | RpcFault)[]>;
  /** Tells what all answers so far have shown of the ledgers. */
  readonly clock: LedgerClock;
  /** Returns the state of each node, in the order of the list. */
  nodes(): NodeState[];
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
  /** The latest ledger that an earlier process has seen. */
  remembered?: LedgerClose | undefined;
  observer?: RpcObserver | undefined;
  /** Shows the calls to the nodes. */
  tracer?: SchemeTracer | undefined;
}

export function createRpc(urls: readonly string[], { connect, remembered, ...deps }: RpcDeps): Rpc {
  const { log, now, passphrase, observer = UNOBSERVED, tracer = UNTRACED } = deps;
  const limits = { ...RPC_LIMITS, ...deps.limits };
  const answerTimeoutMs = urls.length === 1 ? limits.answerTimeoutMs : limits.answerTimeoutAmongSeveralMs;
  const ledgers = createLedgerView({ log, now, limits, remembered });
  const memberDeps = { ledgers, log, now, limits, answerTimeoutMs, passphrase, observer };
  const members = urls.map((url) =>
    createMember(traced(createRpcNode(url, limits, answerTimeoutMs, connect), tracer), memberDeps),
  );

  return {
    call: (method, params, purpose) => askInTurn(inOrder(members), method, params, purpose),
    callEach: (method, params) =>
      Promise.all(
        inOrder(members).map((member) =>
          member.call(method, params).catch((fault: unknown) => {
            if (fault instanceof RpcFault) return fault;
            throw fault;
          }),
        ),
      ),
    clock: ledgers,
    nodes: () => members.map((member) => member.state()),
    async close() {
      await Promise.all(members.map((member) => member.close()));
    },
  };
}

/** Returns the node with its calls shown to the tracer. */
function traced(node: RpcNode, tracer: SchemeTracer): RpcNode {
  const { origin } = node;
  return {
    ...node,
    call: (method, params, purpose) => tracer.call(method, origin, () => node.call(method, params, purpose)),
  };
}

/**
 * Returns the nodes in the order of their list. Stale ones come after the others, in turns. Those that rest
 * come last, the soonest to be back first.
 */
function inOrder(members: readonly Member[]): Member[] {
  return members
    .filter((member) => !member.isForeign())
    .toSorted((one, other) => one.restMs() - other.restMs() || compareStale(one, other));
}

function compareStale(one: Member, other: Member): number {
  if (one.isStale() !== other.isStale()) return one.isStale() ? 1 : -1;
  return one.isStale() ? one.heardAt() - other.heardAt() : 0;
}

/** Asks one node after the other; see Rpc. */
async function askInTurn<Method extends keyof RpcAnswers>(
  members: readonly Member[],
  method: Method,
  params?: object,
  purpose?: Purpose,
): Promise<RpcAnswers[Method]> {
  let firstFault: unknown;
  let notUnderstood: unknown;
  let hasFailed = false;
  let busy: RpcAnswers[Method] | undefined;
  for (const member of members) {
    try {
      const answer = await member.call(method, params, purpose);
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
  if (busy === undefined) throw new RpcFault(`${method}: no RPC node belongs to this network`);
  return busy;
}

/** True if the node does not take the transaction now; another one may. */
function isBusy(answer: object): boolean {
  return (answer as RpcAnswers['sendTransaction']).status === 'TRY_AGAIN_LATER';
}

function isAccepted(answer: object): boolean {
  const { status } = answer as RpcAnswers['sendTransaction'];
  return status === 'PENDING' || status === 'DUPLICATE';
}
