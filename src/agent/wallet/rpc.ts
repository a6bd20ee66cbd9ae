import { setTimeout as sleep } from 'node:timers/promises';
import { createRpcNode, type RpcNode } from '../../stellar/rpc/node.ts';
import { NoAnswerInTime, RpcFault } from '../../stellar/rpc/fault.ts';
import type { RpcAnswers } from '../../stellar/rpc/answers.ts';
import { WALLET_LIMITS, type WalletLimits } from './limits.ts';

/** No node of the Stellar RPC gave a usable answer: not reached, too late, no JSON-RPC, or a JSON-RPC error. */
export class RpcUnavailable extends Error {
  override readonly name = 'RpcUnavailable';
}

export interface Rpc {
  /** Asks the nodes in turn until one answers, and once more unless the first timed out. Throws an RpcUnavailable. */
  call(method: keyof RpcAnswers, params?: object): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

interface Member {
  readonly node: RpcNode;
  isOfNetwork: boolean;
}

/** Creates a JSON-RPC client for the passphrase's network. Errors never show a URL, which may hold a provider's key. */
export function createRpc(
  urls: readonly string[],
  passphrase: string,
  limits: WalletLimits['rpc'] = WALLET_LIMITS.rpc,
): Rpc {
  const members: Member[] = urls.map((url) => ({
    node: createRpcNode(url, limits, limits.answerTimeoutMs),
    isOfNetwork: false,
  }));

  /** Checks each node once, before anything that it says is used. */
  async function checkNetwork(member: Member): Promise<void> {
    if (member.isOfNetwork) return;
    const { passphrase: said } = await member.node.call('getNetwork');
    if (said !== passphrase) throw new RpcFault('getNetwork: the node belongs to another network');
    member.isOfNetwork = true;
  }

  /** Returns the first answer. If there is none, throws the first fault. */
  async function askAll(method: keyof RpcAnswers, params: object | undefined): Promise<object> {
    let fault: unknown;
    for (const member of members) {
      try {
        await checkNetwork(member);
        return await member.node.call(method, params);
      } catch (error) {
        fault ??= error;
      }
    }
    throw fault;
  }

  return {
    async call(method, params) {
      try {
        const answer = await askAll(method, params).catch(async (fault: unknown) => {
          if (isTimeout(fault)) throw fault;
          await sleep(limits.repeatAfterMs);
          return askAll(method, params);
        });
        return answer as Record<string, unknown>;
      } catch (fault) {
        throw new RpcUnavailable(`${method}: ${reasonOf(fault)}`, { cause: fault });
      }
    },
    async close() {
      await Promise.all(members.map(({ node }) => node.close()));
    },
  };
}

const MAX_MESSAGE_CHARS = 200;

/** Quotes a node's message, which may be anything. */
export function inQuotes(message: unknown): string {
  const text = typeof message === 'string' ? message.slice(0, MAX_MESSAGE_CHARS) : '';
  return `“${text.replace(/[\p{C}\s]+/gu, ' ').replace(/["“”]/g, "'")}”`;
}

const isTimeout = (fault: unknown): boolean =>
  fault instanceof RpcFault && fault.cause instanceof NoAnswerInTime;

/** Returns a short reason without addresses: the code of undici or of the network, if there is one. */
function reasonOf(fault: unknown): string {
  const { cause, message = 'unknown fault' } = (fault ?? {}) as { cause?: unknown; message?: string };
  const { name, code } = (cause ?? {}) as { name?: string; code?: string };
  if (name === 'SyntaxError') return 'the answer is not JSON';
  return code ?? inQuotes(message);
}
