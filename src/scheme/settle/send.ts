import type { SchemeLog } from '../../stellar/log.ts';
import type { SchemeTracer } from '../../stellar/tracer.ts';
import type { SchemeObserver } from '../observer.ts';
import { totalStroops } from '../verify/checks/fee.ts';
import type { ChannelAccounts, ReadyAccount } from './channelAccounts.ts';
import type { JournalEntry, Opened, SettlementJournal } from './settlementJournal.ts';
import { loggedEnd } from './loggedEnd.ts';
import { isBadSequence, ledgerCloseOf, type Outcome } from './outcome.ts';
import type { Payers } from './payers.ts';
import type { Attempt, EndedAttempt, Settlement } from './settlement.ts';
import { submit, type SubmissionDeps } from './submission.ts';
import type { Watcher } from './watcher.ts';

export type Unopened = Exclude<Opened, 'open'>;

export interface SendDeps extends SubmissionDeps {
  accounts: Pick<ChannelAccounts, 'refresh' | 'forget'>;
  payers: Pick<Payers, 'failed'>;
  watcher: Watcher;
  journal: SettlementJournal;
  observer: SchemeObserver;
  log: SchemeLog;
  tracer: SchemeTracer;
  /** Monotonic milliseconds. */
  now: () => number;
}

/**
 * Opens a journal entry, sends the attempt, waits for its outcome and closes the entry. If the attempt is rejected, the
 * entry stays open until the payment's own outcome is known. Returns the reason if the attempt may not be sent. Throws
 * when the service closes.
 */
export async function send(
  deps: SendDeps,
  settlement: Settlement,
  account: ReadyAccount,
  attempt: Attempt,
): Promise<EndedAttempt | Unopened> {
  const { attempts, payment } = settlement;
  const entry = entryOf(settlement, attempt, deps.now());
  const opened = await deps.journal.open(entry, () => !settlement.isAnswered);
  if (opened !== 'open') return opened;
  deps.tracer.note({ transaction: attempt.hash, submitter: attempt.source });
  deps.observer.sent(totalStroops(attempt.bid));
  // The same bytes may have been signed before, within a second.
  settlement.attempts = [...attempts.filter(({ hash }) => hash !== attempt.hash), attempt];
  const outcome = await outcomeOf(deps, settlement, account, attempt);
  if (outcome.state === 'rejected') deps.observer.ended('rejected', undefined);
  else {
    recordOutcome(deps, attempt.hash, payment.party, outcome);
    const facts = { ...entry, caller: entry.budget.caller };
    deps.log.info(loggedEnd(facts, outcome, deps.now() - settlement.askedAtMs), 'settlement ended');
  }
  settlement.state = outcome.state;
  deps.tracer.note({ outcome: outcome.state, ledger: ledgerCloseOf(outcome)?.ledger });
  return Object.assign(attempt, { outcome });
}

async function outcomeOf(
  deps: SendDeps,
  settlement: Settlement,
  account: ReadyAccount,
  attempt: Attempt,
): Promise<Outcome> {
  const submission = await deps.tracer.phase('send', () => submit(deps, attempt));
  if (submission.state === 'rejected') {
    deps.log.warn({ ...namesOf(attempt), reason: submission.reason }, 'submission rejected');
    if (!isBadSequence(submission) || (await isOvertaken(deps, account))) return submission;
    // The sequence number is right, so that node is behind or another node has the transaction. The ledger will tell.
  }
  settlement.state = 'sent';
  const isCertain = submission.state === 'sent' && submission.isCertain;
  const outcome = await deps.tracer.phase('wait for the ledger', () =>
    deps.watcher.follow({ ...attempt, isCertain }),
  );
  if (outcome.state === 'applied' || outcome.state === 'failed') account.sequence = attempt.sequence;
  // Read the sequence number again: this transaction or something else may have used it.
  else deps.accounts.forget(account);
  return outcome;
}

/**
 * Reads the account's sequence number again. True if something else has used the next one. A node that lags, or does not
 * answer, proves nothing.
 */
async function isOvertaken(
  { accounts, onFault }: Pick<SendDeps, 'accounts' | 'onFault'>,
  account: ReadyAccount,
): Promise<boolean> {
  const { sequence } = account;
  await accounts.refresh(account).catch(onFault);
  if (account.sequence > sequence) return true;
  account.sequence = sequence;
  return false;
}

/** Journals the outcome of a transaction. A transaction that failed on the ledger counts against its party. */
export function recordOutcome(
  { journal, payers, observer }: Pick<SendDeps, 'journal' | 'payers' | 'observer'>,
  hash: string,
  party: string,
  outcome: Outcome,
): void {
  if (outcome.state === 'failed') payers.failed(party);
  observer.ended(outcome.state, 'feeChargedStroops' in outcome ? outcome.feeChargedStroops : undefined);
  journal.close(hash, outcome);
}

function entryOf({ payment, ...settlement }: Settlement, attempt: Attempt, nowMs: number): JournalEntry {
  const { hash, isStellarAsset, source, sequence, bid, validity, sentInLedger } = attempt;
  const {
    payer,
    payTo,
    amount,
    asset,
    resource,
    party,
    authorization,
    listing,
    requestId,
    paymentIdentifier,
    key,
  } = payment;
  const { askedAtMs, verifiedAtMs = nowMs } = settlement;
  return {
    hash,
    listing,
    isStellarAsset,
    payer,
    payTo,
    amount,
    asset,
    resource,
    party,
    authorization,
    submitter: source,
    sequence,
    bid: { inclusionStroops: bid.inclusionStroops, totalStroops: totalStroops(bid) },
    budget: payment.budget,
    paymentIdentifier,
    key,
    sent: { validity, sentInLedger },
    requestId,
    askedAgoMs: nowMs - askedAtMs,
    verifiedAgoMs: nowMs - verifiedAtMs,
  };
}

function namesOf({ hash, source, bid }: Attempt): object {
  return { transaction: hash, submitter: source, bidStroops: totalStroops(bid) };
}
