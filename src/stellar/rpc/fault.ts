/** An RPC that did not answer as it should: out of reach, too late, not JSON-RPC, or a JSON-RPC error. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault';
  /** The JSON-RPC error code, if there was one. */
  readonly code: number | undefined;
  constructor(message: string, options: { cause?: unknown; code?: number } = {}) {
    super(message, { cause: options.cause });
    this.code = options.code;
  }
}

/** The cause of a fault when a node takes too long. */
export class NoAnswerInTime extends Error {
  override readonly name = 'NoAnswerInTime';
  constructor() {
    super('no answer in time');
  }
}

/** JSON-RPC's "invalid params": the node cannot read what was sent, so the node did not fail. */
export const INVALID_PARAMS = -32_602;
