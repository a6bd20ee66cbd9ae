import type { NodeLimits } from '../limits.ts';
import { readResult, type RpcAnswers } from './answers.ts';
import { kindOfFailure, RpcFault } from './fault.ts';
import { createTransport, type Connect, type Purpose } from './transport.ts';

export interface RpcNode {
  /** Holds no path, query or user information, which may contain a provider's key. */
  readonly origin: string;
  /** Makes one HTTP request. Throws an RpcFault; never repeats a call by itself. */
  call<Method extends keyof RpcAnswers>(
    method: Method,
    params?: object,
    purpose?: Purpose,
  ): Promise<RpcAnswers[Method]>;
  close(): Promise<void>;
}

/**
 * Creates a JSON-RPC client. It replaces the SDK's client, which costs several times the CPU of the request and ignores
 * its timeout.
 */
export function createRpcNode(
  url: string,
  limits: NodeLimits,
  answerTimeoutMs: number,
  connect?: Connect,
): RpcNode {
  const parsed = new URL(url);
  const transport = createTransport(parsed, limits, answerTimeoutMs, connect);
  let lastId = 0;

  return {
    origin: parsed.origin,
    async call(method, params, purpose = 'settling') {
      const id = ++lastId;
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
      const answer = await transport.post(purpose, body).catch((cause: unknown) => {
        const message = cause instanceof Error ? cause.message : String(cause);
        throw new RpcFault(`${method}: ${message}`, { cause, kind: kindOfFailure(cause) });
      });
      return readResult(method, { id, params }, answer) as never;
    },
    close: () => transport.close(),
  };
}
