/** Serves JSON-RPC 2.0 over POST, as Stellar RPC does: one call per request. Batches are refused. */
import type { Faults } from './faults.ts';
import type { RpcCall } from './faultKinds.ts';
import type { Network, RpcAnswer } from './network.ts';
import { json, type HttpReply } from './reply.ts';

/** The number of method names that are counted. Callers choose the names, so the rest share one. */
const MAX_COUNTED_METHODS = 100;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** Counts how often each RPC method was called, faults included. */
export interface Calls {
  counts(): Record<string, number>;
  reset(): void;
}

export interface JsonRpc {
  calls: Calls;
  /** Answers one request body. `origin` is the address that the caller used, such as http://127.0.0.1:8000. */
  respond(body: string, origin: string): Promise<HttpReply>;
}

export function createJsonRpc(network: Network, faults: Faults): JsonRpc {
  const counts = new Map<string, number>();

  function count(method: string): void {
    const name = counts.has(method) || counts.size < MAX_COUNTED_METHODS ? method : 'other';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }

  return {
    calls: { counts: () => Object.fromEntries(counts), reset: () => counts.clear() },
    async respond(body, origin) {
      const call = readCall(body);
      if ('error' in call) return envelope(null, call);
      count(call.method);
      const reply = await faults.strike(call, () => answer(network, call, origin));
      return 'answer' in reply ? envelope(reply.id, reply.answer) : reply;
    },
  };
}

function readCall(body: string): RpcCall | { error: { code: number; message: string } } {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { error: { code: PARSE_ERROR, message: 'parse error: the body is not JSON' } };
  }
  if (Array.isArray(value))
    return { error: { code: INVALID_REQUEST, message: 'batch requests are not supported' } };
  const { jsonrpc, id = null, method, params } = (value ?? {}) as Record<string, unknown>;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || (typeof id === 'object' && id !== null)) {
    return { error: { code: INVALID_REQUEST, message: 'invalid request: not a JSON-RPC 2.0 call' } };
  }
  return { id, method, params };
}

/** Returns the network's answer. Adds the friendbot's address to getNetwork: the network does not know its own. */
function answer(network: Network, { method, params }: RpcCall, origin: string): RpcAnswer {
  const answered = network.rpc(method, params);
  if (method !== 'getNetwork' || !('result' in answered)) return answered;
  return { result: { ...(answered.result as object), friendbotUrl: `${origin}/friendbot` } };
}

function envelope(id: unknown, answered: RpcAnswer): HttpReply {
  return json({ jsonrpc: '2.0', id, ...answered });
}
