/** Transaction meta (V4) and the events of fees (CAP-67). */
import { xdr } from '@stellar/stellar-sdk';
import { accountAddress, addressValue, i128, symbol } from '../host/values.ts';
import { NATIVE } from './assets.ts';
import type { Run } from './run.ts';

/** An account before and after a change; empty if nothing changed. */
export type AccountChanges = [before: xdr.LedgerEntry, after: xdr.LedgerEntry] | [];

interface MetaParts extends Pick<Run, 'value' | 'events' | 'diagnosticEvents' | 'refundable' | 'rent'> {
  before: AccountChanges;
  after: AccountChanges;
  changes: xdr.LedgerEntryChange[];
  transactionEvents: xdr.TransactionEvent[];
  /** Stroops. */
  nonRefundable: number;
}

const EXT = xdr.ExtensionPoint.v0();

export function transactionMeta(parts: MetaParts): xdr.TransactionMeta {
  const charged = new xdr.SorobanTransactionMetaExtV1({
    ext: EXT,
    totalNonRefundableResourceFeeCharged: BigInt(parts.nonRefundable),
    totalRefundableResourceFeeCharged: BigInt(parts.refundable),
    rentFeeCharged: BigInt(parts.rent),
  });
  const operation = new xdr.OperationMetaV2({ ext: EXT, changes: parts.changes, events: parts.events });
  return xdr.TransactionMeta.v4(
    new xdr.TransactionMetaV4({
      ext: EXT,
      txChangesBefore: entryChanges(parts.before),
      operations: [operation],
      txChangesAfter: entryChanges(parts.after),
      sorobanMeta: new xdr.SorobanTransactionMetaV2({
        ext: xdr.SorobanTransactionMetaExt.v1(charged),
        returnValue: parts.value,
      }),
      events: parts.transactionEvents,
      diagnosticEvents: parts.diagnosticEvents,
    }),
  );
}

/** Without a contract call. */
export function classicMeta(
  before: AccountChanges,
  operations: readonly xdr.LedgerEntryChange[][],
  transactionEvents: xdr.TransactionEvent[],
): xdr.TransactionMeta {
  return xdr.TransactionMeta.v4(
    new xdr.TransactionMetaV4({
      ext: EXT,
      txChangesBefore: entryChanges(before),
      operations: operations.map((changes) => new xdr.OperationMetaV2({ ext: EXT, changes, events: [] })),
      txChangesAfter: [],
      sorobanMeta: null,
      events: transactionEvents,
      diagnosticEvents: [],
    }),
  );
}

export function entryChanges([before, after]: AccountChanges): xdr.LedgerEntryChange[] {
  if (!before || !after) return [];
  return [xdr.LedgerEntryChange.ledgerEntryState(before), xdr.LedgerEntryChange.ledgerEntryUpdated(after)];
}

/** The whole fee is taken before all transactions of a ledger; what was not used comes back after them. */
export function feeEvents(payer: xdr.AccountId, charged: bigint, refund: bigint): xdr.TransactionEvent[] {
  return [
    chargeEvent(payer, charged),
    feeEvent(xdr.TransactionEventStage.transactionEventStageAfterAllTxs, payer, -refund),
  ];
}

export function chargeEvent(payer: xdr.AccountId, charged: bigint): xdr.TransactionEvent {
  return feeEvent(xdr.TransactionEventStage.transactionEventStageBeforeAllTxs, payer, charged);
}

function feeEvent(
  stage: xdr.TransactionEventStage,
  payer: xdr.AccountId,
  stroops: bigint,
): xdr.TransactionEvent {
  const topics = [symbol('fee'), addressValue(accountAddress(payer))];
  const event = new xdr.ContractEvent({
    ext: EXT,
    contractId: NATIVE.contractId,
    type: xdr.ContractEventType.contract,
    body: xdr.ContractEventBody.v0(new xdr.ContractEventV0({ topics, data: i128(stroops) })),
  });
  return new xdr.TransactionEvent({ stage, event });
}
