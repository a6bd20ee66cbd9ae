import type { InFlight } from './inFlight.ts';
import type { SettleLimits } from '../limits.ts';
import type { SettlementJournal, UnendedEntry } from './journal.ts';
import type { SchemeLog } from '../../stellar/log.ts';
import type { Payers } from './payers.ts';
import type { Submitters } from './submitters.ts';
import type { Watcher } from './watcher.ts';

interface RecoveryDeps {
  journal: SettlementJournal;
  inFlight: InFlight;
  submitters: Submitters;
  payers: Payers;
  watcher: Watcher;
  log: SchemeLog;
  limits: Pick<SettleLimits, 'maxInclusionSeconds'>;
  /** Monotonic milliseconds. */
  now: () => number;
  onLateSettlement: () => void;
}

/**
 * Learns the outcomes of the settlements that an earlier process left open. Until then, each entry reserves its
 * submitter, its payer and its authorization: a settlement that is requested again waits, and sees the first one's
 * outcome. Nothing is sent again: a seller that still wants the payment requests it again.
 */
export function recover(deps: RecoveryDeps): void {
  const entries = deps.journal.unended();
  if (entries.length > 0)
    deps.log.info({ settlements: entries.length }, 'learning the ends of earlier settlements');
  for (const entry of entries) {
    const letGoOfPayer = deps.payers.hold(entry.party);
    const letGoOfLane = deps.submitters.hold(entry.submitter);
    const learn = (): Promise<void> => learnEnd(deps, entry);
    void (deps.inFlight.alone(entry.authorization, learn) ?? learn()).finally(() => {
      letGoOfPayer();
      letGoOfLane();
      deps.submitters.handOut();
    });
  }
}

async function learnEnd(
  { journal, watcher, log, limits, now, onLateSettlement }: RecoveryDeps,
  { hash, submitter, sent, ageMs }: UnendedEntry,
): Promise<void> {
  // The clock may be wrong, then or now, but the time bound was never further away than this.
  const mostMs = limits.maxInclusionSeconds * 1000;
  const mayApplyUntil = now() + Math.min(mostMs, Math.max(0, mostMs - ageMs));
  try {
    // Nothing is sent again, so the transaction itself was not kept.
    const end = await watcher.follow({ ...sent, envelope: undefined, hash, mayApplyUntil, isCertain: true });
    journal.close(hash, end);
    log.info({ transaction: hash, submitter, ...end }, 'earlier settlement ended');
    if (end.status === 'success') onLateSettlement();
  } catch (err) {
    // The service is closing; the entry stays open for the next start.
    log.warn({ err, transaction: hash }, 'the end of an earlier settlement is still not known');
  }
}
