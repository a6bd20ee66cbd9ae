import { StrKey, xdr } from '@stellar/stellar-sdk';
import { envelopeOf, transactionHash } from '../../stellar/transactionBytes.ts';
import type { SettlementFee } from '../verify/checks/fee.ts';
import { refuse, type Refusal } from '../refusal.ts';
import { buildFeeBump, buildSettlement, type Validity } from './settlementTransaction.ts';
import type { Signer } from './signer.ts';
import type { ReadyAccount } from './channelAccounts.ts';
import type { VerifiedPayment } from '../verify/verify.ts';

export interface SigningDeps {
  networkId: Uint8Array;
  feeBump: Signer | undefined;
  /** Receives the reason why a signer failed; the refusal names only the signer. */
  onFault: (fault: unknown) => void;
}

/** A signed transaction, ready to be sent. */
export interface SignedTransaction {
  /** Base64 XDR. */
  envelope: string;
  /** 64 hex characters. Identifies the transaction on the ledger. */
  hash: string;
}

type SigningCode =
  | 'settle_exact_stellar_transaction_signing_failed'
  | 'settle_exact_stellar_fee_bump_signing_failed';

/** Builds and signs the settlement, and wraps it in a fee bump if there is an account for that. */
export async function signSettlement(
  deps: SigningDeps,
  verified: VerifiedPayment,
  { account, validity, bid }: { account: ReadyAccount; validity: Validity; bid: SettlementFee },
): Promise<SignedTransaction | Refusal<SigningCode>> {
  const { address } = account.signer;
  const tx = buildSettlement(
    verified,
    { address, sequence: account.sequence + 1n },
    validity,
    bid.transactionStroops,
  );
  const hash = transactionHash(deps.networkId, 'transaction', tx);
  const signature = await signed(deps, account.signer, hash);
  if (signature === undefined) return failed('settle_exact_stellar_transaction_signing_failed', address);
  const envelope = envelopeOf('transaction', tx, [signature]);
  const { feeBumpStroops } = bid;
  if (deps.feeBump === undefined || feeBumpStroops === undefined) return signedTransaction(envelope, hash);
  return signFeeBump(deps, envelope, feeBumpStroops, deps.feeBump);
}

async function signFeeBump(
  deps: SigningDeps,
  inner: Buffer,
  feeStroops: number,
  signer: Signer,
): Promise<SignedTransaction | Refusal<SigningCode>> {
  const tx = buildFeeBump(inner, signer.address, feeStroops);
  const hash = transactionHash(deps.networkId, 'feeBump', tx);
  const signature = await signed(deps, signer, hash);
  if (signature === undefined) return failed('settle_exact_stellar_fee_bump_signing_failed', signer.address);
  return signedTransaction(envelopeOf('feeBump', tx, [signature]), hash);
}

const signedTransaction = (envelope: Buffer, hash: Buffer): SignedTransaction => ({
  envelope: envelope.toString('base64'),
  hash: hash.toString('hex'),
});

async function signed(
  { onFault }: SigningDeps,
  signer: Signer,
  hash: Uint8Array,
): Promise<xdr.DecoratedSignature | undefined> {
  try {
    const hint = StrKey.decodeEd25519PublicKey(signer.address).subarray(-4);
    return new xdr.DecoratedSignature({ hint, signature: await signer.sign(hash) });
  } catch (fault) {
    onFault(fault);
    return undefined;
  }
}

function failed(code: SigningCode, address: string): Refusal<SigningCode> {
  return refuse(code, `Signing with ${address} failed; nothing was sent.`);
}
