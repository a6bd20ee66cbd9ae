import { xdr } from '@stellar/stellar-sdk';

/** A transaction's result as the RPC sends it; undefined where it is missing or unreadable. */
export function decodeResult(base64: string | undefined): xdr.TransactionResult | undefined {
  if (base64 === undefined) return undefined;
  try {
    return xdr.TransactionResult.fromXdr(base64, 'base64');
  } catch {
    return undefined;
  }
}

/** Its name, as the network spells it: txBadSeq, txInsufficientBalance …; in a fee bump, that of the transaction inside. */
export function resultCode({ result }: xdr.TransactionResult): string {
  return result.type === 'txFeeBumpInnerFailed' ? result.innerResultPair.result.result.type : result.type;
}
