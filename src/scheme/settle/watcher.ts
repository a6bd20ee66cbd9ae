import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import { UNTRACED, type SchemeTracer } from '../../stellar/tracer.ts';
import type { SettleLimits } from '../limits.ts';
import { lookFor, type Followed } from './lookFor.ts';
import type { Outcome } from './outcome.ts';
import type { Validity } from './settlementTransaction.ts';

/** The outcome of a transaction that the network did not reject at once. */
export type FollowedOutcome = Exclude<Outcome, { state: 'rejected' }>;

export interface SentTransaction {
  /** 64 hex characters. */
  hash: string;
  /** Base64 XDR; undefined if it was not kept, so that it cannot be sent again. */
  envelope: string | undefined;
  validity: Validity;
  /** The latest ledger before it was sent. */
  sentInLedger: number;
  /**
   * Its time bound in monotonic milliseconds; 0 if unknown. A node that says earlier that it has expired is not
   * believed.
   */
  mayApplyUntil: number;
  /** True if the network said that it has it. If not, it is sent again for every ledger without it. */
  isCertain: boolean;
}

/** Follows the ledger for all transactions in flight. */
export interface Watcher {
  /** The number of transactions that it follows. */
  readonly size: number;
  /**
   * Waits for the outcome of a sent transaction, however long that takes: its account is of no use until then. The
   * outcome is certain: a result was found, or every node that answers has said that the validity passed without one.
   * Throws when the watcher is closed.
   */
  follow(sent: SentTransaction): Promise<FollowedOutcome>;
}

export interface WatcherDeps {
  rpc: Rpc;
  clock: LedgerClock;
  limits: SettleLimits;
  /** Monotonic milliseconds. */
  now: () => number;
  closing: AbortSignal;
  /** Receives the faults that are overcome by asking again. */
  onFault: (fault: unknown) => void;
  tracer?: Pick<SchemeTracer, 'bind'>;
}

interface Watch extends WatcherDeps {
  readonly followed: Set<Following>;
  isRunning: boolean;
}

/** A followed transaction, and those that wait for its outcome. */
interface Following extends Followed {
  /** Looks for it as a part of its settlement: the loop is of whichever came first. */
  readonly asPart: ReturnType<SchemeTracer['bind']>;
  end(outcome: FollowedOutcome): void;
  abandon(reason: unknown): void;
}

/**
 * Follows all transactions in one loop. When a ledger should have closed, it asks for one transaction, and for the
 * others once that answer shows a new ledger. So each is asked for about once per ledger, however many there are.
 */
export function createWatcher(deps: WatcherDeps): Watcher {
  const watch: Watch = { ...deps, followed: new Set(), isRunning: false };
  const { tracer = UNTRACED } = deps;
  return {
    get size() {
      return watch.followed.size;
    },
    follow: (sent) =>
      new Promise((end, abandon) => {
        const { isCertain, sentInLedger: checkedLedger } = sent;
        const arrivedLedger = isCertain ? checkedLedger : -Infinity;
        const unasked = { resends: 0, looks: 0, denials: 0 };
        const asPart = tracer.bind();
        watch.followed.add({ ...sent, ...unasked, arrivedLedger, checkedLedger, asPart, end, abandon });
        if (!watch.isRunning) void run(watch);
      }),
  };
}

async function run(watch: Watch): Promise<void> {
  const { followed, closing } = watch;
  watch.isRunning = true;
  try {
    for (let idleLooks = 0; followed.size > 0;) {
      await sleep(delayMs(watch, idleLooks), undefined, { signal: closing });
      const hasNews = await look(watch);
      idleLooks = hasNews ? 0 : idleLooks + 1;
    }
  } catch (reason) {
    for (const one of followed) one.abandon(reason);
    followed.clear();
  } finally {
    watch.isRunning = false;
  }
}

/** Returns the time until the next look: until the next ledger is due, then longer each time it has not closed. */
function delayMs({ followed, limits, clock }: Watch, idleLooks: number): number {
  const checked = Math.min(...[...followed].map(({ checkedLedger }) => checkedLedger));
  const backOffMs = limits.minPollIntervalMs * 2 ** idleLooks;
  const untilCloseMs = clock.untilLedgerAfterMs(checked, idleLooks < limits.maxGuessesPerLedger);
  return Math.min(limits.maxPollIntervalMs, Math.max(backOffMs, untilCloseMs));
}

/** Asks for outcomes. True if a ledger has closed since the last look, or the first transaction has its outcome. */
async function look(watch: Watch): Promise<boolean> {
  const { followed, clock, limits } = watch;
  const waiting = [...followed].sort((one, other) => one.looks - other.looks);
  const scout = waiting[0];
  if (scout === undefined) return false;
  const before = scout.checkedLedger;
  await lookAt(watch, scout);
  if (followed.has(scout) && scout.checkedLedger === before) return false;
  const others = waiting.filter((one) => one !== scout && one.checkedLedger < clock.latestLedger());
  await inTurns(others, limits.maxLooksAtOnce, (one) => lookAt(watch, one));
  return true;
}

async function lookAt(watch: Watch, one: Following): Promise<void> {
  const outcome = await one.asPart(() =>
    lookFor(watch, one).catch((fault: unknown) => void watch.onFault(fault)),
  );
  if (!outcome) return;
  watch.followed.delete(one);
  one.end(outcome);
}

/** Runs `work` for all items, `atOnce` at a time. */
async function inTurns<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const lines = Array.from({ length: Math.min(atOnce, left.length) }, async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  });
  await Promise.all(lines);
}
