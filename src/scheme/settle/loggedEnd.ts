import { refusalOf } from './answer.ts';
import { loggedOutcome, type Outcome } from './outcome.ts';

/** Returns the facts that the log states of a settlement, whoever learns its outcome. Older journal entries lack some. */
export interface LoggedFacts {
  readonly hash: string;
  readonly submitter: string;
  readonly bid: { readonly totalStroops: number };
  /** Base units. */
  readonly amount: bigint | string | undefined;
  readonly asset: string | undefined;
  readonly payer: string;
  readonly payTo: string | undefined;
  readonly resource: string | undefined;
  readonly caller: string | undefined;
  readonly requestId: string | undefined;
}

/** Returns the fields that describe the end of a settlement. `askedAgoMs` is the time since it was asked for. */
export function loggedEnd(facts: LoggedFacts, outcome: Outcome, askedAgoMs: number | undefined): object {
  const { hash, submitter, bid, amount, asset, payer, payTo, resource, caller, requestId } = facts;
  return {
    transaction: hash,
    submitter,
    bidStroops: bid.totalStroops,
    ...loggedOutcome(outcome),
    ...(outcome.state !== 'applied' && refusalOf(hash, outcome)),
    amount: amount?.toString(),
    asset,
    payer,
    payTo,
    resource,
    caller,
    requestId,
    durationMs: askedAgoMs === undefined ? undefined : Math.round(askedAgoMs),
  };
}
