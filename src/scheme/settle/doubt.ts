/** What is asked of the network before it is believed that a transaction did not apply. */
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
 * Whether a transaction can never apply for what this facilitator believed of the network: its account's sequence
 * number, the time, or the price of a place. The next one knows better.
 */
export function isCurable(end: JournaledEnd): boolean {
  if (end.status !== 'rejected') return end.status === 'never';
  return isBadSequence(end) || isTooLow(end) || end.reason === 'txTooLate';
}

/** Whether the network takes nothing from the account as it is: it lacks lumens, or its key is not the right one. */
export function isOfSource(end: JournaledEnd): boolean {
  if (end.status !== 'rejected') return false;
  return ['txInsufficientBalance', 'txNoAccount', 'txBadAuth'].includes(end.reason);
}

/** Whether it was the transaction inside a fee bump that was rejected. */
export function isOfInner(end: JournaledEnd): boolean {
  return end.status === 'rejected' && end.isInner === true;
}

export function isTooLow(end: JournaledEnd): boolean {
  return end.status === 'rejected' && end.reason === 'txInsufficientFee';
}

export function isBadSequence(end: JournaledEnd): boolean {
  return end.status === 'rejected' && end.reason === 'txBadSeq';
}

/** A transaction that was thought not to have applied, and how it ended. */
interface Applied {
  readonly hash: string;
  readonly outcome: Outcome;
}

/** What an attempt came to, as far as nodes say, and the hashes of those before it. */
interface Doubted {
  readonly attempt: SentTransaction;
  readonly end: JournaledEnd;
  readonly earlier: readonly string[];
  /** No other attempt will follow. */
  readonly isFinal: boolean;
  /** By hash, what was rejected, and was not taken all the same. */
  readonly rejected: Map<string, JournaledEnd>;
}

/** How the payment ended by a transaction that was thought not to have applied, if it did. */
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
 * What a ledger took all the same: the attempt that ended so, where nodes rejected it, or an earlier one. Somebody may
 * have passed on what was rejected: before that is the last word, another ledger must have closed without it, and what
 * no node confirms which is up to date is waited out.
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

/** The same once the next ledger has closed, which may be somewhat late. */
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
 * Reads the lane's sequence number again; whether something else has used the next one. A node may lag behind it, and
 * one that does not answer shows nothing.
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
