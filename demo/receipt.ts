/** What the ledger says of a settlement, read from the network and not from the facilitator. */
import { StrKey, xdr } from '@stellar/stellar-sdk';
import type { Network } from '../sandbox/network.ts';

export interface Receipt {
  ledger: number;
  /** The account whose sequence number carried it. */
  source: string;
  /** The account that paid the network. */
  feeSource: string;
  feeStroops: bigint;
}

interface Transaction {
  status: string;
  ledger: number;
  envelopeXdr: string;
  resultXdr: string;
}

/** Throws where no ledger holds a successful transaction of this hash. */
export function receiptOf(network: Network, hash: string): Receipt {
  const answer = network.rpc('getTransaction', { hash });
  if ('error' in answer) throw new Error(answer.error.message);
  const { status, ledger, envelopeXdr, resultXdr } = answer.result as Transaction;
  if (status !== 'SUCCESS') throw new Error(`transaction ${hash} is ${status} on the ledger`);
  const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr, 'base64');
  if (envelope.type !== 'envelopeTypeTxFeeBump') throw new Error('the settlement is no fee bump');
  const { feeSource, innerTx } = envelope.feeBump.tx;
  return {
    ledger,
    source: accountOf(innerTx.v1.tx.sourceAccount),
    feeSource: accountOf(feeSource),
    feeStroops: xdr.TransactionResult.fromXdr(resultXdr, 'base64').feeCharged,
  };
}

function accountOf(account: xdr.MuxedAccount): string {
  const key = account.type === 'keyTypeEd25519' ? account.ed25519 : account.med25519.ed25519;
  return StrKey.encodeEd25519PublicKey(key.value);
}
