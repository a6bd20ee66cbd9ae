import { RpcFault } from './fault.ts';

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
    envelopeXdr?: string;
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

/** Returns the result of a request's answer. Throws an RpcFault if there is none that can be believed. */
export function readResult(
  method: keyof RpcAnswers,
  { id, params }: { id: number; params: object | undefined },
  answer: unknown,
): object {
  const { id: answered, error, result } = (answer ?? {}) as Record<string, unknown>;
  if (answered !== id) throw new RpcFault(`${method}: the answer belongs to another request`);
  if (error) {
    const { code, message } = error as { code?: number; message?: string };
    const text = `${method}: ${message ?? 'error'} (${code ?? 'no code'})`;
    throw new RpcFault(text, { kind: 'error', ...(code !== undefined && { code }) });
  }
  if (typeof result !== 'object' || result === null)
    throw new RpcFault(`${method}: the answer has no result`);
  checkFields(method, result);
  checkHash(method, params, result);
  checkSimulation(method, result);
  return result;
}

function checkFields(method: keyof RpcAnswers, result: object): void {
  for (const [field, isValid] of Object.entries(ANSWER_TESTS[method])) {
    if (!isValid((result as Record<string, unknown>)[field]))
      throw new RpcFault(`${method}: the answer's ${field} is missing or makes no sense`);
  }
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
  throw new RpcFault(`${method}: the node failed: ${String(error).slice(0, MAX_TEXT_CHARS)}`, {
    kind: 'error',
  });
}
