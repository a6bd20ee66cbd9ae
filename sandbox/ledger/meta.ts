/** Builds transaction meta (V4) in XDR, and the events of fees (CAP-67). */
import { nativeToScVal, xdr } from '@stellar/stellar-sdk';
import { pack, packList, packOptional } from '../bytes.ts';
import type { Invocation } from '../host/host.ts';
import type { Key } from './keys.ts';
import type { StoredEntry } from './state.ts';

const V4 = 4;
const NO_EXTENSION = 0;
const EXTENDED = 1;

/** LedgerEntryChangeType. */
const CREATED = 0;
const UPDATED = 1;
const REMOVED = 2;
const STATE = 3;

/** TransactionEventStage. */
const BEFORE_ALL_TRANSACTIONS = 0;
const AFTER_ALL_TRANSACTIONS = 2;

/** Each is a LedgerEntryChange. */
export type Changes = Buffer[];

export function entryCreated({ bytes }: StoredEntry): Buffer {
  return pack(CREATED, bytes);
}

export function entryUpdated(before: StoredEntry, after: StoredEntry): Changes {
  return [pack(STATE, before.bytes), pack(UPDATED, after.bytes)];
}

export function entryRemoved(key: Key, before: StoredEntry): Changes {
  return [pack(STATE, before.bytes), pack(REMOVED, Buffer.from(key, 'base64'))];
}

export function transactionMeta(
  { events, value, diagnosticEvents, nonRefundable, refundable, rent }: Invocation,
  parts: { before: Changes; changes: Changes; after: Changes; transactionEvents: Buffer[] },
): Buffer {
  const fees = pack(EXTENDED, NO_EXTENSION, nonRefundable, refundable, rent);
  const operation = operationMeta(
    parts.changes,
    events.map(({ event }) => event),
  );
  return pack(
    ...[V4, NO_EXTENSION, packList(parts.before), packList([operation]), packList(parts.after)],
    packOptional(pack(fees, packOptional(value))),
    ...[packList(parts.transactionEvents), packList(diagnosticEvents)],
  );
}

/** Builds the meta of a transaction without a contract call. */
export function classicMeta(before: Changes, operations: readonly Changes[], events: Buffer[]): Buffer {
  const metas = operations.map((changes) => operationMeta(changes, []));
  return pack(
    ...[V4, NO_EXTENSION, packList(before), packList(metas), packList([])],
    ...[packOptional(undefined), packList(events), packList([])],
  );
}

function operationMeta(changes: Changes, events: Buffer[]): Buffer {
  return pack(NO_EXTENSION, packList(changes), packList(events));
}

/** The native asset's contract, which emits the fee events. */
export type FeeTeller = xdr.ScAddress;

/** Builds the event of the charge: the ledger takes the whole fee before it runs any transaction. */
export function chargeEvent(teller: FeeTeller, payer: xdr.AccountId, charged: bigint): Buffer {
  return feeEvent(teller, BEFORE_ALL_TRANSACTIONS, payer, charged);
}

/** Builds the event of the refund: the ledger refunds the unused part after all transactions. */
export function refundEvent(teller: FeeTeller, payer: xdr.AccountId, refund: bigint): Buffer {
  return feeEvent(teller, AFTER_ALL_TRANSACTIONS, payer, -refund);
}

function feeEvent(teller: FeeTeller, stage: number, payer: xdr.AccountId, stroops: bigint): Buffer {
  const account = xdr.ScAddress.scAddressTypeAccount(payer);
  const event = new xdr.ContractEvent({
    ext: xdr.ExtensionPoint.v0(),
    contractId: teller.type === 'scAddressTypeContract' ? teller.contractId : null,
    type: xdr.ContractEventType.contract,
    body: xdr.ContractEventBody.v0(
      new xdr.ContractEventV0({
        topics: [xdr.ScVal.scvSymbol('fee'), xdr.ScVal.scvAddress(account)],
        data: nativeToScVal(stroops, { type: 'i128' }),
      }),
    ),
  });
  return pack(stage, event.toXdr());
}
