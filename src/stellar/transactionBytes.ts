/**
 * Handles transactions as XDR bytes. The resources from a simulation are passed on unchanged, so that a footprint may
 * hold what this SDK does not know.
 */
import { createHash } from 'node:crypto';
import { xdr } from '@stellar/stellar-sdk';

/** `ext` is the last field of a transaction. 0 is its arm without resources, 1 the one with them. */
const EXT_BYTES = 4;
const EXT_WITH_RESOURCES = 1;
const NO_EXT = 0;

/** Returns the bytes of a transaction with these resources (base64 XDR of SorobanTransactionData). It has none yet. */
export function withResources(transaction: xdr.Transaction, transactionData: string): Buffer {
  const bytes = transaction.toXdr();
  return Buffer.concat([
    bytes.subarray(0, bytes.length - EXT_BYTES),
    int32(EXT_WITH_RESOURCES),
    Buffer.from(transactionData, 'base64'),
  ]);
}

const TYPES = {
  transaction: xdr.EnvelopeType.envelopeTypeTx.value,
  feeBump: xdr.EnvelopeType.envelopeTypeTxFeeBump.value,
};

/** Returns the hash that signers sign: SHA-256 of TransactionSignaturePayload. */
export function transactionHash(
  networkId: Uint8Array,
  type: keyof typeof TYPES,
  transaction: Uint8Array,
): Buffer {
  return createHash('sha256').update(networkId).update(int32(TYPES[type])).update(transaction).digest();
}

/** Returns the bytes of a TransactionEnvelope, in either form. */
export function envelopeOf(
  type: keyof typeof TYPES,
  transaction: Uint8Array,
  signatures: readonly xdr.DecoratedSignature[],
): Buffer {
  const signed = signatures.map((signature) => signature.toXdr());
  return Buffer.concat([int32(TYPES[type]), transaction, int32(signatures.length), ...signed]);
}

/** Returns the bytes of a FeeBumpTransaction around the envelope of a signed transaction. */
export function feeBumpAround(envelope: Uint8Array, feeSource: xdr.MuxedAccount, feeStroops: number): Buffer {
  const fee = Buffer.alloc(8);
  fee.writeBigInt64BE(BigInt(feeStroops));
  return Buffer.concat([feeSource.toXdr(), fee, envelope, int32(NO_EXT)]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
