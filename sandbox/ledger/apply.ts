/** Applies a transaction to the ledger: fees first, then its sequence number, its call, and its refund. */
import type { xdr } from '@stellar/stellar-sdk';
import type { At, ContractEvent, EntryChange, Host } from '../host/host.ts';
import type { Assets } from './assets.ts';
import { createAccounts } from './createAccounts.ts';
import { accountKey } from './keys.ts';
import {
  chargeEvent,
  classicMeta,
  entryCreated,
  entryRemoved,
  entryUpdated,
  refundEvent,
  transactionMeta,
  type Changes,
} from './meta.ts';
import { appliedResult, invocationResult } from './results.ts';
import { sequenceExtension, storedEntry, updateAccount, type LedgerState } from './state.ts';
import { paidOperations, resourceFeeOf, type Transaction } from './transaction.ts';

export interface AppliedTransaction {
  transaction: Transaction;
  ok: boolean;
  /** The inclusion fee that was taken, in stroops per operation. */
  inclusionFee: number;
  result: xdr.TransactionResult;
  /** XDR, like the events below. */
  meta: Buffer;
  contractEvents: ContractEvent[];
  transactionEvents: Buffer[];
  diagnosticEvents: Buffer[];
}

/** The ledger that is closing. */
export interface Closing {
  state: LedgerState;
  host: Host;
  ledger: At;
  /** The seed of a contract's random numbers. */
  seed: Buffer;
  assets: Assets;
}

/** Takes the whole resource fee and the inclusion fee in advance. Returns the stroops taken. */
export function chargeFee(
  state: LedgerState,
  transaction: Transaction,
  ledger: number,
  baseInclusionFee: number,
): bigint {
  const resourceFee = resourceFeeOf(transaction);
  const asked = BigInt(baseInclusionFee * paidOperations(transaction));
  const bid = transaction.fee - resourceFee;
  const charged = resourceFee + (bid < asked ? bid : asked);
  updateAccount(state, transaction.feeSource, ledger, ({ balance }) => ({ balance: balance - charged }));
  return charged;
}

/** Applies an admitted transaction whose fee is taken. */
export function applyTransaction(
  closing: Closing,
  transaction: Transaction,
  charged: bigint,
): AppliedTransaction {
  const { state, host, ledger, seed, assets } = closing;
  const before = useSequence(closing, transaction);
  const { creations, feeSource } = transaction;
  if (creations) return applyCreations(closing, transaction, creations, { charged, before });

  const done = host.invoke(transaction.envelope, ledger, seed);
  const changes = done.changes.flatMap((change) => storeChange(state, change, ledger.sequence));
  const resourceFee = resourceFeeOf(transaction);
  const refund = resourceFee - done.nonRefundable - done.refundable;
  const after = refundFee(closing, feeSource, refund);
  const teller = assets.native.contract;
  const transactionEvents = [chargeEvent(teller, feeSource, charged), refundEvent(teller, feeSource, refund)];
  return {
    transaction,
    ok: done.ok,
    inclusionFee: Number(charged - resourceFee) / paidOperations(transaction),
    result: appliedResult(transaction, invocationResult(done), charged - refund),
    meta: transactionMeta(done, { before, changes, after, transactionEvents }),
    contractEvents: done.events,
    transactionEvents,
    diagnosticEvents: done.diagnosticEvents,
  };
}

function applyCreations(
  { state, ledger, assets }: Closing,
  transaction: Transaction,
  creations: readonly xdr.CreateAccountOp[],
  { charged, before }: { charged: bigint; before: Changes },
): AppliedTransaction {
  const created = createAccounts(state, transaction.source, creations, ledger.sequence);
  const transactionEvents = [chargeEvent(assets.native.contract, transaction.feeSource, charged)];
  return {
    transaction,
    ok: created.ok,
    inclusionFee: Number(charged) / paidOperations(transaction),
    result: appliedResult(transaction, created, charged),
    meta: classicMeta(before, created.changes, transactionEvents),
    contractEvents: [],
    transactionEvents,
    diagnosticEvents: [],
  };
}

/** Uses up the source account's sequence number, whether or not the call succeeds. */
function useSequence(closing: Closing, { source, inner }: Transaction): Changes {
  const { sequence, seconds } = closing.ledger;
  return changeAccount(closing, source, (account) => ({
    seqNum: inner.seqNum,
    ext: sequenceExtension(account, sequence, seconds),
  }));
}

function refundFee(closing: Closing, feeSource: xdr.AccountId, refund: bigint): Changes {
  if (refund <= 0n) return [];
  return changeAccount(closing, feeSource, ({ balance }) => ({ balance: balance + refund }));
}

function changeAccount(
  { state, ledger }: Closing,
  accountId: xdr.AccountId,
  change: (account: xdr.AccountEntry) => Partial<xdr.AccountEntry>,
): Changes {
  const key = accountKey(accountId);
  const before = state.get(key);
  updateAccount(state, accountId, ledger.sequence, change);
  return before ? entryUpdated(before, state.get(key)!) : [];
}

function storeChange(state: LedgerState, change: EntryChange, ledger: number): Changes {
  const key = change.key.toString('base64');
  const before = state.get(key);
  const liveUntil = change.liveUntilLedger || null;
  if (change.kind === 'extended') {
    // A call can extend a lifetime, but not shorten it.
    const until = Math.max(liveUntil ?? 0, before?.liveUntilLedger ?? 0);
    if (before) state.set(key, storedEntry(before.bytes, before.bytes.readUInt32BE(), until || null));
    return [];
  }
  if (!change.entry) {
    state.delete(key);
    return before ? entryRemoved(key, before) : [];
  }
  const after = storedEntry(change.entry, ledger, liveUntil);
  state.set(key, after);
  return before ? entryUpdated(before, after) : [entryCreated(after)];
}
