import type { Keypair } from '@stellar/stellar-sdk';
import type { FacilitatorRequest, PaymentRequirements } from '../../src/contract/index.ts';
import { draftTransfer, encodeDraft, sign, type CredentialsType } from './paymentsDraft.ts';
import { MARKET, NATIVE, NETWORK, OTHER_NETWORK, PASSPHRASE, USDC, USDC_ISSUER } from './playedNetwork.ts';

export { MARKET, NATIVE, NETWORK, OTHER_NETWORK, PASSPHRASE, USDC, USDC_ISSUER };

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
