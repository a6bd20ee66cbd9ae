import { STATUS, type Outcome, type SpentPayment } from '../../scheme/index.ts';

/** A transaction that was sent for a payment. Older ones lack some facts. */
export interface SettlementRecord {
  /** 64 hex characters. */
  readonly hash: string;
  readonly status: RecordStatus;
  readonly payer: string;
  readonly payTo: string | undefined;
  /** Base units. */
  readonly amount: string | undefined;
  readonly asset: string | undefined;
  /** The URL of what was sold, as the buyer named it. */
  readonly resource: string | undefined;
  /** `key:<id>`, or `anonymous`. */
  readonly caller: string | undefined;
  readonly requestId: string | undefined;
  /** The id by which the buyer named the payment. */
  readonly paymentIdentifier: string | undefined;
  /** Why it did not settle. */
  readonly code: string | undefined;
  readonly message: string | undefined;
  /** The network's own code for the outcome. */
  readonly result: string | undefined;
  readonly submitter: string;
  readonly bidStroops: number;
  readonly feeStroops: number | undefined;
  readonly ledger: number | undefined;
  readonly askedAt: Date | undefined;
  readonly verifiedAt: Date | undefined;
  readonly sentAt: Date;
  /** When its ledger closed; whole seconds. */
  readonly closedAt: Date | undefined;
  /** When its outcome was learned. */
  readonly endedAt: Date | undefined;
  /** The outcome of its listing; undefined if it asked for none. */
  readonly listing: 'due' | 'listed' | 'rejected' | 'given up' | undefined;
  readonly listedAt: Date | undefined;
}

export type RecordStatus = 'pending' | 'settled' | Exclude<Outcome['state'], 'applied'>;

/** Gives each status as the stores write it; null while it is pending. */
export const STORED_STATUS: Readonly<Record<RecordStatus, string | null>> = {
  pending: null,
  settled: STATUS.applied,
  failed: STATUS.failed,
  rejected: STATUS.rejected,
  expired: STATUS.expired,
  forgotten: STATUS.forgotten,
};

/** A record must match all of them. */
export interface RecordFilters {
  readonly status?: RecordStatus | undefined;
  readonly payer?: string | undefined;
  readonly payTo?: string | undefined;
  readonly asset?: string | undefined;
  readonly caller?: string | undefined;
  readonly code?: string | undefined;
  /** Sent at this time or later, and before that. */
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** Records, newest first. */
export interface RecordPage {
  readonly records: readonly SettlementRecord[];
  /**
   * Continues after this page; undefined if nothing follows. A page that had to pass over many records may be short, or
   * even empty, although others follow.
   */
  readonly next: string | undefined;
}

/** Reads the journal for people. Throws if it cannot be read. */
export interface Records {
  /** Returns undefined if `after` is not the `next` of a page. */
  page(filters: RecordFilters, limit: number, after?: string): Promise<RecordPage | undefined>;
  withHash(hash: string): Promise<SettlementRecord | undefined>;
  /** Returns the payment for which a transaction was sent; undefined if that is not known. */
  paymentOf(hash: string): Promise<SpentPayment | undefined>;
  /**
   * Returns the transaction that tells most of a payment: the one that settled it, else one whose outcome is not known,
   * else the last one.
   */
  ofPayment(payment: SpentPayment): Promise<SettlementRecord | undefined>;
  /** Returns records whose hashes begin with these hex characters, at most `limit`. */
  startingWith(beginning: string, limit: number): Promise<SettlementRecord[]>;
  /** Returns what settled in the latest ledgers that have settlements, newest first. */
  latestLedgers(limit: number): Promise<LedgerTotal[]>;
}

export interface LedgerTotal {
  readonly ledger: number;
  readonly closedAt: Date;
  readonly settled: number;
  readonly failed: number;
}

const STATUS_OF = new Map(
  Object.entries(STORED_STATUS).map(([status, stored]) => [stored, status as RecordStatus]),
);

/** Reads a row of either store. Its times are unix milliseconds, dates or texts. */
export function recordOf(row: Readonly<Record<string, unknown>>): SettlementRecord {
  const text = (name: string): string | undefined => (row[name] as string | null) ?? undefined;
  const number = (name: string): number | undefined => (row[name] === null ? undefined : Number(row[name]));
  const time = (name: string): Date | undefined => timeOf(row[name]);
  const seconds = number('closed_at');
  return {
    hash: String(row['hash']),
    status: STATUS_OF.get(row['status'] as string | null)!,
    payer: String(row['payer']),
    payTo: text('pay_to'),
    amount: text('amount'),
    asset: text('asset'),
    resource: text('resource'),
    caller: text('caller'),
    requestId: text('request_id'),
    paymentIdentifier: text('payment_identifier'),
    code: text('code'),
    message: text('message'),
    result: text('reason'),
    submitter: String(row['submitter']),
    bidStroops: Number(row['total_bid_stroops']),
    feeStroops: number('fee_charged_stroops'),
    ledger: number('ledger'),
    askedAt: time('asked_at'),
    verifiedAt: time('verified_at'),
    sentAt: timeOf(row['opened_at'])!,
    closedAt: seconds === undefined ? undefined : new Date(seconds * 1000),
    endedAt: time('ended_at'),
    listing: listingOf(row),
    listedAt: time('listed_at'),
  };
}

/** Reads a time of a row. */
export function timeOf(value: unknown): Date | undefined {
  if (value === null || value === undefined) return undefined;
  return new Date(value as number | string | Date);
}

function listingOf(row: Readonly<Record<string, unknown>>): SettlementRecord['listing'] {
  const { status, has_listing: hasListing, listing_status: listed } = row;
  if (status === STORED_STATUS.settled && Boolean(hasListing)) return 'due';
  if (listed === null) return undefined;
  return listed === 'success' ? 'listed' : (listed as 'rejected' | 'given up');
}
