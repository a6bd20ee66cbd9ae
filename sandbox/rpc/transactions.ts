/** Takes submitted transactions, and returns settled ones and the fees that they paid. */
import { submit, type Chain } from '../ledger/chain.ts';
import type { TransactionRecord } from '../ledger/history.ts';
import { closeTime, ledgerRange } from './ledgers.ts';
import {
  invalidParams,
  pagination,
  requiredString,
  transactionParam,
  wholeNumber,
  type Params,
} from './params.ts';

const TRANSACTIONS_PAGE = { fallback: 50, most: 200 };
const FEE_STATS_LEDGERS = 50;

export function sendTransaction(chain: Chain, params: Params): object {
  const transaction = transactionParam(chain, params);
  const submission = submit(chain, transaction);
  const { sequence, closedAtMs } = chain.history.latest();
  return {
    status: submission.status,
    hash: transaction.hash,
    latestLedger: sequence,
    latestLedgerCloseTime: String(closeTime(closedAtMs)),
    ...(submission.status === 'ERROR' && { errorResultXdr: submission.result.toXdr('base64') }),
  };
}

export function getTransaction({ history }: Chain, params: Params): object {
  const hash = requiredString(params, 'hash');
  if (!/^[0-9a-f]{64}$/i.test(hash))
    throw invalidParams(`unexpected hash length (${hash.length}) or encoding`);
  const record = history.find(hash.toLowerCase());
  return {
    ...ledgerRange(history),
    txHash: hash,
    ...(record ? transactionInfo(record) : { status: 'NOT_FOUND' }),
  };
}

export function getTransactions({ history }: Chain, params: Params): object {
  const { cursor, limit } = pagination(params, TRANSACTIONS_PAGE);
  const start = wholeNumber(params, 'startLedger', 0);
  const found = [];
  for (const record of history.transactions()) {
    if (found.length === limit) break;
    if (cursor ? transactionId(record) > cursor : record.ledger >= start) found.push(record);
  }
  const last = found.at(-1);
  return {
    transactions: found.map((record) => ({ ...transactionInfo(record), txHash: record.hash })),
    ...ledgerRange(history),
    cursor: last ? transactionId(last) : cursor,
  };
}

/** Returns an id that orders transactions by ledger and place: a total order id (SEP-35) with leading zeros. */
export function transactionId({ ledger, order }: TransactionRecord): string {
  return String((BigInt(ledger) << 32n) | (BigInt(order) << 12n) | 1n).padStart(19, '0');
}

function transactionInfo(record: TransactionRecord): object {
  return {
    status: record.ok ? 'SUCCESS' : 'FAILED',
    applicationOrder: record.order,
    feeBump: record.feeBump,
    envelopeXdr: record.envelopeXdr,
    resultXdr: record.resultXdr,
    resultMetaXdr: record.resultMetaXdr,
    diagnosticEventsXdr: record.diagnosticEventsXdr,
    events: {
      transactionEventsXdr: record.transactionEventsXdr,
      contractEventsXdr: [record.contractEventsXdr],
    },
    ledger: record.ledger,
    createdAt: String(record.closedAtSeconds),
  };
}

const PERCENTILES = [10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99];

/** Returns the inclusion fees of the last ledgers' transactions. While fees surge, none is below what is asked now. */
export function getFeeStats({ history, baseInclusionFee }: Chain): object {
  const { sequence } = history.latest();
  const ofCalls: number[] = [];
  const ofOthers: number[] = [];
  for (const { ledger, isContractCall, inclusionFee } of history.transactions()) {
    const paid = isContractCall ? ofCalls : ofOthers;
    if (ledger > sequence - FEE_STATS_LEDGERS) paid.push(Math.max(inclusionFee, baseInclusionFee));
  }
  return {
    sorobanInclusionFee: feeDistribution(ofCalls, baseInclusionFee),
    inclusionFee: feeDistribution(ofOthers, baseInclusionFee),
    latestLedger: sequence,
  };
}

function feeDistribution(paid: readonly number[], fallback: number): object {
  const sorted = paid.toSorted((a, b) => a - b);
  const at = (percent: number) => String(sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? fallback);
  return {
    max: at(100),
    min: String(sorted[0] ?? fallback),
    mode: at(50),
    ...Object.fromEntries(PERCENTILES.map((percent) => [`p${percent}`, at(percent)])),
    transactionCount: String(paid.length),
    ledgerCount: FEE_STATS_LEDGERS,
  };
}
