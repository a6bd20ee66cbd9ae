/** What a transaction does to the ledger: fees first, then its sequence number, its call, and its refund. */
import { xdr } from '@stellar/stellar-sdk';
import type { EntryChange } from '../host/storage.ts';
import { createAccounts } from './createAccounts.ts';
import { nonRefundableFee } from './fees.ts';
import { accountKey } from './keys.ts';
import { chargeEvent, classicMeta, feeEvents, transactionMeta } from './meta.ts';
import type { AccountChanges } from './meta.ts';
import { appliedResult, invocationResult } from './results.ts';
import { runDeclared } from './run.ts';
import { changedEntry, sequenceExtension, updateAccount } from './state.ts';
import type { LedgerState } from './state.ts';
import { declaredFootprint, paidOperations, resourceFeeOf } from './transaction.ts';
import type { Transaction } from './transaction.ts';

export interface AppliedTransaction {
  transaction: Transaction;
  ok: boolean;
  /** Stroops per operation that were taken for inclusion. */
  inclusionFee: number;
  result: xdr.TransactionResult;
  meta: xdr.TransactionMeta;
  contractEvents: xdr.ContractEvent[];
  transactionEvents: xdr.TransactionEvent[];
  diagnosticEvents: xdr.DiagnosticEvent[];
}

export interface ClosingLedger {
  sequence: number;
  closedAtSeconds: number;
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
  state: LedgerState,
  transaction: Transaction,
  ledger: ClosingLedger,
  charged: bigint,
): AppliedTransaction {
  const before = useSequence(state, transaction, ledger);
  const { invocation, creations, sorobanData } = transaction;
  if (creations) return applyCreations(state, transaction, creations, { ledger, charged, before });
  if (!invocation || !sorobanData) throw new Error('only contract calls and new accounts are admitted');

  const { resources, resourceFee } = sorobanData;
  const footprint = declaredFootprint(resources);
  const nonRefundable = nonRefundableFee({
    ...resources,
    footprint,
    transactionBytes: transaction.sizeBytes,
  });
  const refundableLimit = Number(resourceFee) - nonRefundable;
  const run = runDeclared(state, transaction.operationSource, invocation, resources, {
    ledger: ledger.sequence,
    refundableLimit,
  });
  const changes = run.changes.map((change) => storeChange(state, change, ledger.sequence));

  const refund = BigInt(refundableLimit - run.refundable);
  const after = refundFee(state, transaction.feeSource, refund, ledger.sequence);
  const transactionEvents = feeEvents(transaction.feeSource, charged, refund);
  const { events, diagnosticEvents } = run;
  return {
    transaction,
    ok: run.outcome.type === 'success',
    inclusionFee: Number(charged - resourceFee) / paidOperations(transaction),
    result: appliedResult(transaction, invocationResult(run.outcome), charged - refund),
    meta: transactionMeta({
      ...run,
      before,
      after,
      changes: changes.flat(),
      transactionEvents,
      nonRefundable,
    }),
    contractEvents: events,
    transactionEvents,
    diagnosticEvents,
  };
}

function applyCreations(
  state: LedgerState,
  transaction: Transaction,
  creations: readonly xdr.CreateAccountOp[],
  { ledger, charged, before }: { ledger: ClosingLedger; charged: bigint; before: AccountChanges },
): AppliedTransaction {
  const created = createAccounts(state, transaction.source, creations, ledger.sequence);
  const transactionEvents = [chargeEvent(transaction.feeSource, charged)];
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

/** The source account's sequence number is used whether or not the call succeeds. */
function useSequence(
  state: LedgerState,
  { source, inner }: Transaction,
  ledger: ClosingLedger,
): AccountChanges {
  return changeAccount(state, source, ledger.sequence, (account) => ({
    seqNum: inner.seqNum,
    ext: sequenceExtension(account, ledger.sequence, ledger.closedAtSeconds),
  }));
}

function refundFee(
  state: LedgerState,
  feeSource: xdr.AccountId,
  refund: bigint,
  ledger: number,
): AccountChanges {
  if (refund <= 0n) return [];
  return changeAccount(state, feeSource, ledger, ({ balance }) => ({ balance: balance + refund }));
}

function changeAccount(
  state: LedgerState,
  accountId: xdr.AccountId,
  ledger: number,
  change: (account: xdr.AccountEntry) => Partial<xdr.AccountEntry>,
): AccountChanges {
  const { id } = accountKey(accountId);
  const before = state.get(id);
  updateAccount(state, accountId, ledger, change);
  const after = state.get(id);
  return before && after ? [before.entry, after.entry] : [];
}

function storeChange(
  state: LedgerState,
  { key, before, after }: EntryChange,
  ledger: number,
): xdr.LedgerEntryChange[] {
  if (!after) return [];
  const stored = changedEntry(after, { ledger });
  state.set(key.id, stored);
  const { ledgerEntryState, ledgerEntryUpdated, ledgerEntryCreated } = xdr.LedgerEntryChange;
  if (!before) return [ledgerEntryCreated(stored.entry)];
  return [ledgerEntryState(before.entry), ledgerEntryUpdated(stored.entry)];
}
