import type { Keypair } from '@stellar/stellar-sdk';
import type { FacilitatorRequest, PaymentRequirements } from '../../src/contract/index.ts';
import { draftTransfer, encodeDraft, sign } from './paymentsDraft.ts';
import type { CredentialsType } from './paymentsDraft.ts';

export const NETWORK = 'stellar:testnet';
export const PASSPHRASE = 'Test SDF Network ; September 2015';
export const USDC = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA';
export const USDC_ISSUER = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5';
export const NATIVE = 'CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC';

/** 0.01 USDC in base units. */
export const AMOUNT = 100_000n;
/** What stock sellers ask for, unless told otherwise. */
export const MAX_TIMEOUT_SECONDS = 300;

/** The terms of a seller (specification 2.1). */
export function requirementsFor(
  payTo: string,
  changes: Partial<PaymentRequirements> = {},
): PaymentRequirements {
  return {
    scheme: 'exact',
    network: NETWORK,
    asset: USDC,
    amount: String(AMOUNT),
    payTo,
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    extra: { areFeesSponsored: true },
    ...changes,
  };
}

/** A request as stock sellers send it to verify and settle. */
export function requestFor(requirements: PaymentRequirements, transaction: unknown): FacilitatorRequest {
  return {
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      resource: { url: 'https://seller.test/weather', description: '', mimeType: '' },
      accepted: { ...requirements },
      payload: { transaction },
    },
    paymentRequirements: { ...requirements },
  };
}

export interface TransferTerms {
  /** Signs the payment. */
  key: Keypair;
  /** Pays: the key's own account unless it signs for another address, such as a contract account. */
  from?: string;
  requirements: PaymentRequirements;
  /** The last ledger in which the authorization holds. */
  expiration: number;
  nonce: bigint;
  credentials?: CredentialsType;
}

/** A client of its own: builds and signs a payment without asking the network anything. Base64 XDR. */
export function signTransfer(terms: TransferTerms): string {
  const { key, from = key.publicKey(), requirements, expiration, nonce, credentials } = terms;
  const { payTo, asset, amount } = requirements;
  const draft = draftTransfer({
    from,
    to: payTo,
    amount: BigInt(amount),
    asset,
    expiration,
    nonce,
    ...(credentials && { credentials }),
  });
  sign(draft.entries[0]!, key);
  return encodeDraft(draft);
}
