/** Answers a settle from the record of its transaction, as it was or would have been answered at the time. */
import type { SettleResponse } from '../contract/index.ts';
import type { SettlementRecord } from '../journal/index.ts';
import type { PaidTerms, SettledFacts } from '../scheme/index.ts';
import { defaultMessage } from './messages.ts';

export function settledResponse(
  { hash: transaction, payer }: SettlementRecord,
  network: string,
): SettleResponse {
  return { success: true, transaction, network, payer };
}

export function failedResponse(record: SettlementRecord, network: string): SettleResponse {
  const { hash: transaction, payer } = record;
  const errorReason = (record.code ?? FAILED) as typeof FAILED;
  const errorMessage = record.message ?? defaultMessage(errorReason);
  return {
    success: false,
    errorReason,
    errorMessage,
    transaction: '',
    network,
    payer,
    extra: { transaction },
  };
}

const FAILED = 'settle_exact_stellar_transaction_failed';

/** Returns what was paid; undefined in records of older versions. */
export function paidTerms({
  payer,
  payTo,
  asset,
  amount,
  resource,
}: SettlementRecord): PaidTerms | undefined {
  if (payTo === undefined || asset === undefined || amount === undefined) return undefined;
  return { payer, payTo, asset, amount: BigInt(amount), resource };
}

export function ledgerClose({ ledger, closedAt }: SettlementRecord): SettledFacts['ledgerClose'] {
  if (ledger === undefined || closedAt === undefined) return undefined;
  return { ledger, seconds: closedAt.getTime() / 1000 };
}
