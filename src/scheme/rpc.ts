import { Pool } from 'undici';
import { rpcLimits } from './limits.ts';

/** An RPC that did not answer as it should: not reached, too late, no JSON-RPC, or a JSON-RPC error. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault';
  /** The JSON-RPC error code, where there was one. */
  readonly code: number | undefined;
  constructor(message: string, options: { cause?: unknown; code?: number } = {}) {
    super(message, { cause: options.cause });
    this.code = options.code;
  }
}

/** Answers of the Stellar RPC, as far as the scheme reads them. */
export interface RpcAnswers {
  simulateTransaction: {
    latestLedger: number;
    error?: string;
    minResourceFee?: string;
    transactionData?: string;
    events?: string[];
    restorePreamble?: unknown;
  };
  sendTransaction: {
    status: 'PENDING' | 'DUPLICATE' | 'TRY_AGAIN_LATER' | 'ERROR';
    hash: string;
    errorResultXdr?: string;
    latestLedger: number;
    latestLedgerCloseTime: string;
  };
  getTransaction: {
    status: 'SUCCESS' | 'FAILED' | 'NOT_FOUND';
    latestLedger: number;
    latestLedgerCloseTime: string;
    oldestLedger: number;
    oldestLedgerCloseTime: string;
    ledger?: number;
    resultXdr?: string;
  };
  getLedgerEntries: { latestLedger: number; entries: { key: string; xdr: string }[] | null };
}

export interface Rpc {
  /** One call, one HTTP request. Throws an RpcFault; never repeats a call by itself. */
  call<Method extends keyof RpcAnswers>(method: Method, params?: object): Promise<RpcAnswers[Method]>;
  close(): Promise<void>;
}

/**
 * A JSON-RPC client over kept-alive connections. Its own, because the SDK's costs several times the CPU of the
 * request and ignores its timeout.
 */
export function createRpc(url: string): Rpc {
  const { origin, pathname, search, username, password } = new URL(url);
  const pool = new Pool(origin, {
    connections: rpcLimits.maxConnections,
    connect: { timeout: rpcLimits.connectTimeoutMs },
    headersTimeout: rpcLimits.answerTimeoutMs,
    bodyTimeout: rpcLimits.answerTimeoutMs,
  });
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' };
  if (username || password) {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }
  let lastId = 0;

  async function post(body: string): Promise<unknown> {
    const signal = AbortSignal.timeout(rpcLimits.answerTimeoutMs);
    const answer = await pool.request({ method: 'POST', path: pathname + search, headers, body, signal });
    if (answer.statusCode !== 200) {
      await answer.body.dump();
      throw new RpcFault(`HTTP status ${answer.statusCode}`);
    }
    return JSON.parse(await readText(answer.body));
  }

  return {
    async call(method, params) {
      const id = ++lastId;
      const answer = await post(JSON.stringify({ jsonrpc: '2.0', id, method, params })).catch(
        (cause: unknown) => {
          throw new RpcFault(`${method}: ${cause instanceof Error ? cause.message : String(cause)}`, {
            cause,
          });
        },
      );
      return readResult(method, id, answer) as never;
    },
    close: () => pool.destroy(),
  };
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > rpcLimits.maxAnswerBytes)
      throw new RpcFault(`the answer exceeds ${rpcLimits.maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readResult(method: string, id: number, answer: unknown): object {
  const {
    id: answered,
    error,
    result,
  } = (answer ?? {}) as { id?: unknown; error?: unknown; result?: unknown };
  if (answered !== id) throw new RpcFault(`${method}: the answer belongs to another request`);
  if (error) {
    const { code, message } = error as { code?: number; message?: string };
    throw new RpcFault(
      `${method}: ${message ?? 'error'} (${code ?? 'no code'})`,
      code === undefined ? {} : { code },
    );
  }
  if (typeof result !== 'object' || result === null)
    throw new RpcFault(`${method}: the answer has no result`);
  return result;
}
