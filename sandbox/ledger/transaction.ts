/** Reads a transaction as the network does: decoded, hashed, with the facts that its envelope holds. */
import { xdr } from '@stellar/stellar-sdk';
// Adds muxed contracts (CAP-84), until the SDK knows them.
import '../../src/stellar/muxedContract.ts';
import { sha256 } from '../protocol.ts';

export interface FeeBump {
  /** The hash that the fee source signs. */
  hash: Buffer;
  feeSource: xdr.AccountId;
  signatures: xdr.DecoratedSignature[];
}

export interface Transaction {
  envelope: Buffer;
  /** The hash of the envelope that was sent: a fee bump's own. */
  hash: string;
  /** The hash of the transaction itself, which a fee bump wraps. */
  innerHash: Buffer;
  inner: xdr.Transaction;
  signatures: xdr.DecoratedSignature[];
  feeBump: FeeBump | undefined;
  source: xdr.AccountId;
  /** The account that pays. */
  feeSource: xdr.AccountId;
  /** The source of the operation, for which `source account` credentials authorize. */
  operationSource: xdr.AccountId;
  /** The whole bid, in stroops. */
  fee: bigint;
  invocation: xdr.InvokeHostFunctionOp | undefined;
  /** Undefined unless it does nothing but create accounts from its source. */
  creations: xdr.CreateAccountOp[] | undefined;
  sorobanData: xdr.SorobanTransactionData | undefined;
}

/** Decodes an envelope in base64. Throws the decoder's error for anything else. */
export function decodeTransaction(envelopeXdr: string, networkId: Uint8Array): Transaction {
  const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr, 'base64');
  if (envelope.type === 'envelopeTypeTxV0') throw new Error('v0 envelopes are not supported');
  const { tx: inner, signatures } =
    envelope.type === 'envelopeTypeTx' ? envelope.v1 : envelope.feeBump.tx.innerTx.v1;
  const innerHash = payloadHash(
    networkId,
    xdr.TransactionSignaturePayloadTaggedTransaction.envelopeTypeTx(inner),
  );
  const feeBump =
    envelope.type === 'envelopeTypeTxFeeBump' ? feeBumpOf(networkId, envelope.feeBump) : undefined;
  const source = accountOfMuxed(inner.sourceAccount);
  const operation = inner.operations[0];
  return {
    envelope: Buffer.from(envelopeXdr, 'base64'),
    hash: (feeBump?.hash ?? innerHash).toString('hex'),
    innerHash,
    inner,
    signatures,
    feeBump,
    source,
    feeSource: feeBump?.feeSource ?? source,
    operationSource: operation?.sourceAccount ? accountOfMuxed(operation.sourceAccount) : source,
    fee: envelope.type === 'envelopeTypeTxFeeBump' ? envelope.feeBump.tx.fee : BigInt(inner.fee),
    invocation:
      inner.operations.length === 1 && operation?.body.type === 'invokeHostFunction'
        ? operation.body.invokeHostFunctionOp
        : undefined,
    creations: creationsOf(inner),
    sorobanData: inner.ext.type === 'sorobanData' ? inner.ext.sorobanData : undefined,
  };
}

function creationsOf({ operations }: xdr.Transaction): xdr.CreateAccountOp[] | undefined {
  const creations = operations.flatMap(({ sourceAccount, body }) =>
    sourceAccount === null && body.type === 'createAccount' ? [body.createAccountOp] : [],
  );
  return creations.length > 0 && creations.length === operations.length ? creations : undefined;
}

function feeBumpOf(networkId: Uint8Array, { tx, signatures }: xdr.FeeBumpTransactionEnvelope): FeeBump {
  const tagged = xdr.TransactionSignaturePayloadTaggedTransaction.envelopeTypeTxFeeBump(tx);
  const hash = payloadHash(networkId, tagged);
  return { hash, feeSource: accountOfMuxed(tx.feeSource), signatures };
}

function payloadHash(
  networkId: Uint8Array,
  taggedTransaction: xdr.TransactionSignaturePayloadTaggedTransaction,
): Buffer {
  return sha256(new xdr.TransactionSignaturePayload({ networkId, taggedTransaction }).toXdr());
}

function accountOfMuxed(account: xdr.MuxedAccount): xdr.AccountId {
  const raw = account.type === 'keyTypeEd25519' ? account.ed25519 : account.med25519.ed25519;
  return xdr.PublicKey.publicKeyTypeEd25519(raw);
}

/** Returns the resource fee that it declares, in stroops. */
export function resourceFeeOf({ sorobanData }: Transaction): bigint {
  return sorobanData?.resourceFee ?? 0n;
}

/** Returns the number of operations that pay an inclusion fee. A fee bump counts as one more. */
export function paidOperations({ inner, feeBump }: Transaction): number {
  return inner.operations.length + (feeBump ? 1 : 0);
}
