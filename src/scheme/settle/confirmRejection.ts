import { setTimeout as sleep } from 'node:timers/promises';
import { nextLedger, type LedgerClock } from '../../stellar/ledgerClock.ts';
import type { RpcAnswers } from '../../stellar/rpc/answers.ts';
import type { ChannelAccounts, ReadyAccount } from './channelAccounts.ts';
import type { Outcome } from './outcome.ts';
import { recordOutcome, type SendDeps } from './send.ts';
import type { Attempt, EndedAttempt, Settlement } from './settlement.ts';
import { outcomeIn } from './lookFor.ts';

type Found = RpcAnswers['getTransaction'];

export interface ConfirmDeps extends SendDeps {
  accounts: ChannelAccounts;
  clock: LedgerClock;
}

/**
 * Asks the network to confirm that no attempt has paid, neither the last one nor an earlier one. Returns the attempt
 * that a ledger holds after all; undefined if none does. If the last attempt was rejected and none follows (`isFinal`),
 * another ledger must have closed without it, since somebody may have passed it on.
 */
export async function confirmRejection(
  deps: ConfirmDeps,
  settlement: Settlement,
  account: ReadyAccount,
  isFinal: boolean,
): Promise<EndedAttempt | undefined> {
  const held = await findHeld(deps, settlement, isFinal);
  if (held === undefined) return undefined;
  const { attempt, outcome } = held;
  recordOutcome(deps, attempt.hash, settlement.payment.party, outcome);
  deps.accounts.forget(account);
  settlement.state = outcome.state;
  return Object.assign(attempt, { outcome });
}

/** An attempt that was thought to be in no ledger, and its real outcome. */
interface Held {
  readonly attempt: Attempt;
  readonly outcome: Outcome;
}

/** If no node that is up to date confirms a rejection, waits until the transaction can no longer apply. */
async function findHeld(
  deps: ConfirmDeps,
  { attempts }: Settlement,
  isFinal: boolean,
): Promise<Held | undefined> {
  const [last, earlier] = [attempts.at(-1)!, attempts.slice(0, -1)];
  if (last.outcome?.state !== 'rejected') {
    const found = await findAmong(deps, earlier);
    return found === 'doubtful' ? undefined : found;
  }
  const found = await (isFinal ? findAfterNextLedger(deps, attempts) : findAmong(deps, attempts));
  if (found !== 'doubtful') return found;
  const outcome = await deps.watcher.follow({ ...last, isCertain: true });
  if (outcome.state !== 'expired') return { attempt: last, outcome };
  const foundLater = await findAmong(deps, earlier);
  return foundLater === 'doubtful' ? undefined : foundLater;
}

/** Looks once the next ledger has closed, which may be somewhat late. */
async function findAfterNextLedger(
  deps: ConfirmDeps,
  attempts: readonly Attempt[],
): Promise<Held | 'doubtful' | undefined> {
  const { clock, limits } = deps;
  const next = clock.latestLedger() + 1;
  await nextLedger(clock, limits.maxPollIntervalMs);
  for (let looks = 1; ; looks++) {
    const found = await findAmong(deps, attempts, next);
    if (found !== 'doubtful' || looks === limits.maxDenials) return found;
    await sleep(limits.resendAfterMs);
  }
}

/**
 * Asks every node. Returns 'doubtful' if no node as new as the latest ledger seen, or as `asOf`, denies one of the
 * attempts.
 */
async function findAmong(
  { rpc, clock }: ConfirmDeps,
  attempts: readonly Attempt[],
  asOf = 0,
): Promise<Held | 'doubtful' | undefined> {
  let isDoubtful = false;
  for (const attempt of attempts) {
    const answers = await rpc.callEach('getTransaction', { hash: attempt.hash });
    const heard = answers.filter((answer): answer is Found => !(answer instanceof Error));
    const found = heard.find(({ status }) => status !== 'NOT_FOUND');
    if (found !== undefined) return { attempt, outcome: outcomeIn(found) };
    const upTo = Math.max(asOf, clock.latestLedger());
    isDoubtful ||= heard.every(({ latestLedger }) => latestLedger < upTo);
  }
  return isDoubtful ? 'doubtful' : undefined;
}
