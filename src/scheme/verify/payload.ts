import { xdr } from '@stellar/stellar-sdk';
import { MAX_TRANSACTION_BYTES } from '../limits.ts';
import { refuse, type Refusal } from '../refusal.ts';

/** The client's transaction, decoded. Only its host function and authorization entries ever reach the ledger. */
export interface ClientTransaction {
  /** As it was sent: base64 XDR of a v1 envelope, canonical, without trailing bytes. */
  base64: string;
  body: xdr.Transaction;
}

const MAX_BASE64_LENGTH = Math.ceil(MAX_TRANSACTION_BYTES / 3) * 4;

/**
 * Decodes `payload.transaction`. Stricter than most decoders: it accepts only canonical base64 with nothing after the
 * envelope, so that two readers can never see two payments in one text.
 */
export function decodeTransaction(payload: unknown): ClientTransaction | Refusal {
  const base64 = (payload as { transaction?: unknown } | null | undefined)?.transaction;
  if (typeof base64 !== 'string') return malformed('payload.transaction must be a base64 string');
  if (base64.length > MAX_BASE64_LENGTH)
    return malformed(`payload.transaction exceeds ${MAX_TRANSACTION_BYTES} bytes`);
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length === 0 || bytes.toString('base64') !== base64) {
    return malformed('payload.transaction is not canonical base64');
  }
  const envelope = decodeEnvelope(bytes);
  if (envelope === undefined)
    return malformed(
      'payload.transaction is not the XDR of a transaction envelope, or holds what this facilitator does not know of a newer protocol',
    );
  if (envelope.type !== 'envelopeTypeTx') {
    return malformed(
      'payload.transaction must be a v1 transaction envelope, not a fee bump or a v0 envelope',
    );
  }
  return { base64, body: envelope.v1.tx };
}

function decodeEnvelope(bytes: Uint8Array): xdr.TransactionEnvelope | undefined {
  try {
    return xdr.TransactionEnvelope.fromXdr(bytes);
  } catch {
    // The decoder limits depth and lengths itself; anything that it refuses is not an envelope.
    return undefined;
  }
}

const malformed = (message: string) => refuse('invalid_exact_stellar_payload_malformed', message);
