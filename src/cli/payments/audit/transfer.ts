import { xdr } from '@stellar/stellar-sdk';
import { invocationIn } from '../../../scheme/index.ts';
import { addressText, scAddressText } from '../../../stellar/addresses.ts';
import { int128 } from '../../../stellar/values.ts';

/** A payment as the call of its transaction states it. */
export interface Transfer {
  readonly payer: string | undefined;
  readonly payTo: string | undefined;
  readonly amount: string | undefined;
  readonly asset: string | undefined;
}

/** Reads `transfer(from, to, amount)` in an envelope (base64 XDR). Returns undefined if there is no such call. */
export function transferIn(envelope: string): Transfer | undefined {
  const transaction = transactionIn(envelope);
  const call = transaction && invocationIn(transaction)?.hostFunction;
  if (call?.type !== 'hostFunctionTypeInvokeContract') return undefined;
  const { contractAddress, functionName, args } = call.invokeContract;
  const [from, to, amount] = args;
  if (functionName.toString() !== 'transfer' || !from || !to) return undefined;
  return {
    payer: addressText(from),
    payTo: addressText(to),
    amount: int128(amount)?.toString(),
    asset: scAddressText(contractAddress),
  };
}

function transactionIn(envelope: string): xdr.Transaction | undefined {
  try {
    const read = xdr.TransactionEnvelope.fromXdr(envelope, 'base64');
    if (read.type === 'envelopeTypeTx') return read.v1.tx;
    return read.type === 'envelopeTypeTxFeeBump' ? read.feeBump.tx.innerTx.v1.tx : undefined;
  } catch {
    // A protocol that this version does not know.
    return undefined;
  }
}
