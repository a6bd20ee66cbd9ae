import { StrKey, type xdr } from '@stellar/stellar-sdk';
import { addressText, recipientOf } from '../../../stellar/addresses.ts';
import { isStellarAssetContract } from '../../../stellar/assetContract.ts';
import type { Payment } from '../../payment.ts';
import { refuse, type Refusal } from '../../refusal.ts';
import { int128 } from '../../../stellar/values.ts';
import type { SimulatedEvent } from './simulation.ts';

/** The content of one transfer event. SEP-41 writes the amount alone; CAP-67 adds a muxed recipient's id. */
interface Transfer {
  from: string | undefined;
  to: string | undefined;
  muxedId: bigint | undefined | 'no account number';
  amount: bigint | undefined;
}

/**
 * Checks the balance changes that the simulation shows: exactly one transfer, this payment's, emitted by the asset.
 * Nobody knows what an unreadable event moves, so it must not be skipped.
 */
export function checkEvents(events: readonly SimulatedEvent[], payment: Payment): Refusal | undefined {
  const transfers: Transfer[] = [];
  for (const event of events) {
    if (event === 'unreadable') return notATransfer('that this facilitator cannot read');
    if (event.type.name !== 'contract') continue;
    const transfer = readTransfer(event, payment.asset);
    if ('code' in transfer) return transfer;
    transfers.push(transfer);
  }
  const [transfer, ...others] = transfers;
  if (transfer === undefined) {
    return refuse(
      'invalid_exact_stellar_payload_no_transfer_events',
      'The simulation shows no transfer at all.',
    );
  }
  if (others.length > 0) {
    return refuse(
      'invalid_exact_stellar_payload_multiple_transfers',
      'The simulation shows more than one transfer.',
    );
  }
  return checkTransfer(transfer, payment);
}

/** True if the asset is a Stellar asset contract. Expects events that passed `checkEvents`. */
export function movesStellarAsset(
  events: readonly SimulatedEvent[],
  asset: string,
  passphrase: string,
): boolean {
  return events.some(
    (event) =>
      event !== 'unreadable' &&
      event.type.name === 'contract' &&
      isStellarAssetContract(asset, event.body.v0.topics, passphrase),
  );
}

function readTransfer(event: xdr.ContractEvent, asset: string): Transfer | Refusal {
  const { topics, data } = event.body.v0;
  const [name, from, to] = topics;
  if (!name || !from || !to || name.type !== 'scvSymbol' || name.sym.toString() !== 'transfer') {
    return notATransfer('other than a transfer');
  }
  if (event.contractId === null) {
    return refuse(
      'invalid_exact_stellar_payload_event_missing_contract_id',
      'A transfer event names no contract.',
    );
  }
  if (StrKey.encodeContract(event.contractId.value) !== asset) {
    return refuse(
      'invalid_exact_stellar_payload_event_wrong_asset',
      'A transfer event came from another contract.',
    );
  }
  return { from: addressText(from), to: addressText(to), ...readData(data) };
}

function notATransfer(which: string): Refusal {
  return refuse(
    'invalid_exact_stellar_payload_event_not_transfer',
    `The simulation shows a contract event ${which}.`,
  );
}

function readData(data: xdr.ScVal): Pick<Transfer, 'amount' | 'muxedId'> {
  if (data.type !== 'scvMap') return { amount: int128(data), muxedId: undefined };
  const muxedId = field(data, 'to_muxed_id');
  return {
    amount: int128(field(data, 'amount')),
    // CAP-67 also allows bytes and strings, which no muxed `payTo` can name.
    muxedId: muxedId === undefined || muxedId.type === 'scvU64' ? muxedId?.u64 : 'no account number',
  };
}

function field(map: xdr.ScValMap, name: string): xdr.ScVal | undefined {
  return map.map?.find(({ key }) => key.type === 'scvSymbol' && key.sym.toString() === name)?.val;
}

function checkTransfer({ from, to, muxedId, amount }: Transfer, payment: Payment): Refusal | undefined {
  if (from === undefined || from !== payment.payer) {
    return refuse(
      'invalid_exact_stellar_payload_event_wrong_from',
      'The simulation debits another address than the payer.',
    );
  }
  const recipient = recipientOf(payment.payTo);
  if (to !== recipient.base || muxedId !== recipient.muxedId) {
    return refuse(
      'invalid_exact_stellar_payload_event_wrong_to',
      'The simulation credits another address than payTo.',
    );
  }
  if (amount !== payment.amount) {
    return refuse('invalid_exact_stellar_payload_event_wrong_amount', 'The simulation moves another amount.');
  }
  return undefined;
}
