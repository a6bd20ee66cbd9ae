import { readAccounts } from './accountEntries.ts';
import type { SettleLimits } from './limits.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { Rpc } from './rpc/pool.ts';
import type { Signer } from './signer.ts';

/** One submitter account. Whoever has taken it is alone with it: the network accepts one pending transaction per account. */
export interface Lane {
  readonly signer: Signer;
  /** The account's sequence number on the ledger; undefined until it is read. The next transaction carries one more. */
  sequence: bigint | undefined;
}

export interface TakenLane extends Lane {
  sequence: bigint;
}

export type NoLane = Refusal<'settle_exact_stellar_signer_selection_failed'>;

/** How long a payment may wait. */
export interface Turn {
  /** A moment. */
  deadline: number;
  /** Whether waiting took too long all the same, since ledgers closed sooner than they should have. */
  isOver(): boolean;
}

export interface Submitters {
  /**
   * Learns the sequence numbers ahead of the first payment; returns the addresses that have no account on the
   * network. Throws where the RPC fails.
   */
  open(): Promise<string[]>;
  /**
   * A free lane, round-robin; waits in line for one until its turn is over, and tells whether it had to: by then a
   * ledger has closed.
   */
  take(turn: Turn): Promise<{ lane: TakenLane; hasWaited: boolean } | NoLane>;
  /**
   * Gives it back. One of several that the network takes nothing from rests: else it would always be the first to be
   * free, and all that waits would fail on it.
   */
  release(lane: Lane, hasFailed?: boolean): void;
  /**
   * Keeps a free submitter from being taken until what is returned is called, by each that holds it: an earlier
   * process has sent a transaction from it, whose end is not known.
   */
  hold(address: string): () => void;
  /** What the ledger has for the lane's sequence number is not known any more; it is read before the next payment. */
  forget(lane: Lane): void;
  /** Reads the lane's sequence number again. Throws where the RPC fails or the account is gone. */
  refresh(lane: TakenLane): Promise<void>;
}

export function createSubmitters(deps: {
  signers: readonly Signer[];
  rpc: Rpc;
  now: () => number;
  limits: Pick<SettleLimits, 'maxWaitingPayments' | 'laneRestMs'>;
}): Submitters {
  const { signers, rpc, now, limits } = deps;
  const busy = `${signers.length} of ${signers.length} submitter lanes are busy`;
  const lanes: readonly Lane[] = signers.map((signer) => ({ signer, sequence: undefined }));
  /** Taken at the front, given back at the end: round-robin. */
  const free = [...lanes];
  /** How many holds each is under. */
  const held = new Map<Lane, number>();
  const waiting: { tried: ReadonlySet<Lane>; receive: (lane: Lane) => void }[] = [];

  function nextFree(tried: ReadonlySet<Lane>, deadline: number): Promise<Lane | 'queue full' | 'too late'> {
    const index = free.findIndex((lane) => !tried.has(lane));
    if (index >= 0) return Promise.resolve(free.splice(index, 1)[0]!);
    if (waiting.length >= limits.maxWaitingPayments) return Promise.resolve('queue full');
    return new Promise((resolve) => {
      const giveUp = () => {
        waiting.splice(waiting.indexOf(waiter), 1);
        resolve('too late');
      };
      const timer = setTimeout(giveUp, Math.max(0, deadline - now()));
      const receive = (freed: Lane) => {
        clearTimeout(timer);
        resolve(freed);
      };
      const waiter = { tried, receive };
      waiting.push(waiter);
    });
  }

  function release(lane: Lane, hasFailed = false): void {
    if (hasFailed && lanes.length > 1) setTimeout(() => handOn(lane), limits.laneRestMs).unref();
    else handOn(lane);
  }

  function handOn(lane: Lane): void {
    const next = waiting.findIndex(({ tried }) => !tried.has(lane));
    if (next >= 0) waiting.splice(next, 1)[0]!.receive(lane);
    else free.push(lane);
  }

  async function readSequences(those: readonly Lane[]): Promise<void> {
    const accounts = await readAccounts(
      rpc,
      those.map(({ signer }) => signer.address),
    );
    for (const lane of those) lane.sequence = accounts.get(lane.signer.address)?.seqNum;
  }

  async function ready(lane: Lane): Promise<TakenLane | undefined> {
    try {
      if (lane.sequence === undefined) await readSequences([lane]);
    } catch (fault) {
      release(lane);
      throw fault;
    }
    return isReady(lane) ? lane : undefined;
  }

  return {
    async open() {
      await readSequences(lanes);
      return lanes.filter((lane) => !isReady(lane)).map(({ signer }) => signer.address);
    },
    release,
    hold(address) {
      const lane = lanes.find(({ signer }) => signer.address === address);
      if (lane === undefined) return () => {};
      const holds = held.get(lane) ?? 0;
      held.set(lane, holds + 1);
      if (holds === 0 && free.includes(lane)) free.splice(free.indexOf(lane), 1);
      return () => {
        const left = held.get(lane)! - 1;
        held.set(lane, left);
        if (left > 0) return;
        lane.sequence = undefined;
        release(lane);
      };
    },
    forget: (lane) => void (lane.sequence = undefined),
    async refresh(lane: Lane) {
      await readSequences([lane]);
      if (!isReady(lane))
        throw new Error(`the submitter account ${lane.signer.address} is gone from the network`);
    },
    async take({ deadline, isOver }) {
      const tried = new Set<Lane>();
      const [since, ahead] = [now(), waiting.length];
      let hasWaited = false;
      while (tried.size < lanes.length) {
        hasWaited ||= free.every((lane) => tried.has(lane));
        const lane = await nextFree(tried, deadline);
        if (lane === 'queue full') return refused(`${busy}, and ${ahead} payments wait, as many as may`);
        if (lane === 'too late' || (hasWaited && isOver())) {
          if (lane !== 'too late') release(lane);
          return refused(`${busy}, and none was free in time: ${waitedFor(now() - since, ahead)}`);
        }
        const taken = await ready(lane);
        if (taken !== undefined) return { lane: taken, hasWaited };
        tried.add(lane);
        release(lane);
      }
      return refused(
        `none of the ${lanes.length} submitter accounts exists on the network; fund them with lumens`,
      );
    },
  };
}

function isReady(lane: Lane): lane is TakenLane {
  return lane.sequence !== undefined;
}

function waitedFor(waitedMs: number, ahead: number): string {
  return `this payment waited ${(waitedMs / 1000).toFixed(1)} s, at first behind ${ahead} others`;
}

function refused(why: string): NoLane {
  return refuse('settle_exact_stellar_signer_selection_failed', `No submitter could be selected: ${why}.`);
}
