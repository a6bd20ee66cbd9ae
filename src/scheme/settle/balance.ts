import { xdr } from '@stellar/stellar-sdk';
import { scAddressOf } from '../../stellar/addresses.ts';
import { invokeTransaction } from '../../stellar/invocation.ts';
import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import type { PendingPayment } from '../payment.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import { int128 } from '../../stellar/values.ts';

/**
 * Reads the payer's balance in base units from the asset's own `balance` (SEP-41), on a ledger no older than the latest
 * one seen. Undefined if there is no such answer. Throws if the RPC fails.
 */
export async function readBalance(
  { rpc, clock }: { rpc: Rpc; clock: Pick<LedgerClock, 'latestLedger'> },
  { payer, asset }: Pick<PendingPayment, 'payer' | 'asset'>,
): Promise<bigint | undefined> {
  const seenLedger = clock.latestLedger();
  const transaction = balanceCall(payer, asset).toXdr('base64');
  const { latestLedger = 0, error, results } = await rpc.call('simulateTransaction', { transaction });
  const value = results?.[0]?.xdr;
  if (error !== undefined || value === undefined || latestLedger < seenLedger) return undefined;
  return int128(valueIn(value));
}

function valueIn(base64: string): xdr.ScVal | undefined {
  try {
    return xdr.ScVal.fromXdr(base64, 'base64');
  } catch {
    return undefined;
  }
}

function balanceCall(payer: string, asset: string): xdr.TransactionEnvelope {
  const call = new xdr.InvokeContractArgs({
    contractAddress: scAddressOf(asset),
    functionName: 'balance',
    args: [xdr.ScVal.scvAddress(scAddressOf(payer))],
  });
  const hostFunction = xdr.HostFunction.hostFunctionTypeInvokeContract(call);
  const tx = invokeTransaction({ hostFunction });
  return xdr.TransactionEnvelope.envelopeTypeTx(new xdr.TransactionV1Envelope({ tx, signatures: [] }));
}
