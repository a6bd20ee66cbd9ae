import type { Refusal, SchemeCode } from './refusal.ts';
import type { SettlementJournal, SpentPayment } from './settle/settlementJournal.ts';

/** A refusal, and the hash of the transaction that it names, if any. */
export interface NamingRefusal<Code extends SchemeCode> {
  readonly refusal: Refusal<Code>;
  readonly hash?: string;
}

/**
 * Says by which transaction this service has settled the same transfer before, by the same authorization, if it has: the
 * seller may have lost the answer. Only refused payments are looked up.
 */
export async function explainSettledBefore<Code extends SchemeCode>(
  journal: Pick<SettlementJournal, 'settledBy'>,
  refused: NamingRefusal<Code>,
  payment: () => SpentPayment,
): Promise<NamingRefusal<Code>> {
  const { code } = refused.refusal;
  if (code !== 'invalid_exact_stellar_payload_simulation_failed') return refused;
  const hash = await journal.settledBy(payment());
  if (hash === undefined) return refused;
  const message = `The authorization is already used, by transaction ${hash}: this facilitator has settled the same transfer before.`;
  return { refusal: { code, message }, hash };
}
