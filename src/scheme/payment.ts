import type { xdr } from '@stellar/stellar-sdk';
import type { PaymentPayload, PaymentRequirements } from '../contract/index.ts';
import type { Refusal, SchemeCode } from './refusal.ts';
import type { FeeBudget, SettlementKey } from './settle/settlementJournal.ts';

export interface SchemeRequest {
  /** May be of any version: the envelope lets only the served one through, but the scheme does not rely on that. */
  paymentPayload: PaymentPayload;
  paymentRequirements: PaymentRequirements;
  /** The name of the caller that sent it: that of its key, or its address. Absent if not known. */
  sender?: string;
  /** The id of the sender's key; absent if it has shown none. */
  keyId?: string | undefined;
}

export interface SettleRequest extends SchemeRequest {
  /** See `JournalEntry.listing`. */
  listing?: string | undefined;
  /** The budget that its fees are taken from. Unless given, they count as those of a caller without a key. */
  budget?: FeeBudget;
  /** Names the request in the log and the journal; absent if not known. */
  requestId?: string | undefined;
  /** The URL of what is sold, as the buyer names it; absent if not known. */
  resource?: string | undefined;
  /** These two: see JournalEntry. */
  paymentIdentifier?: string | undefined;
  key?: SettlementKey | undefined;
  /** Never rejects. If it resolves to a refusal, nothing is done for the payment. */
  admitting?: Promise<Refusal<SchemeCode> | undefined> | undefined;
}

/**
 * A decoded payment that passed every check that needs no network. It takes up to thirty times the memory of what was
 * sent.
 */
export interface Payment {
  /** The client's transaction as it was sent, base64 XDR. It is simulated in this form. */
  transaction: string;
  /** The call and its authorization. They are settled unchanged. */
  hostFunction: Extract<xdr.HostFunction, { type: 'hostFunctionTypeInvokeContract' }>;
  authorization: readonly xdr.SorobanAuthorizationEntry[];
  /** The `from` argument as text; undefined if it is not an address, which the network then refuses. */
  payer: string | undefined;
  payTo: string;
  asset: string;
  /** Base units. */
  amount: bigint;
  maxTimeoutSeconds: number;
}

/** The parts of a payment from which it can be decoded again. Payments wait in this form. */
export interface EncodedPayment extends Pick<
  Payment,
  'transaction' | 'payTo' | 'asset' | 'amount' | 'maxTimeoutSeconds'
> {
  /** Empty if it is not an address. */
  payer: string;
}

/** The parts of a payment that a settlement keeps while it waits. */
export interface PendingPayment extends EncodedPayment {
  /** The party that its failures and its waiting count for; see partyOf. */
  party: string;
  /** The account or contract behind `payTo`: one account can have any number of muxed addresses. */
  recipient: string;

  /** `address:nonce` of the authorization that it spends. */
  authorization: string;
  /** The last ledger that may take it, in which its authorization expires. */
  lastLedger: number;
  /** The JSON that its listing is made from; undefined if it asks for none. */
  listing: string | undefined;
  /** See SettleRequest. */
  sender: string | undefined;
  budget: FeeBudget;
  requestId: string | undefined;
  resource: string | undefined;
  paymentIdentifier?: string | undefined;
  key?: SettlementKey | undefined;
}
