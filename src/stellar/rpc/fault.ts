/**
 * - `timeout`: no answer in time
 * - `connection`: no connection, or it broke
 * - `status`: an HTTP status other than 200
 * - `error`: the node reports an error
 * - `answer`: the answer makes no sense
 * - `ledger`: the answer is out of date or from the future
 * - `network`: the node belongs to another network
 */
export type RpcFaultKind = 'timeout' | 'connection' | 'status' | 'error' | 'answer' | 'ledger' | 'network';

/** An RPC that did not answer as it should: out of reach, too late, not JSON-RPC, or a JSON-RPC error. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault';
  /** The JSON-RPC error code, if there was one. */
  readonly code: number | undefined;
  readonly kind: RpcFaultKind;
  constructor(message: string, options: { cause?: unknown; code?: number; kind?: RpcFaultKind } = {}) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.kind = options.kind ?? 'answer';
  }
}

/** True if a node could not be reached, or did not answer in time. */
export const isNoAnswer = (fault: unknown): boolean =>
  fault instanceof RpcFault && (fault.kind === 'connection' || fault.kind === 'timeout');

/** The cause of a fault when a node takes too long. */
export class NoAnswerInTime extends Error {
  override readonly name = 'NoAnswerInTime';
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('no answer in time');
  }
}

/** The cause of a fault when a node answers with another HTTP status than 200. */
export class WrongStatus extends Error {
  override readonly name = 'WrongStatus';
  constructor(status: number) {
    super(`HTTP status ${status}`);
  }
}

/** Returns the kind of a call that brought no JSON. */
export function kindOfFailure(cause: unknown): RpcFaultKind {
  if (cause instanceof NoAnswerInTime) return 'timeout';
  if (cause instanceof WrongStatus) return 'status';
  return cause instanceof SyntaxError ? 'answer' : 'connection';
}

/** JSON-RPC's "invalid params": the node cannot read what was sent, so the node did not fail. */
export const INVALID_PARAMS = -32_602;
