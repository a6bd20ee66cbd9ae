import type { SettlementStatus } from '../../contract/index.ts';
import { SETTLE_LIMITS, type SpentPayment } from '../../scheme/index.ts';
import type { Records, SettlementRecord } from './record.ts';

/** What the journal knows of a settlement. */
export interface KnownSettlement {
  readonly status: SettlementStatus['status'];
  /** The transaction that paid or, if none did, the last one; undefined if none is known. */
  readonly record: SettlementRecord | undefined;
}

export interface StatusDeps {
  readonly records: Pick<Records, 'ofPayment' | 'paymentOf' | 'withHash'>;
  /** True while this process settles the payment with this authorization. */
  readonly isUnderWay: (authorization: string) => boolean;
  /** Returns unix milliseconds. */
  readonly now: () => number;
}

/** Finds a settlement by its payment, or by the hash of one of its transactions. Throws if the journal cannot be read. */
export async function findSettlement(
  asked: SpentPayment | string,
  { records, isUnderWay, now }: StatusDeps,
): Promise<KnownSettlement> {
  const payment = typeof asked === 'string' ? await records.paymentOf(asked) : asked;
  if (payment !== undefined) {
    const record = await records.ofPayment(payment);
    return { status: statusOf(record, isUnderWay(payment.authorization), now()), record };
  }
  // An entry of an older version, which does not say what it moves; or none.
  const record = await records.withHash(asked as string);
  return { status: statusOf(record, false, now()), record };
}

function statusOf(
  record: SettlementRecord | undefined,
  isUnderWay: boolean,
  nowMs: number,
): SettlementStatus['status'] {
  if (record?.status === 'settled') return 'settled';
  if (record?.status === 'pending' || isUnderWay) return 'pending';
  if (record === undefined || record.status === 'forgotten') return 'unknown';
  // Another instance may still send the next transaction. All other outcomes are recorded once it no longer does.
  return record.status === 'expired' && nowMs < lastSending(record) ? 'pending' : 'refused';
}

/** Returns the time (unix milliseconds) from which a settlement sends nothing more: its seller has an answer by then. */
const lastSending = ({ askedAt, sentAt }: SettlementRecord): number =>
  (askedAt ?? sentAt).getTime() + SETTLE_LIMITS.answerWithinMs;
