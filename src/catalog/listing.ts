import type { BazaarExtension, CatalogCode, PaymentRequirements } from '../contract/index.ts';
import type { LedgerClose } from './store.ts';

/** The part of a request that a listing is made from. Nothing in it is checked yet. */
export interface ListingRequest {
  /** `paymentPayload.extensions`: any JSON value. */
  readonly extensions: unknown;
  /** Why it cannot be listed, if that was seen before it settled; nothing looks at `extensions` then. */
  readonly refusal?: CatalogRefusal;
  /** `paymentPayload.resource`: any JSON value. */
  readonly resource: unknown;
  /** The terms that the payment was settled under. */
  readonly requirements: PaymentRequirements;
}

/** A settlement as the catalog is told of it. */
export interface SettledPayment extends ListingRequest {
  /** When it settled, for one that did so some time ago; now unless told. */
  readonly settledAt?: Date | undefined;
  /** The ledger that holds it, if it is known. */
  readonly ledgerClose?: LedgerClose | undefined;
  /** Whether it is known that it was paid in a Stellar asset contract: any other can claim any payment. */
  readonly isStellarAsset: boolean;
}

/** What a seller says of its resource, beside how to call it (specification 2.6). What is absent was not said. */
export interface Metadata {
  readonly description?: string;
  readonly mimeType?: string;
  /** At most 32 printable ASCII characters. */
  readonly serviceName?: string;
  /** At most 5 of at most 32 printable ASCII characters, without duplicates; never empty. */
  readonly tags?: readonly string[];
  /** An absolute http or https URL of a public host. */
  readonly iconUrl?: string;
}

/** What identifies a listing (specification 2.6). */
export interface ListingKey {
  /** The canonical URL. */
  readonly resource: string;
  readonly type: 'http' | 'mcp';
  /** Empty for `http`. */
  readonly toolName: string;
}

/** A resource as its seller declared it, held to the write rules (specification 4.6). */
export interface Declaration extends ListingKey {
  readonly metadata: Metadata;
  /** The echoed extension, without a route template that is invalid. */
  readonly bazaar: BazaarExtension;
}

/** Why a resource is not listed: a defect in what the buyer echoed (specification 7.5). */
export interface CatalogRefusal {
  readonly code: CatalogCode;
  /** For people; names the defect and what to do. */
  readonly message: string;
}
