import type { xdr } from '@stellar/stellar-sdk';
import type { PaymentPayload, PaymentRequirements } from '../contract/index.ts';

export interface SchemeRequest {
  /** Of any version: the envelope lets only the served one through, the scheme does not rely on that. */
  paymentPayload: PaymentPayload;
  paymentRequirements: PaymentRequirements;
}

/** A request to settle. */
export interface SettleRequest extends SchemeRequest {
  /** See `JournalEntry.listing`; absent is null. */
  listing?: string | null;
  /** The address that it was sent from; absent where that is not known. */
  sender?: string;
}

/** A payment that passed every check that needs no network, decoded: up to thirty times as large as it was sent. */
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

/** The parts of a payment that a settlement keeps while it waits. */
export interface PendingPayment extends Pick<
  Payment,
  'transaction' | 'payTo' | 'asset' | 'amount' | 'maxTimeoutSeconds'
> {
  /** Empty if it is no address. */
  payer: string;
  /** The party that its failures and its waiting count for; see partyOf. */
  party: string;
  /** The account or contract behind `payTo`: a muxed account has as many addresses as it likes. */
  recipient: string;

  /** `address:nonce` of the authorization that it spends. */
  authorization: string;
  /** The last ledger that may take it: its authorization expires there. */
  lastLedger: number;
  /** Its listing is made from this JSON; null if it asks for none. */
  listing: string | null;
  /** See SettleRequest. */
  sender: string | undefined;
}
