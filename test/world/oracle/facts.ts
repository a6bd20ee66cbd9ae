import type { BazaarOutcome, FacilitatorRequest, SettleResponse } from '../../../src/contract/index.ts';
import type { JournalRow } from '../journal.ts';
import type { LedgerTransaction } from '../ledger.ts';
import type { Arrival } from '../webhookReceiver.ts';
import type { Transfer } from '../transaction.ts';
import type { Account } from './funds.ts';

/** A payment that sellers asked to be settled, once or more often. */
export interface Payment {
  /** `payer:nonce` of its authorization. */
  readonly authorization: string;
  /** The last ledger in which the authorization holds. */
  readonly expiration: number;
  readonly request: FacilitatorRequest;
  /** Says what its extension earns; 'nothing' if it carries none. */
  readonly deserves: Deserved;
  /** The Idempotency-Key that it is always asked for under; absent if there is none. */
  key?: string | undefined;
  /** Counts how often it was asked for. */
  asked: number;
  /** Holds the answers that sellers got: fewer than `asked` if the process was killed before it answered. */
  readonly answers: Answer[];
}

export type Deserved = 'a listing' | 'a refusal' | 'nothing';

export interface Answer {
  readonly body: SettleResponse;
  /** The outcome in the header `EXTENSION-RESPONSES`. */
  readonly bazaar: BazaarOutcome | undefined;
  /** The latest ledger when it arrived. */
  readonly inLedger: number;
}

/** All that is known of payments, from everyone who knows something. */
export interface Facts {
  readonly payments: readonly Payment[];
  /** The transactions that ledgers took from this service's submitters. */
  readonly ledger: readonly LedgerTransaction[];
  readonly journal: readonly JournalRow[];
  readonly accounts: readonly Account[];
  /** The most that a transaction may cost. */
  readonly ceilingStroops: number;
  /** What the receiver of webhooks was told; undefined if there is none. */
  readonly arrivals?: readonly Arrival[] | undefined;
}

export const payerOf = ({ authorization }: Pick<Payment, 'authorization'>): string =>
  authorization.split(':')[0]!;

/** Returns the transfer that the payer signed. */
export function transferOf(payment: Pick<Payment, 'authorization' | 'request'>): Transfer {
  const { asset, payTo, amount } = payment.request.paymentRequirements;
  return { asset, from: payerOf(payment), to: payTo, amount: BigInt(amount) };
}
