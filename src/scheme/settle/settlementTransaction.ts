import { StrKey, xdr } from '@stellar/stellar-sdk';
import { invokeTransaction } from '../../stellar/invocation.ts';
import { feeBumpAround, withResources } from '../../stellar/transactionBytes.ts';
import type { VerifiedPayment } from '../verify/verify.ts';

/** The last time and the last ledger at which the network may apply a transaction. Afterwards it never will. */
export interface Validity {
  /** Unix time. */
  maxTimeSeconds: number;
  lastLedger: number;
}

/**
 * Builds the settlement. The client's call and authorization entries stay unchanged; everything else is ours. Besides
 * the time bound, it has a ledger bound at the authorization's expiry, since a transaction that could only fail must
 * not cost anything. Returns XDR of Transaction.
 */
export function buildSettlement(
  { payment, simulation }: VerifiedPayment,
  source: { address: string; sequence: bigint },
  { maxTimeSeconds, lastLedger }: Validity,
  feeStroops: number,
): Buffer {
  const bounds = new xdr.PreconditionsV2({
    timeBounds: new xdr.TimeBounds({ minTime: 0n, maxTime: BigInt(maxTimeSeconds) }),
    ledgerBounds: new xdr.LedgerBounds({ minLedger: 0, maxLedger: lastLedger + 1 }),
    minSeqNum: null,
    minSeqAge: 0n,
    minSeqLedgerGap: 0,
    extraSigners: [],
  });
  const transaction = invokeTransaction({
    hostFunction: payment.hostFunction,
    auth: payment.authorization,
    sourceAccount: accountSource(source.address),
    fee: feeStroops,
    seqNum: source.sequence,
    cond: xdr.Preconditions.precondV2(bounds),
  });
  return withResources(transaction, simulation.transactionData);
}

/** Builds the wrapper by which another account pays a signed transaction's fee. Returns XDR of FeeBumpTransaction. */
export function buildFeeBump(envelope: Buffer, feeSource: string, feeStroops: number): Buffer {
  return feeBumpAround(envelope, accountSource(feeSource), feeStroops);
}

function accountSource(address: string): xdr.MuxedAccount {
  return xdr.MuxedAccount.keyTypeEd25519(StrKey.decodeEd25519PublicKey(address));
}
