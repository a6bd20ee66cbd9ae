/** Asks the network before it is believed that a transaction did not apply. */
import { setTimeout as sleep } from 'node:timers/promises';
import { endingOf } from './ending.ts';
import type { Ending } from './ending.ts';
import type { JournaledEnd, SettlementJournal } from './journal.ts';
import { nextLedger } from '../../stellar/ledgerClock.ts';
import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import type { SettleLimits } from '../limits.ts';
import type { RpcAnswers } from '../../stellar/rpc/node.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import type { SubmissionDeps } from './submission.ts';
import type { Submitters, TakenLane } from './submitters.ts';
import { outcomeOf } from './watcher.ts';
import type { Outcome, SentTransaction, Watcher } from './watcher.ts';

type Found = RpcAnswers['getTransaction'];

interface DoubtDeps {
  rpc: Rpc;
  journal: SettlementJournal;
  submitters: Submitters;
  clock: LedgerClock;
  watcher: Watcher;
  limits: Pick<SettleLimits, 'maxPollIntervalMs' | 'maxDenials' | 'resendAfterMs'>;
}

/**
 * True if a transaction can never apply because this facilitator was wrong about the network: about its account's
 * sequence number, the time, or the price of inclusion. The next attempt knows better.
 */
export function isCurable(end: JournaledEnd): boolean {
  if (end.status !== 'rejected') return end.status === 'never';
  return isBadSequence(end) || isTooLow(end) || end.reason === 'txTooLate';
}

/**
 * True when the network rejects every transaction from this account: it lacks lumens, does not exist, or its key is not
 * the right one.
 */
export function isOfSource(end: JournaledEnd): boolean {
  if (end.status !== 'rejected') return false;
  return ['txInsufficientBalance', 'txNoAccount', 'txBadAuth'].includes(end.reason);
}

/** True if the rejection is of the transaction inside a fee bump. */
export function isOfInner(end: JournaledEnd): boolean {
  return end.status === 'rejected' && end.isInner === true;
}

export function isTooLow(end: JournaledEnd): boolean {
  return end.status === 'rejected' && end.reason === 'txInsufficientFee';
}

export function isBadSequence(end: JournaledEnd): boolean {
  return end.status === 'rejected' && end.reason === 'txBadSeq';
}

/** A transaction that was thought not to have applied, and its outcome. */
interface Applied {
  readonly hash: string;
  readonly outcome: Outcome;
}

/** An attempt, what the nodes say about its outcome, and the hashes of earlier attempts. */
interface Doubted {
  readonly attempt: SentTransaction;
  readonly end: JournaledEnd;
  readonly earlier: readonly string[];
  /** No other attempt will follow. */
  readonly isFinal: boolean;
  /** Rejected attempts by hash, except those that a ledger took after all. */
  readonly rejected: Map<string, JournaledEnd>;
}

/** Returns the outcome of the payment if a transaction applied that was thought not to have applied. */
export async function endingInstead(
  deps: DoubtDeps,
  lane: TakenLane,
  doubted: Doubted,
): Promise<Ending | undefined> {
  const { attempt, end, rejected } = doubted;
  if (end.status === 'rejected') rejected.set(attempt.hash, end);
  const applied = await appliedInstead(deps, doubted);
  if (applied === undefined) return undefined;
  rejected.delete(applied.hash);
  deps.journal.close(applied.hash, applied.outcome);
  deps.submitters.forget(lane);
  return endingOf(applied.hash, applied.outcome);
}

/**
 * Finds a transaction that a ledger took after all: this attempt, if nodes rejected it, or an earlier one. Somebody may
 * have passed on a rejected transaction. So before a rejection is final, another ledger must have closed without it. If
 * no node that is up to date confirms that, this waits until the transaction can no longer apply.
 */
async function appliedInstead(
  deps: DoubtDeps,
  { attempt, end, earlier, isFinal }: Doubted,
): Promise<Applied | undefined> {
  const isRejected = end.status === 'rejected';
  const hashes = isRejected ? [...earlier, attempt.hash] : earlier;
  const found = await (isRejected && isFinal ? findAppliedNext(deps, hashes) : findApplied(deps, hashes));
  if (found !== 'doubtful') return found;
  if (!isRejected) return undefined;
  const outcome = await deps.watcher.follow(attempt);
  if (outcome.status !== 'never') return { hash: attempt.hash, outcome };
  const foundLater = await findApplied(deps, earlier);
  return foundLater === 'doubtful' ? undefined : foundLater;
}

/** Does the same as findApplied once the next ledger has closed, which may be somewhat late. */
async function findAppliedNext(
  deps: DoubtDeps,
  hashes: readonly string[],
): Promise<Applied | 'doubtful' | undefined> {
  const { clock, limits } = deps;
  const next = clock.latestLedger() + 1;
  await nextLedger(clock, limits.maxPollIntervalMs);
  for (let looks = 1; ; looks++) {
    const found = await findApplied(deps, hashes, next);
    if (found !== 'doubtful' || looks === limits.maxDenials) return found;
    await sleep(limits.resendAfterMs);
  }
}

async function findApplied(
  { rpc, clock }: DoubtDeps,
  hashes: readonly string[],
  asOf = 0,
): Promise<Applied | 'doubtful' | undefined> {
  let isDoubtful = false;
  for (const hash of hashes) {
    const answers = await rpc.callEach('getTransaction', { hash });
    const heard = answers.filter((answer): answer is Found => !(answer instanceof Error));
    const found = heard.find(({ status }) => status !== 'NOT_FOUND');
    if (found !== undefined) return { hash, outcome: outcomeOf(found) };
    const upTo = Math.max(asOf, clock.latestLedger());
    isDoubtful ||= heard.every(({ latestLedger }) => latestLedger < upTo);
  }
  return isDoubtful ? 'doubtful' : undefined;
}

/**
 * Reads the lane's sequence number again. True if something else has used the next one. A node that lags, or does not
 * answer, proves nothing.
 */
export async function isOvertaken(
  { submitters, onFault }: { submitters: Submitters } & Pick<SubmissionDeps, 'onFault'>,
  lane: TakenLane,
): Promise<boolean> {
  const { sequence } = lane;
  await submitters.refresh(lane).catch(onFault);
  if (lane.sequence > sequence) return true;
  lane.sequence = sequence;
  return false;
}
