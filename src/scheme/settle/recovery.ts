import { FAILURES_COUNT_MS } from './failures.ts';
import type { InFlight } from './inFlight.ts';
import type { SettleLimits } from '../limits.ts';
import type { SettlementJournal, UnendedEntry } from './settlementJournal.ts';
import type { SchemeObserver } from '../observer.ts';
import type { SchemeLog } from '../../stellar/log.ts';
import type { Payers } from './payers.ts';
import type { ChannelAccounts } from './channelAccounts.ts';
import { loggedEnd } from './loggedEnd.ts';
import { recordOutcome } from './send.ts';
import type { Watcher } from './watcher.ts';

interface RecoveryDeps {
  journal: SettlementJournal;
  inFlight: InFlight;
  accounts: ChannelAccounts;
  payers: Payers;
  watcher: Watcher;
  observer: SchemeObserver;
  log: SchemeLog;
  limits: Pick<SettleLimits, 'maxInclusionSeconds'>;
  /** Monotonic milliseconds. */
  now: () => number;
  onLateSettlement: () => void;
}

/**
 * Counts the failures of an earlier process against their payers, and follows what it left open. Until the outcome of an
 * entry is known, its authorization is reserved, too: a settlement that is requested again waits, and sees the first
 * one's outcome.
 */
export async function recover(deps: RecoveryDeps): Promise<void> {
  const failures = await deps.journal.failures(FAILURES_COUNT_MS);
  for (const { party, agoMs } of failures) deps.payers.failed(party, agoMs);
  followLeft(deps, deps.journal.unended(), ({ authorization }, learn) =>
    deps.inFlight.alone(authorization, learn),
  );
}

/**
 * Learns the outcomes of settlements that another process left open. Until then, each entry reserves its submitter and
 * its payer. Nothing is sent again: a seller that still wants the payment requests it again.
 */
export function followLeft(
  deps: RecoveryDeps,
  entries: readonly UnendedEntry[],
  inTurn: (entry: UnendedEntry, learn: () => Promise<void>) => Promise<void> | undefined = () => undefined,
): void {
  if (entries.length > 0)
    deps.log.info({ settlements: entries.length }, 'learning the outcomes of earlier settlements');
  for (const entry of entries) {
    const letGoOfPayer = deps.payers.hold(entry.party);
    const letGoOfAccount = deps.accounts.hold(entry.submitter);
    const learn = (): Promise<void> => learnOutcome(deps, entry);
    void (inTurn(entry, learn) ?? learn()).finally(() => {
      letGoOfPayer();
      letGoOfAccount();
      deps.accounts.handOut();
    });
  }
}

async function learnOutcome(deps: RecoveryDeps, entry: UnendedEntry): Promise<void> {
  const { watcher, log, limits, now, onLateSettlement } = deps;
  const { hash, party, sent, ageMs, askedAgoMs } = entry;
  const startedAtMs = now();
  // The clock may be wrong, then or now, but the time bound was never further away than this.
  const mostMs = limits.maxInclusionSeconds * 1000;
  const mayApplyUntil = startedAtMs + Math.min(mostMs, Math.max(0, mostMs - ageMs));
  try {
    // Nothing is sent again, so the transaction itself was not kept.
    const outcome = await watcher.follow({
      ...sent,
      hash,
      mayApplyUntil,
      envelope: undefined,
      isCertain: true,
    });
    recordOutcome(deps, hash, party, outcome);
    const durationMs = askedAgoMs === undefined ? undefined : askedAgoMs + now() - startedAtMs;
    log.info(loggedEnd(entry, outcome, durationMs), 'earlier settlement ended');
    if (outcome.state === 'applied') onLateSettlement();
  } catch (err) {
    // The service is closing; the entry stays open for the next start.
    log.warn({ err, transaction: hash }, 'the outcome of an earlier settlement is still not known');
  }
}
