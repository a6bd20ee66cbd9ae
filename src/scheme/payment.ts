import type { xdr } from '@stellar/stellar-sdk';
import type { PaymentPayload, PaymentRequirements } from '../contract/index.ts';

export interface SchemeRequest {
  /** Of any version: the envelope lets only the served one through, the scheme does not rely on that. */
  paymentPayload: PaymentPayload;
  paymentRequirements: PaymentRequirements;
}

/** The same to be settled. */
export interface SettleRequest extends SchemeRequest {
  /** See `JournalEntry.listing`; absent is null. */
  listing?: string | null;
}

/** A payment that passed every check that needs no network. */
export interface Payment {
  /** The client's transaction, base64 XDR, as sent: what is simulated. */
  transaction: string;
  /** The call and its authorization: what is settled, unchanged. */
  hostFunction: Extract<xdr.HostFunction, { type: 'hostFunctionTypeInvokeContract' }>;
  authorization: readonly xdr.SorobanAuthorizationEntry[];
  /** The `from` argument as text; undefined where it is no address, which the network then refuses. */
  payer: string | undefined;
  payTo: string;
  asset: string;
  /** Base units. */
  amount: bigint;
  maxTimeoutSeconds: number;
}
