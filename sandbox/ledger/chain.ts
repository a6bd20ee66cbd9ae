/** The network's moving parts: its ledger, its waiting transactions, and how a ledger closes. */
import type { xdr } from '@stellar/stellar-sdk';
import { rawAccountId, sameBytes } from '../host/values.ts';
import { BASE_FEE_STROOPS, MAX_PENDING_TRANSACTIONS, sha256 } from '../protocol.ts';
import { refusalOf } from './admission.ts';
import type { Moment } from './admission.ts';
import { applyTransaction, chargeFee } from './apply.ts';
import { genesisState } from './funding.ts';
import { createHistory, transactionRecord } from './history.ts';
import type { History } from './history.ts';
import { refusedResult } from './results.ts';
import { isLive } from './state.ts';
import type { LedgerState } from './state.ts';
import { paidOperations, resourceFeeOf } from './transaction.ts';
import type { Transaction } from './transaction.ts';

export interface Chain {
  state: LedgerState;
  /** In order of arrival; one per source account. */
  pending: Transaction[];
  history: History;
  /** Stroops per operation. */
  baseInclusionFee: number;
  now: () => number;
}

export type Submission =
  | { status: 'PENDING' | 'DUPLICATE' | 'TRY_AGAIN_LATER' }
  | { status: 'ERROR'; result: xdr.TransactionResult };

export function createChain(now: () => number, startLedger: number): Chain {
  const hash = ledgerHash([Buffer.from(`sandbox ledger ${startLedger}`)]);
  const first = {
    sequence: startLedger,
    closedAtMs: now(),
    hash,
    previousHash: Buffer.alloc(32),
    transactions: 0,
  };
  return {
    state: genesisState(startLedger),
    pending: [],
    history: createHistory(first),
    baseInclusionFee: BASE_FEE_STROOPS,
    now,
  };
}

function momentOf({ now, history, baseInclusionFee }: Chain): Moment {
  return {
    nowSeconds: Math.floor(now() / 1000),
    nextLedger: history.latest().sequence + 1,
    baseInclusionFee,
  };
}

/** Takes a transaction for the next ledger, or says why not. */
export function submit(chain: Chain, transaction: Transaction): Submission {
  const { pending, history } = chain;
  if (pending.some(({ hash }) => hash === transaction.hash) || history.find(transaction.hash)) {
    return { status: 'DUPLICATE' };
  }
  const waits = pending.some(({ source }) =>
    sameBytes(rawAccountId(source), rawAccountId(transaction.source)),
  );
  if (waits || pending.length >= MAX_PENDING_TRANSACTIONS) return { status: 'TRY_AGAIN_LATER' };
  const refusal = refusalOf(transaction, chain.state, momentOf(chain));
  if (refusal) {
    const asked = BigInt(chain.baseInclusionFee * paidOperations(transaction));
    return {
      status: 'ERROR',
      result: refusedResult(transaction, refusal, asked + resourceFeeOf(transaction)),
    };
  }
  pending.push(transaction);
  return { status: 'PENDING' };
}

/**
 * Closes a ledger: transactions that became invalid are dropped, all fees are taken, then the rest apply in
 * order of arrival.
 */
export function closeLedger(chain: Chain): void {
  const { state, history, now } = chain;
  const previous = history.latest();
  // Close times only ever rise, also when ledgers are closed by hand within one millisecond.
  const closedAtMs = Math.max(now(), previous.closedAtMs + 1);
  const ledger = { sequence: previous.sequence + 1, closedAtSeconds: Math.floor(closedAtMs / 1000) };
  // A surge raises the price of entering, not of what already waits.
  const moment = { ...momentOf(chain), baseInclusionFee: BASE_FEE_STROOPS };
  const charged = chain.pending.flatMap((transaction) => {
    if (refusalOf(transaction, state, moment)) return [];
    return [{ transaction, fee: chargeFee(state, transaction, ledger.sequence, chain.baseInclusionFee) }];
  });
  chain.pending = [];
  charged.forEach(({ transaction, fee }, index) => {
    const applied = applyTransaction(state, transaction, ledger, fee);
    history.addTransaction(transactionRecord(applied, ledger, index + 1));
  });
  history.addLedger({
    sequence: ledger.sequence,
    closedAtMs,
    hash: ledgerHash([
      previous.hash,
      ...charged.map(({ transaction }) => Buffer.from(transaction.hash, 'hex')),
    ]),
    previousHash: previous.hash,
    transactions: charged.length,
  });
  if (ledger.sequence % EVICTION_INTERVAL_LEDGERS === 0) evictExpired(state, ledger.sequence);
}

function ledgerHash(parts: Buffer[]): Buffer {
  return sha256(Buffer.concat(parts));
}

/** How often temporary entries whose time is over are removed. */
const EVICTION_INTERVAL_LEDGERS = 1_000;

function evictExpired(state: LedgerState, ledger: number): void {
  for (const [id, entry] of state) if (!isLive(entry, ledger)) state.delete(id);
}
