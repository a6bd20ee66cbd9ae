/** Leads a settlement through its states; settlement.ts shows them. */
import type { VerifiedPayment } from '../verify/verify.ts';
import {
  answerOf,
  databaseUnavailable,
  feeBudgetExhausted,
  identifierTaken,
  nothingSent,
  stillInFlight,
  type Answer,
} from './answer.ts';
import type { AttemptSigner } from './attemptSigner.ts';
import type { Bids } from './bids.ts';
import type { ReadyAccount } from './channelAccounts.ts';
import { confirmRejection, type ConfirmDeps } from './confirmRejection.ts';
import type { Deadlines } from './deadlines.ts';
import { isBadSequence, isCurable, isOfAccount, isOfInner } from './outcome.ts';
import type { Payers } from './payers.ts';
import { send, type Unopened } from './send.ts';
import type { EndedAttempt, Settlement } from './settlement.ts';
import type { Sharing } from './sharing.ts';
import type { Signer } from './signer.ts';
import type { Verifier } from './verifier.ts';

export interface LifeDeps extends ConfirmDeps {
  verifier: Verifier;
  payers: Payers;
  deadlines: Deadlines;
  bids: Bids;
  signer: AttemptSigner;
  feeBump: Signer | undefined;
  sharing: Pick<Sharing, 'settledElsewhere' | 'noteLoss'> | undefined;
  /** Monotonic milliseconds. */
  now: () => number;
}

/** Says why a payment that is good must wait for another turn. */
type Postponed =
  | 'no free account'
  | Exclude<Unopened, 'budget exhausted' | 'key taken' | 'identifier taken' | 'unavailable'>;

/** Leads a settlement from its turn to its outcome. Throws if the network fails or the service closes. */
export async function live(deps: LifeDeps, settlement: Settlement): Promise<Answer> {
  let answer = await settleAtOnce(deps, settlement);
  while (typeof answer === 'string') {
    // Who uses a key is told to come back.
    if (answer === 'in flight elsewhere' && settlement.payment.key !== undefined) return stillInFlight;
    if (answer === 'in flight elsewhere') await waitForOther(deps, settlement);
    if (settlement.isAnswered) return stillInFlight;
    answer = await settleInTurn(deps, settlement);
  }
  return answer;
}

/** Waits until no other instance settles the same authorization. The payment is then verified again. */
async function waitForOther({ sharing, now }: LifeDeps, settlement: Settlement): Promise<void> {
  settlement.state = 'queued';
  const { payment, answerDeadline } = settlement;
  await sharing?.settledElsewhere(payment.authorization, answerDeadline - now());
}

/**
 * Settles if a channel account is free. A payment that must wait is decoded again later, since decoded payments take too
 * much memory to wait.
 */
async function settleAtOnce(deps: LifeDeps, settlement: Settlement): Promise<Answer | Postponed> {
  settlement.state = 'verifying';
  const verified = await deps.tracer.phase('verify', () => deps.verifier.verifyInTurn(settlement));
  if ('code' in verified) return { refusal: verified };
  settlement.state = 'verified';
  const account = await deps.accounts.takeFree(settlement.payment);
  if (account === undefined) return 'no free account';
  const isOutdated = deps.clock.latestLedger() > verified.simulation.latestLedger;
  return settleOn(deps, settlement, account, isOutdated ? undefined : verified);
}

/** Waits for a channel account. The payment is then verified again. */
async function settleInTurn(deps: LifeDeps, settlement: Settlement): Promise<Answer | Postponed> {
  settlement.state = 'waiting';
  const account = await deps.tracer.phase('wait for an account', () =>
    deps.accounts.take(settlement.payment, deps.deadlines.turnOf(settlement)),
  );
  if ('code' in account) return { refusal: account };
  return settleOn(deps, settlement, account);
}

/** Settles on the account that was taken for the payment, and gives the account back. */
async function settleOn(
  deps: LifeDeps,
  settlement: Settlement,
  account: ReadyAccount,
  verified?: VerifiedPayment,
): Promise<Answer | Postponed> {
  const { payment } = settlement;
  try {
    if (settlement.isAnswered) return { refusal: nothingSent };
    // Other payments of its payer may have failed meanwhile.
    const refusal = deps.payers.refusal(payment.party);
    if (refusal !== undefined) return { refusal };
    const current = verified ?? (await verifyAgain(deps, settlement));
    if ('code' in current) return { refusal: current };
    const answer = await attemptUntilCertain(deps, settlement, account, current);
    // After a fault they stay open: the next start learns their outcomes.
    closeRejected(deps, settlement);
    return answer;
  } finally {
    deps.accounts.release(account, payment);
  }
}

function verifyAgain(
  { tracer, verifier }: LifeDeps,
  settlement: Settlement,
): ReturnType<Verifier['verifyAgain']> {
  return tracer.phase('verify', () => verifier.verifyAgain(settlement));
}

/**
 * Signs and sends until the outcome is certain. It signs again only if the earlier signature can never apply, since it
 * was rejected or its time has passed. All signatures carry the same sequence number, unless something else has used
 * that number. So no two of them can ever apply, whatever the nodes say.
 */
async function attemptUntilCertain(
  deps: LifeDeps,
  settlement: Settlement,
  account: ReadyAccount,
  verified: VerifiedPayment,
): Promise<Answer | Postponed> {
  let current = verified;
  let wantedStroops = await deps.bids.first();
  for (let signatures = 1; ; signatures++) {
    const signed = await deps.tracer.phase('sign', () =>
      deps.signer.sign(settlement, account, current, wantedStroops),
    );
    if ('code' in signed) return { refusal: signed };
    if (settlement.isAnswered) return { refusal: nothingSent };
    settlement.state = 'signed';
    const attempt = await send(deps, settlement, account, signed);
    if (typeof attempt === 'string') return unsent(deps, settlement, account, attempt);
    if (attempt.outcome.state === 'applied') return answerOf(attempt);
    if (isOfAccount(attempt.outcome)) noteUnfit(deps, account, attempt);
    const isFinal = signatures === deps.limits.maxSignatures || !mayBeCured(deps, settlement, attempt);
    const held = await confirmRejection(deps, settlement, account, isFinal);
    if (held !== undefined) return answerOf(held);
    if (isFinal || !deps.deadlines.hasTimeLeft(settlement)) return answerOf(attempt);
    const next = await prepareNext(deps, settlement, account, { attempt, verified: current });
    if ('answer' in next) return next.answer;
    ({ verified: current, wantedStroops } = next);
  }
}

/** Returns the outcome of an earlier attempt, if there was one: it is certain, and this one changes nothing. */
function unsent(
  { sharing }: LifeDeps,
  { attempts, payment }: Settlement,
  account: ReadyAccount,
  why: Unopened,
): Answer | Postponed {
  if (why === 'account lost') sharing?.noteLoss(account.signer.address);
  const earlier = attempts.at(-1);
  if (earlier !== undefined) return answerOf(earlier as EndedAttempt);
  if (why === 'budget exhausted') return { refusal: feeBudgetExhausted(payment.budget) };
  if (why === 'identifier taken') return { refusal: identifierTaken };
  if (why === 'key taken') return stillInFlight;
  return why === 'unavailable' ? { refusal: databaseUnavailable } : why;
}

function mayBeCured({ deadlines }: LifeDeps, settlement: Settlement, { outcome }: EndedAttempt): boolean {
  return isCurable(outcome) && deadlines.hasTimeLeft(settlement);
}

/** Verifies the payment again if it may have become impossible, and raises the bid if that was too low. */
async function prepareNext(
  deps: LifeDeps,
  settlement: Settlement,
  account: ReadyAccount,
  last: { attempt: EndedAttempt; verified: VerifiedPayment },
): Promise<{ answer: Answer } | { verified: VerifiedPayment; wantedStroops: number }> {
  const { attempt } = last;
  const { outcome } = attempt;
  let { verified } = last;
  if (outcome.state === 'expired') await deps.accounts.refresh(account);
  if (outcome.state === 'expired' || isBadSequence(outcome)) {
    const again = await verifyAgain(deps, settlement);
    if ('code' in again) {
      // An earlier transaction may have paid, although no node knew it yet. That would explain the refusal: ask the
      // ledger again.
      const held = await confirmRejection(deps, settlement, account, false);
      return { answer: held === undefined ? { refusal: again } : answerOf(held) };
    }
    verified = again;
  }
  return { verified, wantedStroops: await deps.bids.raiseBid(attempt) };
}

/** Logs that the network rejects all transactions from the paying account. A channel account rests afterwards. */
function noteUnfit({ feeBump, log }: LifeDeps, account: ReadyAccount, { outcome }: EndedAttempt): void {
  if (feeBump !== undefined && !isOfInner(outcome))
    return log.error(
      { feeBump: feeBump.address },
      'the network rejects everything from the fee-bump account',
    );
  account.isUnfit = true;
  log.error({ submitter: account.signer.address }, 'the network rejects everything from this submitter');
}

/** Closes the journal entries of rejected attempts, now that the payment's outcome is known. */
function closeRejected({ journal }: Pick<LifeDeps, 'journal'>, { attempts }: Settlement): void {
  for (const { hash, outcome } of attempts) if (outcome?.state === 'rejected') journal.close(hash, outcome);
}
