/** The JSON-RPC methods of Stellar RPC that the sandbox answers. */
import { xdr } from '@stellar/stellar-sdk';
import type { Chain } from '../ledger/chain.ts';
import { HISTORY_LIMITS, MAX_UINT32 } from '../protocol.ts';
import { getEvents } from './events.ts';
import { closeTime, getLatestLedger, getLedgers, ledgerRange } from './ledgers.ts';
import {
  invalidParams,
  optionalString,
  paramsOf,
  RPC_ERRORS,
  RpcError,
  transactionParam,
  wholeNumber,
  type Params,
} from './params.ts';
import { simulate } from './simulate.ts';
import { getFeeStats, getTransaction, getTransactions, sendTransaction } from './transactions.ts';

const MAX_LEDGER_KEYS = 200;

type Method = (chain: Chain, params: Params) => object;

const METHODS: Record<string, Method> = {
  getHealth,
  getNetwork: ({ network, history }) => ({
    friendbotUrl: '/friendbot',
    passphrase: network.passphrase,
    protocolVersion: history.latest().protocol,
  }),
  getVersionInfo: ({ history }) => ({
    version: 'sandbox',
    commitHash: '',
    buildTimestamp: '',
    captiveCoreVersion: 'sandbox',
    protocolVersion: history.latest().protocol,
  }),
  getLatestLedger,
  getLedgers,
  getLedgerEntries,
  simulateTransaction,
  sendTransaction,
  getTransaction,
  getTransactions,
  getEvents,
  getFeeStats,
};

export const METHOD_NAMES: readonly string[] = Object.keys(METHODS);

/** Answers one method. A mistake of the caller becomes an error as a value. */
export function callMethod(
  chain: Chain,
  name: string,
  params: unknown,
): { result: unknown } | { error: { code: number; message: string } } {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (!method) return { error: { code: RPC_ERRORS.methodNotFound, message: `method not found: ${name}` } };
  try {
    return { result: method(chain, paramsOf(params)) };
  } catch (error) {
    if (error instanceof RpcError) return { error: { code: error.code, message: error.message } };
    throw error;
  }
}

/** Returns close times as numbers, which no other method does. */
function getHealth({ history }: Chain): object {
  const range = ledgerRange(history);
  return {
    status: 'healthy',
    ...range,
    latestLedgerCloseTime: Number(range['latestLedgerCloseTime']),
    oldestLedgerCloseTime: Number(range['oldestLedgerCloseTime']),
    ledgerRetentionWindow: HISTORY_LIMITS.ledgers,
  };
}

function getLedgerEntries({ state, history }: Chain, params: Params): object {
  const keys = params['keys'];
  if (!Array.isArray(keys)) throw invalidParams("invalid parameters: missing 'keys'");
  if (keys.length > MAX_LEDGER_KEYS) {
    throw invalidParams(`key count (${keys.length}) exceeds maximum supported (${MAX_LEDGER_KEYS})`);
  }
  const entries = keys.map(String).flatMap((key) => {
    const found = state.get(ledgerKeyId(key));
    if (!found) return [];
    // A LedgerEntry has the ledger of its last change, its data, and an extension, which is empty here.
    const { bytes, liveUntilLedger } = found;
    return {
      key,
      xdr: bytes.subarray(4, -4).toString('base64'),
      lastModifiedLedgerSeq: bytes.readUInt32BE(),
      extXdr: bytes.subarray(-4).toString('base64'),
      ...(liveUntilLedger !== null && { liveUntilLedgerSeq: liveUntilLedger }),
    };
  });
  return { entries, latestLedger: history.latest().sequence };
}

/** Returns the id under which a key in base64 is stored. */
function ledgerKeyId(key: string): string {
  try {
    const parsed = xdr.LedgerKey.fromXdr(key, 'base64');
    if (parsed.type !== 'ttl') return parsed.toXdr('base64');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidParams(`cannot unmarshal key value ${key}: ${reason}`);
  }
  throw invalidParams('ledger ttl entries cannot be queried directly');
}

function simulateTransaction(chain: Chain, params: Params): object {
  const { sequence, closedAtMs } = chain.history.latest();
  const at = { sequence, seconds: closeTime(closedAtMs) };
  return simulate(chain.host(), at, transactionParam(chain, params), {
    authMode: optionalString(params, 'authMode'),
    useUpgradedAuth: params['useUpgradedAuth'] === true,
    instructionLeeway: Math.min(
      wholeNumber(paramsOf(params['resourceConfig']), 'instructionLeeway', 0),
      MAX_UINT32,
    ),
  });
}
