import { claimOf } from '../../world/oracle/answers.ts';
import type { World } from './world.ts';

/** What schedules came to, each with how often: whoever looks sees that they reach what they are there for. */
export type Reached = Map<string, number>;

export function reachedIn({ calls, transactions, kills, troubles }: World): Reached {
  const reached: Reached = new Map();
  const note = (what: string): void => void reached.set(what, (reached.get(what) ?? 0) + 1);
  for (const { answer, isLost, sent } of calls) {
    if (sent.length > 1) note('a payment is signed again');
    if (answer !== undefined)
      note(`answered: ${answer.success ? 'settled' : `${answer.errorReason} (${claimOf(answer).says})`}`);
    else if (isLost) note('never answered: the process dies');
  }
  for (const { applied, call, feeSource, submitter, transfer } of transactions.sent.values()) {
    if (applied === undefined) note('a transaction never applies');
    else if (applied.status === 'failed') note('a transaction fails on the ledger');
    else {
      note('a transaction applies');
      if (feeSource !== submitter) note('a fee-bump account pays');
      if (transfer.from.startsWith('C')) note('a contract account pays');
      if (call.answer?.success !== true) note('a transaction applies for a seller who was not told of it');
    }
  }
  for (const trouble of troubles) note(trouble);
  for (const point of kills) note(`killed: ${point}`);
  return reached;
}

export function addTo(all: Reached, more: Reached): void {
  for (const [what, times] of more) all.set(what, (all.get(what) ?? 0) + times);
}
