import { StrKey, xdr } from '@stellar/stellar-sdk';
import { feeBumpAround, withResources } from '../../stellar/transactionBytes.ts';
import type { VerifiedPayment } from '../verify/verify.ts';

/** Until when the network may still apply a transaction; afterwards it never will. Both inclusive. */
export interface Validity {
  /** Unix time. */
  maxTimeSeconds: number;
  lastLedger: number;
}

/**
 * The settlement: the client's call and authorization entries unchanged, everything else ours (specification 4.2).
 * Beside the time bound it carries a ledger bound at the authorization's expiry, since a transaction that could only
 * fail must not cost anything. XDR of Transaction.
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
  const call = new xdr.InvokeHostFunctionOp({
    hostFunction: payment.hostFunction,
    auth: [...payment.authorization],
  });
  const transaction = new xdr.Transaction({
    sourceAccount: accountSource(source.address),
    fee: feeStroops,
    seqNum: source.sequence,
    cond: xdr.Preconditions.precondV2(bounds),
    memo: xdr.Memo.memoNone(),
    operations: [
      new xdr.Operation({ sourceAccount: null, body: xdr.OperationBody.invokeHostFunction(call) }),
    ],
    ext: xdr.TransactionExt.v0(),
  });
  return withResources(transaction, simulation.transactionData);
}

/** The wrapper by which another account pays the fee of a signed transaction. XDR of FeeBumpTransaction. */
export function buildFeeBump(envelope: Buffer, feeSource: string, feeStroops: number): Buffer {
  return feeBumpAround(envelope, accountSource(feeSource), feeStroops);
}

function accountSource(address: string): xdr.MuxedAccount {
  return xdr.MuxedAccount.keyTypeEd25519(StrKey.decodeEd25519PublicKey(address));
}
