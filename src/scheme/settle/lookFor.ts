import type { RpcAnswers } from '../../stellar/rpc/answers.ts';
import { readResult } from './transactionResult.ts';
import { resubmit } from './submission.ts';
import type { FollowedOutcome, SentTransaction, WatcherDeps } from './watcher.ts';

type Found = RpcAnswers['getTransaction'];

/** A sent transaction, and what the nodes have said of it. */
export interface Followed extends SentTransaction {
  /** The latest ledger when the network last said that it has the transaction; -Infinity if it has not said so. */
  arrivedLedger: number;
  resends: number;
  /** The number of times that the network was asked for it. */
  looks: number;
  /** The number of times that every node that answered said that it has expired and is in no ledger. */
  denials: number;
  /** The latest ledger that is known not to hold it. */
  checkedLedger: number;
}

/** Asks for a transaction once. Returns its outcome if that is certain. Sends it again if it may not have arrived. */
export async function lookFor(deps: WatcherDeps, one: Followed): Promise<FollowedOutcome | undefined> {
  one.looks += 1;
  const answer = await deps.rpc.call('getTransaction', { hash: one.hash });
  if (answer.status !== 'NOT_FOUND') return outcomeIn(answer);
  if (isOver(deps, one, answer)) return confirmOver(deps, one);
  if (answer.latestLedger <= one.checkedLedger) return undefined;
  one.checkedLedger = answer.latestLedger;
  await sendAgain(deps, one, answer.latestLedger);
  return undefined;
}

/** Sends it again unless the network said lately that it has it. The same bytes can never pay twice. */
async function sendAgain(
  { rpc, limits, onFault }: WatcherDeps,
  one: Followed,
  latestLedger: number,
): Promise<void> {
  const { envelope, hash, arrivedLedger } = one;
  if (envelope === undefined || latestLedger - arrivedLedger < limits.resendAfterLedgers) return;
  if (one.resends++ >= limits.maxResends) return;
  if (await resubmit({ rpc, onFault }, { envelope, hash })) one.arrivedLedger = latestLedger;
}

/**
 * True when every ledger that could hold the transaction has closed: close times only ever rise. No node is believed
 * before that time has passed here as well.
 */
function isOver(
  { now }: Pick<WatcherDeps, 'now'>,
  { validity: { maxTimeSeconds, lastLedger }, mayApplyUntil }: Followed,
  answer: Found,
): boolean {
  if (now() < mayApplyUntil) return false;
  return answer.latestLedger >= lastLedger || Number(answer.latestLedgerCloseTime) > maxTimeSeconds;
}

/**
 * Asks every node, since one answer can be put together across the close of a ledger, and one node can lack what
 * another knows. Each node must say that the transaction is over, or keep failing to answer. One of them must remember
 * all ledgers that could hold it; otherwise it is forgotten.
 */
async function confirmOver(deps: WatcherDeps, one: Followed): Promise<FollowedOutcome | undefined> {
  const answers = await deps.rpc.callEach('getTransaction', { hash: one.hash });
  const faults = answers.filter((answer) => answer instanceof Error);
  for (const fault of faults) deps.onFault(fault);
  const found = answers.filter((answer): answer is Found => !(answer instanceof Error));
  const holder = found.find(({ status }) => status !== 'NOT_FOUND');
  if (holder) return outcomeIn(holder);
  if (found.length === 0 || !found.every((answer) => isOver(deps, one, answer))) return undefined;
  // A node that is gone for good must not block the account forever.
  one.denials += 1;
  const isRemembered = found.some(({ oldestLedger }) => oldestLedger <= one.sentInLedger + 1);
  if ((faults.length > 0 || !isRemembered) && one.denials < deps.limits.maxDenials) return undefined;
  return { state: isRemembered ? 'expired' : 'forgotten' };
}

/** Reads an answer's outcome. The status is believed as it is; a ledger and a close time only if they are plausible. */
export function outcomeIn(answer: Found): FollowedOutcome {
  const { status, resultXdr, latestLedger, latestLedgerCloseTime } = answer;
  const result = readResult(resultXdr);
  const [ledger, closedAtSeconds] = [Number(answer.ledger), Number(answer.createdAt)];
  return {
    state: status === 'SUCCESS' ? 'applied' : 'failed',
    ledger: isUpTo(ledger, latestLedger) ? ledger : undefined,
    closedAtSeconds: isUpTo(closedAtSeconds, Number(latestLedgerCloseTime)) ? closedAtSeconds : undefined,
    feeChargedStroops: result?.feeChargedStroops,
    result: result?.code ?? 'no result given',
  };
}

/** A result may be later than what its answer calls the latest: the answer was put together while ledgers closed. */
const MAX_LEAD = 1_000;

function isUpTo(value: number, latest: number): boolean {
  return Number.isSafeInteger(value) && value > 0 && value <= latest + MAX_LEAD;
}
