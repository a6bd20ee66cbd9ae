/** Holds the network's moving parts (its ledger and its waiting transactions), and closes ledgers. */
import type { xdr } from '@stellar/stellar-sdk';
import { createHost, type Host } from '../host/host.ts';
import { PROTOCOLS } from '../host/instance.ts';
import { pack } from '../bytes.ts';
import type { PublicNetwork } from '../networks.ts';
import { BASE_FEE_STROOPS, MAX_PENDING_TRANSACTIONS, sha256 } from '../protocol.ts';
import { refusalOf, type Moment } from './admission.ts';
import { applyTransaction, chargeFee } from './apply.ts';
import { assetsOf, type Assets } from './assets.ts';
import { transactionRecord, type ClosedLedger, type History } from './history.ts';
import { refusedResult } from './results.ts';
import { isLive, type LedgerState } from './state.ts';
import { paidOperations, resourceFeeOf, type Transaction } from './transaction.ts';
import { rawAccountId, sameBytes } from './values.ts';

export interface Chain {
  network: PublicNetwork;
  assets: Assets;
  state: LedgerState;
  /** In order of arrival; one per source account. */
  pending: Transaction[];
  history: History;
  /** Stroops per operation. */
  baseInclusionFee: number;
  /** The protocol that the next ledger to close upgrades to. */
  upgrade: number | undefined;
  now: () => number;
  /** The host of the protocol that the next ledger runs under. */
  host(): Host;
}

export type Submission =
  | { status: 'PENDING' | 'DUPLICATE' | 'TRY_AGAIN_LATER' }
  | { status: 'ERROR'; result: xdr.TransactionResult };

/** From this protocol on, close times include milliseconds (CAP-88). */
const MILLISECONDS_PROTOCOL = 30;

/** Returns the ledger that a new network begins with. */
export function firstLedger(sequence: number, protocol: number, closedAtMs: number): ClosedLedger {
  return {
    ...{ sequence, protocol, closedAtMs },
    hash: sha256(Buffer.from(`sandbox ledger ${sequence}`)),
    previousHash: Buffer.alloc(32),
    tellsMilliseconds: protocol >= MILLISECONDS_PROTOCOL,
    upgrade: undefined,
  };
}

/** `history` has the ledgers so far; there are no entries yet. */
export function createChain(network: PublicNetwork, history: History, now: () => number): Chain {
  const state: LedgerState = new Map();
  const hosts = new Map<number, Host>();
  return {
    ...{ network, assets: assetsOf(network), state, pending: [], history, now },
    ...{ baseInclusionFee: BASE_FEE_STROOPS, upgrade: undefined },
    host() {
      const { protocol: current } = history.latest();
      const host =
        hosts.get(current) ?? createHost(current, network, (key) => state.get(key.toString('base64')));
      hosts.set(current, host);
      return host;
    },
  };
}

/** Schedules an upgrade for the next ledger. Throws unless the protocol is newer and has a host. */
export function voteFor(chain: Chain, protocol: number): void {
  const { protocol: current } = chain.history.latest();
  if (!PROTOCOLS.includes(protocol) || protocol <= current) {
    throw new Error(
      `cannot upgrade from protocol ${current} to ${protocol}: it must be newer, and one of ${PROTOCOLS.join(' and ')}`,
    );
  }
  chain.upgrade = protocol;
}

function momentOf({ now, history, baseInclusionFee }: Chain): Moment {
  return {
    nowSeconds: Math.floor(now() / 1000),
    nextLedger: history.latest().sequence + 1,
    baseInclusionFee,
  };
}

/** Accepts a transaction for the next ledger, or says why not. */
export function submit(chain: Chain, transaction: Transaction): Submission {
  const { pending, history } = chain;
  if (pending.some(({ hash }) => hash === transaction.hash) || history.find(transaction.hash)) {
    return { status: 'DUPLICATE' };
  }
  const waits = pending.some(({ source }) =>
    sameBytes(rawAccountId(source), rawAccountId(transaction.source)),
  );
  if (waits || pending.length >= MAX_PENDING_TRANSACTIONS) return { status: 'TRY_AGAIN_LATER' };
  const refusal = refusalOf(transaction, chain.state, chain.host(), momentOf(chain));
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
 * order of arrival. An upgrade comes last: this ledger still runs under the old protocol.
 */
export function closeLedger(chain: Chain): void {
  const { state, history, now } = chain;
  const previous = history.latest();
  const sequence = previous.sequence + 1;
  // Close times always rise, even when ledgers are closed by hand within one millisecond.
  const closedAtMs = Math.max(now(), previous.closedAtMs + 1);
  const ledger = { sequence, seconds: Math.floor(closedAtMs / 1000) };
  const host = chain.host();
  // A surge raises the price for new transactions, not for those that already wait.
  const moment = { nowSeconds: ledger.seconds, nextLedger: sequence, baseInclusionFee: BASE_FEE_STROOPS };
  const charged = chain.pending.flatMap((transaction) => {
    if (refusalOf(transaction, state, host, moment)) return [];
    return [{ transaction, fee: chargeFee(state, transaction, sequence, chain.baseInclusionFee) }];
  });
  chain.pending = [];
  const hashes = charged.map(({ transaction }) => Buffer.from(transaction.hash, 'hex'));
  const hash = sha256(pack(previous.hash, ...hashes));
  charged.forEach(({ transaction, fee }, index) => {
    const seed = sha256(pack(hash, BigInt(index)));
    const applied = applyTransaction({ state, host, ledger, seed, assets: chain.assets }, transaction, fee);
    history.addTransaction(transactionRecord(applied, ledger, index + 1));
  });
  history.addLedger(closed(previous, { sequence, closedAtMs, hash, upgrade: chain.upgrade }));
  chain.upgrade = undefined;
  if (sequence % EVICTION_INTERVAL_LEDGERS === 0) evictExpired(state, sequence);
}

function closed(
  { protocol, hash: previousHash }: ClosedLedger,
  ledger: Pick<ClosedLedger, 'sequence' | 'closedAtMs' | 'hash' | 'upgrade'>,
): ClosedLedger {
  const tellsMilliseconds = protocol >= MILLISECONDS_PROTOCOL;
  return { ...ledger, previousHash, protocol: ledger.upgrade ?? protocol, tellsMilliseconds };
}

/** The interval at which expired temporary entries are removed. */
const EVICTION_INTERVAL_LEDGERS = 1_000;

function evictExpired(state: LedgerState, ledger: number): void {
  for (const [key, entry] of state) if (!isLive(key, entry, ledger)) state.delete(key);
}
