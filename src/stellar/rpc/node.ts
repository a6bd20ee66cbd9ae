import { gunzipSync } from 'node:zlib';
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import type { NodeLimits } from '../limits.ts';

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

/** Answers of the Stellar RPC, as far as the scheme reads them. */
export interface RpcAnswers {
  simulateTransaction: {
    latestLedger?: number;
    error?: string;
    minResourceFee?: string;
    transactionData?: string;
    events?: string[];
    /** The value that the call returned. */
    results?: { xdr?: string }[] | null;
    stateChanges?: { type?: string; key?: string }[] | null;
    restorePreamble?: unknown;
  };
  sendTransaction: {
    /** 64 hex characters. */
    hash?: string;
    status: 'PENDING' | 'DUPLICATE' | 'TRY_AGAIN_LATER' | 'ERROR';
    errorResultXdr?: string;
    latestLedger: number;
    latestLedgerCloseTime: string;
  };
  getTransaction: {
    txHash?: string;
    status: 'SUCCESS' | 'FAILED' | 'NOT_FOUND';
    latestLedger: number;
    latestLedgerCloseTime: string;
    oldestLedger: number;
    oldestLedgerCloseTime: string;
    ledger?: number;
    createdAt?: string;
    resultXdr?: string;
  };
  getLedgerEntries: { entries: { key: string; xdr: string }[] | null };
  getFeeStats: { sorobanInclusionFee: Record<string, string>; latestLedger: number };
  getEvents: {
    events: { ledger?: number; ledgerClosedAt?: string }[];
    latestLedger: number;
    latestLedgerCloseTime?: string;
  };
  getNetwork: { passphrase: string; protocolVersion?: number; friendbotUrl?: string };
}

type Test = (value: unknown) => boolean;
const isLedger: Test = (value) => Number.isSafeInteger(value);
const isCloseTime: Test = (value) => typeof value === 'string' && /^\d{1,12}$/.test(value);
const isOneOf =
  (...words: string[]): Test =>
  (value) =>
    words.includes(value as string);

/** The tests that an answer must pass before it is believed. Optional fields are checked where they are used. */
const ANSWER_TESTS: { [Method in keyof RpcAnswers]: Partial<Record<keyof RpcAnswers[Method], Test>> } = {
  simulateTransaction: { latestLedger: (value) => value === undefined || isLedger(value) },
  sendTransaction: {
    status: isOneOf('PENDING', 'DUPLICATE', 'TRY_AGAIN_LATER', 'ERROR'),
    latestLedger: isLedger,
    latestLedgerCloseTime: isCloseTime,
  },
  getTransaction: {
    status: isOneOf('SUCCESS', 'FAILED', 'NOT_FOUND'),
    latestLedger: isLedger,
    latestLedgerCloseTime: isCloseTime,
    oldestLedger: isLedger,
    oldestLedgerCloseTime: isCloseTime,
  },
  getLedgerEntries: { entries: (value) => value === null || Array.isArray(value) },
  getFeeStats: {
    sorobanInclusionFee: (value) => typeof value === 'object' && value !== null,
    latestLedger: isLedger,
  },
  getEvents: { events: (value) => Array.isArray(value), latestLedger: isLedger },
  getNetwork: { passphrase: (value) => typeof value === 'string' },
};

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

/** The purpose of a call. Each has its own connections: settling must not queue behind verifying. */
export type Purpose = 'verifying' | 'settling';

/** Carries requests to a node. */
export type Connection = Pick<Dispatcher, 'dispatch' | 'destroy'>;
export type Connect = (origin: string, options: Pool.Options) => Connection;

/** Makes the calls of one purpose. */
interface Line {
  readonly pool: Connection;
  calls: number;
}

const connectByHttp: Connect = (origin, options) => new Pool(origin, options);

/**
 * A JSON-RPC client over kept-alive connections. It replaces the SDK's client, which costs several times the CPU of the
 * request and ignores its timeout.
 */
export function createRpcNode(
  url: string,
  limits: NodeLimits,
  answerTimeoutMs: number,
  connect: Connect = connectByHttp,
): RpcNode {
  const { origin, pathname, search, username, password } = new URL(url);
  const newLine = (): Line => ({
    pool: connect(origin, {
      connections: limits.maxConnections,
      connect: { timeout: limits.connectTimeoutMs },
      headersTimeout: answerTimeoutMs,
      bodyTimeout: answerTimeoutMs,
      maxResponseSize: limits.maxAnswerBytes,
    }),
    calls: 0,
  });
  const lines: Record<Purpose, Line> = { verifying: newLine(), settling: newLine() };
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'identity',
  };
  if (username || password) {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }
  let lastId = 0;

  /** Returns the JSON of a 200. Uses undici's lowest level, since its request() costs half as much again. */
  async function post(line: Line, body: string): Promise<unknown> {
    if (line.calls >= limits.maxCallsAtOnce) throw new Error('too many calls wait');
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const chunks: Buffer[] = [];
    let statusCode = 0;
    let encoding: string | string[] | undefined;
    let request: { abort(reason: Error): void } | undefined;
    let late: Error | undefined;
    const timer = setTimeout(() => {
      late = new NoAnswerInTime();
      request?.abort(late);
      reject(late);
    }, answerTimeoutMs);
    // It counts until the connection is done with it, which may be later than for its caller.
    line.calls += 1;
    try {
      line.pool.dispatch(
        { method: 'POST', path: pathname + search, headers, body },
        {
          onRequestStart(started) {
            request = started;
            // It had to wait for a connection, and its caller has given up.
            if (late !== undefined) started.abort(late);
          },
          onResponseStart(_request, status, { 'content-encoding': coding }) {
            statusCode = status;
            encoding = coding;
          },
          onResponseData: (_request, chunk) => void chunks.push(chunk),
          onResponseEnd() {
            line.calls -= 1;
            if (statusCode === 200) resolve(Buffer.concat(chunks));
            else reject(new Error(`HTTP status ${statusCode}`));
          },
          onResponseError(_request, error) {
            line.calls -= 1;
            reject(error);
          },
        },
      );
      const bytes = await promise;
      // Some proxies compress answers though nobody asked them to.
      const isPacked = encoding === 'gzip';
      const text = isPacked ? gunzipSync(bytes, { maxOutputLength: limits.maxAnswerBytes }) : bytes;
      return JSON.parse(text.toString('utf8'));
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    origin,
    async call(method, params, purpose = 'settling') {
      const id = ++lastId;
      const answer = await post(lines[purpose], JSON.stringify({ jsonrpc: '2.0', id, method, params })).catch(
        (cause: unknown) => {
          throw new RpcFault(`${method}: ${cause instanceof Error ? cause.message : String(cause)}`, {
            cause,
          });
        },
      );
      const result = readResult(method, id, answer);
      checkHash(method, params, result);
      checkSimulation(method, result);
      return result as never;
    },
    async close() {
      await Promise.all(Object.values(lines).map(({ pool }) => pool.destroy()));
    },
  };
}

/** Throws if a result belongs to another transaction. */
function checkHash(method: keyof RpcAnswers, params: object | undefined, result: object): void {
  const { txHash } = result as RpcAnswers['getTransaction'];
  if (method === 'getTransaction' && txHash !== undefined && txHash !== (params as { hash?: string }).hash)
    throw new RpcFault(`${method}: the answer belongs to another transaction`);
}

/** Matches errors of the host, and of a node that cannot read the transaction or does not know its protocol. */
const IS_OF_TRANSACTION = /HostError|transaction|xdr/i;
const MAX_TEXT_CHARS = 200;

/** Throws if the node itself failed. An overloaded node, say, reports that where a transaction's failure would be. */
function checkSimulation(method: keyof RpcAnswers, result: object): void {
  const { error } = result as RpcAnswers['simulateTransaction'];
  if (method !== 'simulateTransaction' || error === undefined || IS_OF_TRANSACTION.test(String(error)))
    return;
  throw new RpcFault(`${method}: the node failed: ${String(error).slice(0, MAX_TEXT_CHARS)}`);
}

function readResult(method: keyof RpcAnswers, id: number, answer: unknown): object {
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
  for (const [field, isValid] of Object.entries(ANSWER_TESTS[method])) {
    if (!isValid((result as Record<string, unknown>)[field])) {
      throw new RpcFault(`${method}: the answer's ${field} is missing or makes no sense`);
    }
  }
  return result;
}
