/** What is asked of the network before it is believed that a transaction did not apply. */
import { endingOf } from './ending.ts';
import type { Ending } from './ending.ts';
import type { JournaledEnd, SettlementJournal } from './journal.ts';
import type { Rpc } from './rpc/pool.ts';
import type { SubmissionDeps } from './submission.ts';
import type { Submitters, TakenLane } from './submitters.ts';
import { readResult } from './watcher.ts';

interface DoubtDeps {
  rpc: Rpc;
  journal: SettlementJournal;
  submitters: Submitters;
}

/**
 * Whether a transaction can never apply for what this facilitator believed of the network: its account's sequence
 * number, the time, or the price of a place. The next one knows better.
 */
export function isCurable(end: JournaledEnd): boolean {
  if (end.status !== 'rejected') return end.status === 'never';
  return isBadSequence(end) || end.reason === 'txTooLate' || end.reason === 'txInsufficientFee';
}

export function isBadSequence(end: JournaledEnd): boolean {
  return end.status === 'rejected' && end.reason === 'txBadSeq';
}

/** Of transactions that nodes said were rejected or came too late, the one that a ledger took all the same. */
export async function findApplied(
  { rpc, journal, submitters }: DoubtDeps,
  lane: TakenLane,
  hashes: readonly string[],
): Promise<Ending | undefined> {
  for (const hash of hashes) {
    const answers = await rpc.callEach('getTransaction', { hash });
    const found = answers.find((answer) => !(answer instanceof Error) && answer.status !== 'NOT_FOUND');
    if (found === undefined || found instanceof Error) continue;
    const outcome = readResult(found);
    journal.close(hash, outcome);
    submitters.forget(lane);
    return endingOf(hash, outcome);
  }
  return undefined;
}

/**
 * Reads the lane's sequence number again; whether something else has used the next one. A node may lag behind it, and
 * one that does not answer shows nothing.
 */
export async function isOvertaken(
  { submitters, onFault }: DoubtDeps & Pick<SubmissionDeps, 'onFault'>,
  lane: TakenLane,
): Promise<boolean> {
  const { sequence } = lane;
  await submitters.refresh(lane).catch(onFault);
  if (lane.sequence > sequence) return true;
  lane.sequence = sequence;
  return false;
}
