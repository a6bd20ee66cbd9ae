import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { RPC_LIMITS } from './limits.ts';

/** No node of the Stellar RPC answered as it should: not reached, too late, no JSON-RPC, or a JSON-RPC error. */
export class RpcUnavailable extends Error {
  override readonly name = 'RpcUnavailable';
}

export interface Rpc {
  /** One read, at the first node that answers; once more where none does. Throws an RpcUnavailable. */
  call(method: string, params?: object): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** A JSON-RPC client of the passphrase's network, with bounds on time and size. Errors never show the URL, which may hold a provider's key. */
export function createRpc(urls: readonly string[], passphrase: string): Rpc {
  const agent = new Agent({
    connections: RPC_LIMITS.maxConnections,
    connect: { timeout: RPC_LIMITS.connectTimeoutMs },
    maxResponseSize: RPC_LIMITS.maxAnswerBytes,
  });
  const nodes = urls.map(nodeAt);
  let lastId = 0;

  async function ask({ url, headers }: Node, method: string, params: object | undefined): Promise<unknown> {
    const id = ++lastId;
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      dispatcher: agent,
      signal: AbortSignal.timeout(RPC_LIMITS.answerTimeoutMs),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`HTTP status ${statusCode}`);
    const answer = JSON.parse(text) as { id?: unknown; error?: { message?: string }; result?: unknown };
    if (answer.id !== id) throw new Error('the answer belongs to another request');
    if (answer.error) throw new Error(`error ${inQuotes(answer.error.message)}`);
    return answer.result;
  }

  /** Once for each node, before anything that it says is used. */
  async function checkNetwork(node: Node): Promise<void> {
    if (node.isOfNetwork) return;
    const network = (await ask(node, 'getNetwork', undefined)) as { passphrase?: unknown } | null;
    if (network?.passphrase !== passphrase) throw new Error('the node is of another network');
    node.isOfNetwork = true;
  }

  /** The first answer; where there is none, throws the first fault. */
  async function askAll(method: string, params: object | undefined): Promise<Record<string, unknown>> {
    let fault: unknown;
    for (const node of nodes) {
      try {
        await checkNetwork(node);
        const result = await ask(node, method, params);
        if (typeof result === 'object' && result !== null) return result as Record<string, unknown>;
        throw new Error('the answer has no result');
      } catch (error) {
        fault ??= error;
      }
    }
    throw fault;
  }

  return {
    async call(method, params) {
      try {
        return await askAll(method, params).catch(async (fault: unknown) => {
          if (isTimeout(fault)) throw fault;
          await sleep(RPC_LIMITS.repeatAfterMs);
          return askAll(method, params);
        });
      } catch (fault) {
        throw new RpcUnavailable(`${method}: ${reasonOf(fault)}`, { cause: fault });
      }
    },
    close: () => agent.destroy(),
  };
}

interface Node {
  url: string;
  headers: Record<string, string>;
  isOfNetwork: boolean;
}

/** Credentials of a URL travel as a header; undici would drop them. */
function nodeAt(text: string): Node {
  const url = new URL(text);
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' };
  if (url.username || url.password) {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
    url.username = url.password = '';
  }
  return { url: url.href, headers, isOfNetwork: false };
}

const MAX_MESSAGE_CHARS = 200;

/** What a node says may be anything. */
export function inQuotes(message: unknown): string {
  const text = typeof message === 'string' ? message.slice(0, MAX_MESSAGE_CHARS) : '';
  return `“${text.replace(/[\p{C}\s]+/gu, ' ').replace(/["“”]/g, "'")}”`;
}

function isTimeout(fault: unknown): boolean {
  return fault instanceof Error && fault.name === 'TimeoutError';
}

/** Short and without addresses: what undici and the network say in one word where there is one. */
function reasonOf(fault: unknown): string {
  const { name, code, message } = (fault ?? {}) as { name?: string; code?: string; message?: string };
  if (isTimeout(fault)) return 'no answer in time';
  if (name === 'SyntaxError') return 'the answer is no JSON';
  return code ?? message ?? 'unknown fault';
}
