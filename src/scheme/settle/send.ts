import type { SchemeLog } from '../../stellar/log.ts';
import { totalStroops } from '../verify/checks/fee.ts';
import type { ChannelAccounts, ReadyAccount } from './channelAccounts.ts';
import type { JournalEntry, Opened, SettlementJournal } from './settlementJournal.ts';
import { isBadSequence, loggedOutcome, type Outcome } from './outcome.ts';
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
  log: SchemeLog;
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
  const opened = await deps.journal.open(entryOf(settlement, attempt), () => !settlement.isAnswered);
  if (opened !== 'open') return opened;
  // The same bytes may have been signed before, within a second.
  settlement.attempts = [...attempts.filter(({ hash }) => hash !== attempt.hash), attempt];
  const outcome = await outcomeOf(deps, settlement, account, attempt);
  if (outcome.state !== 'rejected') {
    recordOutcome(deps, attempt.hash, payment.party, outcome);
    deps.log.info({ ...namesOf(attempt), ...loggedOutcome(outcome) }, 'settlement ended');
  }
  settlement.state = outcome.state;
  return Object.assign(attempt, { outcome });
}

async function outcomeOf(
  deps: SendDeps,
  settlement: Settlement,
  account: ReadyAccount,
  attempt: Attempt,
): Promise<Outcome> {
  const submission = await submit(deps, attempt);
  if (submission.state === 'rejected') {
    deps.log.warn({ ...namesOf(attempt), reason: submission.reason }, 'submission rejected');
    if (!isBadSequence(submission) || (await isOvertaken(deps, account))) return submission;
    // The sequence number is right, so that node is behind or another node has the transaction. The ledger will tell.
  }
  settlement.state = 'sent';
  const isCertain = submission.state === 'sent' && submission.isCertain;
  const outcome = await deps.watcher.follow({ ...attempt, isCertain });
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
  { journal, payers }: Pick<SendDeps, 'journal' | 'payers'>,
  hash: string,
  party: string,
  outcome: Outcome,
): void {
  if (outcome.state === 'failed') payers.failed(party);
  journal.close(hash, outcome);
}

function entryOf({ payment }: Settlement, attempt: Attempt): JournalEntry {
  const { hash, isStellarAsset, source, sequence, bid, validity, sentInLedger } = attempt;
  return {
    hash,
    listing: payment.listing,
    isStellarAsset,
    payer: payment.payer,
    party: payment.party,
    authorization: payment.authorization,
    submitter: source,
    sequence,
    bid: { inclusionStroops: bid.inclusionStroops, totalStroops: totalStroops(bid) },
    sent: { validity, sentInLedger },
  };
}

function namesOf({ hash, source, bid }: Attempt): object {
  return { transaction: hash, submitter: source, bidStroops: totalStroops(bid) };
}
