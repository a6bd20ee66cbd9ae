import type { LedgerTransaction } from '../ledger.ts';
import type { Transaction, Transfer } from '../transaction.ts';

/** Says where a transaction departs from what its payer signed and its operator allows. */
export function wrongTerms(one: Transaction, signed: Transfer, ceilingStroops: number): string[] {
  const { feeStroops, innerFeeStroops, transfer } = one;
  const bid = feeStroops > innerFeeStroops ? feeStroops : innerFeeStroops;
  const differing = (['asset', 'from', 'to', 'amount'] as const).filter(
    (field) => transfer[field] !== signed[field],
  );
  return [
    ...(bid > ceilingStroops ? [`bids ${bid} stroops, above the ceiling of ${ceilingStroops}`] : []),
    ...differing.map((field) => `pays ${field} ${transfer[field]}, not ${signed[field]}`),
  ];
}

/** Says if a ledger charged more than was bid or allowed. */
export function wrongFee(
  { feeChargedStroops, feeStroops }: LedgerTransaction,
  ceilingStroops: number,
): string[] {
  if (feeChargedStroops <= ceilingStroops && feeChargedStroops <= feeStroops) return [];
  return [`cost ${feeChargedStroops} stroops: its bid was ${feeStroops}, the ceiling is ${ceilingStroops}`];
}

/** Finds the authorizations that cost more than one fee: each transaction on the ledger has, whether it paid or not. */
export function paidTwice(ledger: readonly LedgerTransaction[]): string[] {
  const byAuthorization = Map.groupBy(ledger, ({ authorization }) => authorization);
  return [...byAuthorization]
    .filter(([, transactions]) => transactions.length > 1)
    .map(([authorization, { length }]) => `ledger: ${length} fees were paid for ${authorization}`);
}
