import type { BazaarExtension, CatalogCode, PaymentRequirements, Refusal } from '../contract/index.ts';
import type { Claim } from './proofs.ts';
import type { LedgerClose } from './store.ts';

/** The part of a request that a listing is made from. Nothing in it has been checked yet. */
export interface ListingRequest {
  /** `paymentPayload.extensions`: any JSON value. */
  readonly extensions: unknown;
  /** The reason why it cannot be listed, if that was known before it settled. `extensions` is then ignored. */
  readonly refusal?: CatalogRefusal;
  /** `paymentPayload.resource`: any JSON value. */
  readonly resource: unknown;
  /** The terms that the payment was settled under. */
  readonly requirements: PaymentRequirements;
}

/** A settlement, as it is reported to the catalog. */
export interface SettledPayment extends ListingRequest {
  /** When it settled. Defaults to now. */
  readonly settledAt?: Date | undefined;
  /** The ledger that holds it, if known. */
  readonly ledgerClose?: LedgerClose | undefined;
  /** True if it is known to be paid in a Stellar asset contract. Any other contract can claim any payment. */
  readonly isStellarAsset: boolean;
  readonly payer?: string | undefined;
  /** Its transaction. The database that instances share keeps the listing as due under it until it is written. */
  readonly transaction?: string | undefined;
  /** What the origin of the URL says of the recipient. If it names no other owner, the listing moves to the recipient. */
  readonly claim?: Claim | undefined;
}

/** Describes a resource in its seller's words, apart from how to call it. Absent fields were not declared. */
export interface Metadata {
  readonly description?: string;
  readonly mimeType?: string;
  /** At most 32 printable ASCII characters. */
  readonly serviceName?: string;
  /** At most 5, each of at most 32 printable ASCII characters, without duplicates; never empty. */
  readonly tags?: readonly string[];
  /** An absolute http or https URL of a public host. */
  readonly iconUrl?: string;
}

/** Identifies a listing. */
export interface ListingKey {
  /** The canonical URL. */
  readonly resource: string;
  readonly type: 'http' | 'mcp';
  /** Empty for `http`. */
  readonly toolName: string;
}

/** A resource as its seller declared it, checked against the catalog's rules. */
export interface Declaration extends ListingKey {
  readonly metadata: Metadata;
  /** The extension that the buyer echoed, without a route template that is invalid. */
  readonly bazaar: BazaarExtension;
}

/** Says why a resource is not listed. The message tells people what the defect is and what to do. */
export type CatalogRefusal = Refusal<CatalogCode>;
