import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import type { SettleLimits } from '../limits.ts';
import { readResult } from './result.ts';
import type { RpcAnswers } from '../../stellar/rpc/node.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import type { Validity } from './settlementTransaction.ts';
import { resubmit } from './submission.ts';

/**
 * The outcome of a sent transaction. 'never': its validity has passed, and no ledger holds it. 'forgotten': the network
 * no longer remembers the ledgers that could hold it.
 */
export type Outcome =
  | {
      status: 'success' | 'failed';
      ledger: number | undefined;
      /** When that ledger closed, in unix seconds; undefined if the network does not say. */
      closedAtSeconds: number | undefined;
      feeChargedStroops: number | undefined;
      result: string;
    }
  | { status: 'never' }
  | { status: 'forgotten' };

export interface SentTransaction {
  /** 64 hex characters. */
  hash: string;
  /** Base64 XDR; undefined if it was not kept, so that it cannot be sent again. */
  envelope: string | undefined;
  validity: Validity;
  /** The latest ledger before it was sent. */
  sentInLedger: number;
  /** Its time bound in monotonic milliseconds; 0 if unknown. A node that calls it over before that is not believed. */
  mayApplyUntil: number;
  /** True if the network said that it has it. If not, it is sent again for every ledger without it. */
  isCertain: boolean;
}

/** Follows the ledger for all transactions in flight. */
export interface Watcher {
  /**
   * Waits for the outcome of a sent transaction, however long that takes: its account is of no use until then. The
   * outcome is certain: a result was found, or every node that answers has said that the validity passed without one.
   * Throws when the watcher is closed.
   */
  follow(sent: SentTransaction): Promise<Outcome>;
}

interface Followed extends SentTransaction {
  /** The ledger as of which the network said that it has it; -Infinity if it has not said so. */
  arrivedLedger: number;
  resends: number;
  /** The number of times that it was asked for. */
  looks: number;
  /** The number of times that all nodes that answered said that it is over and in no ledger. */
  denials: number;
  /** The latest ledger that is known not to hold it. */
  checkedLedger: number;
  end(outcome: Outcome): void;
  abandon(reason: unknown): void;
}

type Found = RpcAnswers['getTransaction'];

/**
 * Follows all transactions in one loop. When a ledger should have closed, it asks for one transaction, and for the
 * others once that answer shows a new ledger. So each is asked for about once per ledger, however many there are.
 */
export function createWatcher(deps: {
  rpc: Rpc;
  clock: LedgerClock;
  limits: SettleLimits;
  /** Monotonic milliseconds. */
  now: () => number;
  closing: AbortSignal;
  /** Receives the faults that are overcome by asking again. */
  onFault: (fault: unknown) => void;
}): Watcher {
  const { rpc, clock, limits, now, closing, onFault } = deps;
  const followed = new Set<Followed>();
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    try {
      for (let idleLooks = 0; followed.size > 0;) {
        await sleep(delayMs(idleLooks), undefined, { signal: closing });
        const hasNews = await look();
        idleLooks = hasNews ? 0 : idleLooks + 1;
      }
    } catch (reason) {
      for (const one of followed) one.abandon(reason);
      followed.clear();
    } finally {
      isRunning = false;
    }
  }

  /** Returns the time until the next look: until the next ledger is due, then longer each time it has not closed. */
  function delayMs(idleLooks: number): number {
    const checked = Math.min(...[...followed].map(({ checkedLedger }) => checkedLedger));
    const backOffMs = limits.minPollIntervalMs * 2 ** idleLooks;
    const untilCloseMs = clock.untilLedgerAfterMs(checked, idleLooks < limits.maxGuessesPerLedger);
    return Math.min(limits.maxPollIntervalMs, Math.max(backOffMs, untilCloseMs));
  }

  /** Asks for results. True if a ledger has closed since the last look, or the first transaction has its outcome. */
  async function look(): Promise<boolean> {
    const waiting = [...followed].sort((one, other) => one.looks - other.looks);
    const scout = waiting[0];
    if (scout === undefined) return false;
    const before = scout.checkedLedger;
    await lookFor(scout);
    if (followed.has(scout) && scout.checkedLedger === before) return false;
    const others = waiting.filter((one) => one !== scout && one.checkedLedger < clock.latestLedger());
    await inTurns(others, limits.maxLooksAtOnce, lookFor);
    return true;
  }

  async function lookFor(one: Followed): Promise<void> {
    one.looks += 1;
    try {
      const answer = await rpc.call('getTransaction', { hash: one.hash });
      if (answer.status !== 'NOT_FOUND') return ended(one, outcomeOf(answer));
      if (isOver(one, answer)) return await confirmOver(one);
      if (answer.latestLedger <= one.checkedLedger) return;
      one.checkedLedger = answer.latestLedger;
      await sendAgain(one, answer.latestLedger);
    } catch (fault) {
      onFault(fault);
    }
  }

  /** Sends it again unless the network said lately that it has it. The same bytes can never pay twice. */
  async function sendAgain(one: Followed, latestLedger: number): Promise<void> {
    const { envelope, hash, arrivedLedger } = one;
    if (envelope === undefined || latestLedger - arrivedLedger < limits.resendAfterLedgers) return;
    if (one.resends++ >= limits.maxResends) return;
    if (await resubmit({ rpc, onFault }, { envelope, hash })) one.arrivedLedger = latestLedger;
  }

  /**
   * True when every ledger that could hold the transaction has closed: close times only ever rise. A node whose time is
   * ahead of the time that has passed here is not believed yet.
   */
  function isOver({ validity, mayApplyUntil }: Followed, answer: Found): boolean {
    const { maxTimeSeconds, lastLedger } = validity;
    if (now() < mayApplyUntil) return false;
    return answer.latestLedger >= lastLedger || Number(answer.latestLedgerCloseTime) > maxTimeSeconds;
  }

  /**
   * Asks every node, since one answer can be put together across the close of a ledger, and one node can lack what
   * another knows. Each node must say that the transaction is over, or fail to answer for long. One of them must
   * remember all ledgers that could hold it; otherwise the outcome is 'forgotten'.
   */
  async function confirmOver(one: Followed): Promise<void> {
    const answers = await rpc.callEach('getTransaction', { hash: one.hash });
    const faults = answers.filter((answer) => answer instanceof Error);
    for (const fault of faults) onFault(fault);
    const found = answers.filter((answer): answer is Found => !(answer instanceof Error));
    const holder = found.find(({ status }) => status !== 'NOT_FOUND');
    if (holder) return ended(one, outcomeOf(holder));
    if (found.length === 0 || !found.every((answer) => isOver(one, answer))) return;
    // A node that is gone for good must not block the account forever.
    one.denials += 1;
    const isRemembered = found.some(({ oldestLedger }) => oldestLedger <= one.sentInLedger + 1);
    if ((faults.length > 0 || !isRemembered) && one.denials < limits.maxDenials) return;
    ended(one, { status: isRemembered ? 'never' : 'forgotten' });
  }

  function ended(one: Followed, outcome: Outcome): void {
    followed.delete(one);
    one.end(outcome);
  }

  return {
    follow: (sent) =>
      new Promise((end, abandon) => {
        const { isCertain, sentInLedger: checkedLedger } = sent;
        const arrivedLedger = isCertain ? checkedLedger : -Infinity;
        followed.add({
          ...sent,
          arrivedLedger,
          checkedLedger,
          resends: 0,
          looks: 0,
          denials: 0,
          end,
          abandon,
        });
        if (!isRunning) void run();
      }),
  };
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

/** Reads an answer's outcome. The status is believed as it is; a ledger and a close time only if they are plausible. */
export function outcomeOf(answer: Found): Outcome {
  const { status, resultXdr, latestLedger, latestLedgerCloseTime } = answer;
  const result = readResult(resultXdr);
  const [ledger, closedAtSeconds] = [Number(answer.ledger), Number(answer.createdAt)];
  return {
    status: status === 'SUCCESS' ? 'success' : 'failed',
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
