/** Limits how much of the operator's fees a payer may put at risk, by its payments in flight and its failed ones. */
import { readBalance } from './balance.ts';
import type { SettlementJournal } from './journal.ts';
import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import type { PaymentPolicy } from '../verify/checks/policy.ts';
import type { PendingPayment } from '../payment.ts';
import { refuse } from '../refusal.ts';
import type { Refusal } from '../refusal.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';

const HOUR_MS = 3_600_000;
/** Far more than the number of settlements that can be in flight. */
const MAX_NOTED = 10_000;

export interface Payers {
  /** Returns the reason why nothing of this payer is settled at the moment; undefined if there is none. */
  refusal(payer: string): Refusal<'svc_policy_failing_payer'> | undefined;
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
  /** Holds a payer back until the returned function is called: a settlement of an earlier process is in flight. */
  hold(payer: string): () => void;
  /** Notes that a settlement of this payer failed on the ledger `agoMs` ago and cost its fee. */
  failed(payer: string, agoMs?: number): void;
}

/** The payments of one payer in one asset that are in flight. */
interface Means {
  payments: number;
  amount: bigint;
  /** The balance before those in flight are paid. Null if it is not readable; undefined if not read since one ended. */
  balance: bigint | null | undefined;
  asking: Promise<void> | undefined;
  /** The number of payments that have ended. */
  ended: number;
}

/** A party, which is usually a payer; see partyOf. */
interface Payer {
  payments: number;
  holds: number;
  readonly means: Map<string, Means>;
}

export function createPayers(deps: {
  rpc: Rpc;
  clock: Pick<LedgerClock, 'latestLedger'>;
  now: () => number;
  policy: PaymentPolicy;
  onMeansKnown: () => void;
  onFault: (fault: unknown) => void;
}): Payers {
  const { now, policy } = deps;
  const payers = new Map<string, Payer>();
  /** The times of the failures within the last hour. */
  const failures = new Map<string, number[]>();

  /** Counts the failures within the last hour. */
  function failuresOf(payer: string): number {
    const known = failures.get(payer);
    if (known === undefined) return 0;
    const recent = known.filter((at) => now() - at < HOUR_MS);
    if (recent.length === 0) failures.delete(payer);
    else failures.set(payer, recent);
    return recent.length;
  }

  /** Returns how many may be in flight. After a failure, no more than may still fail before the payer is refused. */
  function mostAtOnce(payer: string): number {
    const failed = failuresOf(payer);
    if (failed === 0) return Infinity;
    return failed >= policy.serialAfterFailures ? 1 : policy.refusedAfterFailures - failed;
  }

  function payerOf(address: string): Payer {
    const payer = payers.get(address) ?? { payments: 0, holds: 0, means: new Map() };
    payers.set(address, payer);
    return payer;
  }

  function forgetIdle(address: string, { payments, holds }: Payer): void {
    if (payments + holds === 0) payers.delete(address);
  }

  const purseOf = ({ payer, asset }: PendingPayment): string => `${payer} ${asset}`;
  const meansOf = (payment: PendingPayment): Means | undefined =>
    payers.get(payment.party)?.means.get(purseOf(payment));

  /** Asks again if a payment ended meanwhile: the balance may or may not include it. */
  async function ask(payment: PendingPayment, means: Means): Promise<void> {
    for (let ended = -1; ended !== means.ended && means.payments > 0;) {
      ended = means.ended;
      const balance = await readBalance(deps, payment).catch((fault: unknown) => {
        deps.onFault(fault);
        return null;
      });
      if (ended === means.ended) means.balance = balance;
    }
    means.asking = undefined;
    deps.onMeansKnown();
  }

  return {
    refusal(payer) {
      if (failuresOf(payer) < policy.refusedAfterFailures) return undefined;
      return refuse(
        'svc_policy_failing_payer',
        `${failuresOf(payer)} settlements of ${payer} failed on the ledger within the last hour, and each cost this facilitator a fee. It settles nothing more of it until these failures are an hour old.`,
      );
    },
    async learnMeans(payment) {
      const means = meansOf(payment);
      if (means?.balance === undefined) await (means && (means.asking ??= ask(payment, means)));
    },
    mayStart(payment) {
      const payer = payers.get(payment.party);
      if (payer === undefined) return true;
      if (payer.holds > 0 || payer.payments >= mostAtOnce(payment.party)) return false;
      const means = meansOf(payment);
      if (means === undefined) return true;
      if (means.balance === undefined) means.asking ??= ask(payment, means);
      return (means.balance ?? -1n) >= means.amount + payment.amount;
    },
    start(payment) {
      const payer = payerOf(payment.party);
      const means = meansOf(payment) ?? {
        payments: 0,
        amount: 0n,
        balance: undefined,
        asking: undefined,
        ended: 0,
      };
      payer.means.set(purseOf(payment), means);
      payer.payments += 1;
      means.payments += 1;
      means.amount += payment.amount;
    },
    end(payment) {
      const payer = payerOf(payment.party);
      const means = meansOf(payment)!;
      payer.payments -= 1;
      means.payments -= 1;
      means.amount -= payment.amount;
      means.ended += 1;
      means.balance = undefined;
      if (means.payments === 0) payer.means.delete(purseOf(payment));
      forgetIdle(payment.party, payer);
    },
    hold(address) {
      const payer = payerOf(address);
      payer.holds += 1;
      return () => {
        payer.holds -= 1;
        forgetIdle(address, payer);
      };
    },
    failed(payer, agoMs = 0) {
      for (const known of failures.keys()) failuresOf(known);
      failures.set(payer, [...(failures.get(payer) ?? []), now() - agoMs]);
    },
  };
}

/** Returns the same journal, which also notes the failures of payers: those of an earlier process, and new ones. */
export function noting(payers: Pick<Payers, 'failed'>, journal: SettlementJournal): SettlementJournal {
  for (const { party, agoMs } of journal.failures(HOUR_MS)) payers.failed(party, agoMs);
  const payerByHash = new Map<string, string>();
  const note = (hash: string, payer: string): void => {
    payerByHash.set(hash, payer);
    if (payerByHash.size > MAX_NOTED) payerByHash.delete(payerByHash.keys().next().value!);
  };
  return {
    ...journal,
    open(entry) {
      note(entry.hash, entry.party);
      journal.open(entry);
    },
    unended() {
      const entries = journal.unended();
      for (const { hash, party } of entries) note(hash, party);
      return entries;
    },
    close(hash, end) {
      const payer = payerByHash.get(hash);
      if (payer !== undefined && end.status === 'failed') payers.failed(payer);
      // Keep the others: they may turn out later to have applied.
      if (end.status === 'success' || end.status === 'failed') payerByHash.delete(hash);
      journal.close(hash, end);
    },
  };
}
