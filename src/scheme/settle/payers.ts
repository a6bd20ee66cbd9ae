/** Limits how much of the operator's fees a payer may put at risk, by its payments in flight and its failed ones. */
import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import type { PendingPayment } from '../payment.ts';
import type { FailureThresholds } from '../policy.ts';
import { refuse, type Refusal } from '../refusal.ts';
import { readBalance } from './balance.ts';
import { createFailures, type Failures } from './failures.ts';

export interface Payers {
  /** Returns the reason why no payment of this party is settled at the moment; undefined if there is none. */
  refusal(party: string): Refusal<'svc_policy_failing_payer'> | undefined;
  /**
   * Asks for the payer's balance if it has other payments in the same asset in flight. Never throws: while the balance
   * is not known, its payments go one at a time.
   */
  learnMeans(payment: PendingPayment): Promise<void>;
  /**
   * True if the payment may be in flight beside others of its payer: the balance covers them all, and few have failed.
   * If the balance is not known, this asks for it, and calls `onMeansKnown` once it is.
   */
  mayStart(payment: PendingPayment): boolean;
  start(payment: PendingPayment): void;
  end(payment: PendingPayment): void;
  /** Holds a party back until the returned function is called: a settlement of an earlier process is in flight. */
  hold(party: string): () => void;
  /** Notes that a settlement of this party failed on the ledger `agoMs` ago and cost its fee. */
  failed(party: string, agoMs?: number): void;
}

interface PayersDeps {
  rpc: Rpc;
  clock: Pick<LedgerClock, 'latestLedger'>;
  /** Monotonic milliseconds. */
  now: () => number;
  failures: FailureThresholds;
  onMeansKnown: () => void;
  onFault: (fault: unknown) => void;
}

/** The payments of one payer in one asset that are in flight. */
interface Means {
  payments: number;
  amount: bigint;
  /** The balance before those in flight are paid; undefined if it cannot be read, or was not read since one ended. */
  balance: bigint | undefined;
  isRead: boolean;
  asking: Promise<void> | undefined;
  /** The number of payments that have ended. */
  ended: number;
}

/** A party, which is usually a payer; see partyOf. */
interface Party {
  payments: number;
  holds: number;
  readonly means: Map<string, Means>;
}

interface Parts extends PayersDeps {
  readonly parties: Map<string, Party>;
  readonly failed: Failures;
}

export function createPayers(deps: PayersDeps): Payers {
  const failed = createFailures(deps.now);
  const parts: Parts = { ...deps, parties: new Map(), failed };
  return {
    refusal: (party) => refusalOf(parts, party),
    async learnMeans(payment) {
      const means = meansOf(parts, payment);
      if (means !== undefined && !means.isRead) await (means.asking ??= ask(parts, payment, means));
    },
    mayStart: (payment) => mayStart(parts, payment),
    start: (payment) => start(parts, payment),
    end: (payment) => end(parts, payment),
    hold(name) {
      const party = partyOf(parts, name);
      party.holds += 1;
      return () => {
        party.holds -= 1;
        forgetIdle(parts, name, party);
      };
    },
    failed: (party, agoMs) => failed.note(party, agoMs),
  };
}

function refusalOf(
  { failed, failures }: Parts,
  party: string,
): Refusal<'svc_policy_failing_payer'> | undefined {
  const count = failed.count(party);
  if (count < failures.refusedAfterFailures) return undefined;
  return refuse(
    'svc_policy_failing_payer',
    `${count} settlements of ${party} failed on the ledger within the last hour, and each cost this facilitator a fee. It settles no more payments of that party until these failures are an hour old.`,
  );
}

function mayStart(parts: Parts, payment: PendingPayment): boolean {
  const party = parts.parties.get(payment.party);
  if (party === undefined) return true;
  if (party.holds > 0 || party.payments >= mostAtOnce(parts, payment.party)) return false;
  const means = meansOf(parts, payment);
  if (means === undefined) return true;
  if (!means.isRead) means.asking ??= ask(parts, payment, means);
  return (means.balance ?? -1n) >= means.amount + payment.amount;
}

/** Returns how many may be in flight. After a failure, no more than may still fail before the party is refused. */
function mostAtOnce({ failed, failures }: Parts, party: string): number {
  const count = failed.count(party);
  if (count === 0) return Infinity;
  return count >= failures.serialAfterFailures ? 1 : failures.refusedAfterFailures - count;
}

function start(parts: Parts, payment: PendingPayment): void {
  const party = partyOf(parts, payment.party);
  const means = meansOf(parts, payment) ?? noMeans();
  party.means.set(purseOf(payment), means);
  party.payments += 1;
  means.payments += 1;
  means.amount += payment.amount;
}

function end(parts: Parts, payment: PendingPayment): void {
  const party = partyOf(parts, payment.party);
  const means = meansOf(parts, payment)!;
  party.payments -= 1;
  means.payments -= 1;
  means.amount -= payment.amount;
  means.ended += 1;
  [means.balance, means.isRead] = [undefined, false];
  if (means.payments === 0) party.means.delete(purseOf(payment));
  forgetIdle(parts, payment.party, party);
}

/** Asks for the balance, and again if a payment ended meanwhile: the balance may or may not include it. */
async function ask(parts: Parts, payment: PendingPayment, means: Means): Promise<void> {
  for (let ended = -1; ended !== means.ended && means.payments > 0;) {
    ended = means.ended;
    const balance = await readBalance(parts, payment).catch((fault: unknown) => void parts.onFault(fault));
    if (ended === means.ended) [means.balance, means.isRead] = [balance, true];
  }
  means.asking = undefined;
  parts.onMeansKnown();
}

function partyOf({ parties }: Parts, name: string): Party {
  const party = parties.get(name) ?? { payments: 0, holds: 0, means: new Map() };
  parties.set(name, party);
  return party;
}

function forgetIdle({ parties }: Parts, name: string, { payments, holds }: Party): void {
  if (payments + holds === 0) parties.delete(name);
}

const purseOf = ({ payer, asset }: PendingPayment): string => `${payer} ${asset}`;

const meansOf = ({ parties }: Parts, payment: PendingPayment): Means | undefined =>
  parties.get(payment.party)?.means.get(purseOf(payment));

const noMeans = (): Means => ({
  payments: 0,
  amount: 0n,
  balance: undefined,
  isRead: false,
  asking: undefined,
  ended: 0,
});
