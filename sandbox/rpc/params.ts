/** Reads the parameters of JSON-RPC methods within their limits, or refuses them with the codes of JSON-RPC 2.0. */
import { PROTOCOLS } from '../host/instance.ts';
import type { Chain } from '../ledger/chain.ts';
import { decodeTransaction, type Transaction } from '../ledger/transaction.ts';

export const RPC_ERRORS = { invalidRequest: -32600, methodNotFound: -32601, invalidParams: -32602 };

/** A JSON-RPC error on its way to the answer. */
export class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export type Params = Record<string, unknown>;

export function paramsOf(value: unknown): Params {
  return typeof value === 'object' && value !== null ? (value as Params) : {};
}

export function invalidParams(message: string): RpcError {
  return new RpcError(RPC_ERRORS.invalidParams, message);
}

export function requiredString(params: Params, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw invalidParams(`invalid parameters: missing '${name}'`);
  return value;
}

export function optionalString(params: Params, name: string): string | undefined {
  const value = params[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns a whole number from 0, or `fallback`. */
export function wholeNumber(params: Params, name: string, fallback: number): number {
  const value = params[name];
  if (value === undefined || value === null) return fallback;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw invalidParams(`invalid parameters: '${name}' is no whole number`);
  }
  return value;
}

export function transactionParam(chain: Chain, params: Params): Transaction {
  const envelope = requiredString(params, 'transaction');
  try {
    const transaction = decodeTransaction(envelope, chain.network.id);
    if (isReadable(chain, transaction)) return transaction;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidParams(`invalid parameters: could not unmarshal transaction: ${reason}`);
  }
  throw invalidParams('invalid parameters: could not unmarshal transaction: xdr value invalid');
}

/** Nodes are upgraded before a vote, so they can read the newest protocol's XDR under any protocol. */
function isReadable({ history, host }: Chain, { envelope }: Transaction): boolean {
  return history.latest().protocol < PROTOCOLS.at(-1)! || host().leastResourceFee(envelope) !== undefined;
}

/** Returns where the requested page starts, and how much it holds. */
export function pagination(
  params: Params,
  limits: { fallback: number; most: number },
): { cursor: string; limit: number } {
  const page = paramsOf(params['pagination']);
  const limit = wholeNumber(page, 'limit', limits.fallback);
  if (limit < 1 || limit > limits.most) throw invalidParams(`limit must be between 1 and ${limits.most}`);
  return { cursor: optionalString(page, 'cursor') ?? '', limit };
}
