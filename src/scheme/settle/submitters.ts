import { readAccounts } from '../../stellar/accounts.ts';
import { createFairLine } from './fairLine.ts';
import type { Waiter } from './fairLine.ts';
import type { SettleLimits } from '../limits.ts';
import type { Payers } from './payers.ts';
import type { PendingPayment } from '../payment.ts';
import { partiesOf, placesOf } from './pending.ts';
import { refuse } from '../refusal.ts';
import type { Refusal } from '../refusal.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import type { Signer } from './signer.ts';

/** One submitter account, taken by one payment at a time: the network accepts one pending transaction per account. */
export interface Lane {
  readonly signer: Signer;
  /** The sequence number on the ledger; undefined until it is read. The next transaction uses the number after it. */
  sequence: bigint | undefined;
}

export interface TakenLane extends Lane {
  sequence: bigint;
}

export type NoLane = Refusal<'settle_exact_stellar_signer_selection_failed'>;

/** Limits how long a payment may wait. */
export interface Turn {
  /** The moment at which waiting stops. */
  deadline: number;
  /** True if waiting took too long even so, because ledgers closed sooner than expected. */
  isOver(): boolean;
}

export interface Submitters {
  /**
   * Reads the sequence numbers before the first payment. Returns the addresses that have no account on the network.
   * Throws if the RPC fails.
   */
  open(): Promise<string[]>;
  /** Takes a free lane, round-robin. Undefined if the payment must wait for a lane, or for others of its payer. */
  takeFree(payment: PendingPayment): Promise<TakenLane | undefined>;
  /**
   * Takes a lane after waiting in a fair line until the turn is over. By then a ledger has usually closed, so the
   * payment must be verified again.
   */
  take(payment: PendingPayment, turn: Turn): Promise<TakenLane | NoLane>;
  /**
   * Gives a lane back. If there are several, a lane whose account the network rejects rests first: otherwise it would
   * always be the first to be free, and every waiting payment would fail on it.
   */
  release(lane: TakenLane, payment: PendingPayment, hasFailed?: boolean): void;
  /** Gives free lanes to waiting payments that may start now. */
  handOut(): void;
  /**
   * Keeps a free submitter from being taken until every holder has called its returned function: an earlier process
   * sent a transaction from it whose outcome is not known.
   */
  hold(address: string): () => void;
  /** Forgets the lane's sequence number on the ledger; it is read again before the next payment. */
  forget(lane: TakenLane): void;
  /** Reads the lane's sequence number again. Throws if the RPC fails or the account is gone. */
  refresh(lane: TakenLane): Promise<void>;
}

interface Member extends Waiter {
  readonly payment: PendingPayment;
  /** Lanes that were tried, but whose account does not exist. */
  readonly tried: Set<Lane>;
}

export function createSubmitters(deps: {
  signers: readonly Signer[];
  rpc: Rpc;
  payers: Payers;
  now: () => number;
  limits: Pick<
    SettleLimits,
    'maxWaitingPayments' | 'maxWaitingPaymentsPerParty' | 'bytesPerWaitingPayment' | 'laneRestMs'
  >;
}): Submitters {
  const { signers, rpc, payers, now, limits } = deps;
  const busy = `${signers.length} of ${signers.length} submitter lanes are busy`;
  const lanes: readonly Lane[] = signers.map((signer) => ({ signer, sequence: undefined }));
  /** Lanes are taken from the front and given back at the end: round-robin. */
  const free = [...lanes];
  /** The number of holds on each lane. */
  const held = new Map<Lane, number>();
  const line = createFairLine<Lane, Member>(
    { maxPlaces: limits.maxWaitingPayments, maxPlacesPerParty: limits.maxWaitingPaymentsPerParty },
    now,
  );

  /** Gives free lanes to waiting payments that may take one. */
  function handOut(): void {
    for (const lane of [...free]) {
      const taker = line.hand(lane, ({ tried, payment }) => !tried.has(lane) && payers.mayStart(payment));
      // If no payment may take this lane, none may take another, unless some payment has tried lanes before.
      if (taker === undefined && !line.some(({ tried }) => tried.size > 0)) return;
      if (taker === undefined) continue;
      free.splice(free.indexOf(lane), 1);
      payers.start(taker.payment);
    }
  }

  function start(payment: PendingPayment): void {
    payers.start(payment);
    line.admit(partiesOf(payment));
  }

  function end(payment: PendingPayment): void {
    payers.end(payment);
    line.leave(partiesOf(payment));
  }

  function takeUntried({ tried, payment }: Pick<Member, 'tried' | 'payment'>): Lane | undefined {
    const index = free.findIndex((lane) => !tried.has(lane));
    if (index === -1 || !payers.mayStart(payment)) return undefined;
    start(payment);
    return free.splice(index, 1)[0];
  }

  function giveBack(lane: Lane, payment: PendingPayment): void {
    end(payment);
    free.push(lane);
    handOut();
  }

  async function readSequences(those: readonly Lane[]): Promise<void> {
    const accounts = await readAccounts(
      rpc,
      those.map(({ signer }) => signer.address),
    );
    for (const lane of those) lane.sequence = accounts.get(lane.signer.address)?.sequence;
  }

  /** Reads the sequence number if it is not known. If the account is missing or the RPC fails, gives the lane back. */
  async function ready(lane: Lane, payment: PendingPayment): Promise<TakenLane | undefined> {
    try {
      if (lane.sequence === undefined) await readSequences([lane]);
    } catch (fault) {
      giveBack(lane, payment);
      throw fault;
    }
    if (isReady(lane)) return lane;
    giveBack(lane, payment);
    return undefined;
  }

  return {
    async open() {
      await readSequences(lanes);
      return lanes.filter((lane) => !isReady(lane)).map(({ signer }) => signer.address);
    },
    handOut,
    release(lane, payment, hasFailed = false) {
      if (!hasFailed || lanes.length === 1) return giveBack(lane, payment);
      end(payment);
      handOut();
      setTimeout(() => {
        free.push(lane);
        handOut();
      }, limits.laneRestMs).unref();
    },
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
        free.push(lane);
        handOut();
      };
    },
    forget: (lane: Lane) => void (lane.sequence = undefined),
    async refresh(lane: Lane) {
      await readSequences([lane]);
      if (!isReady(lane))
        throw new Error(`the submitter account ${lane.signer.address} is gone from the network`);
    },
    async takeFree(payment) {
      const lane = takeUntried({ payment, tried: new Set() });
      return lane && (await ready(lane, payment));
    },
    async take(payment, { deadline, isOver }) {
      const places = placesOf(payment, limits);
      const member: Member = { payment, ...partiesOf(payment), places, deadline, tried: new Set() };
      const [since, ahead] = [now(), line.length];
      while (member.tried.size < lanes.length) {
        const lane = takeUntried(member) ?? (await line.wait(member));
        if (lane === 'no room')
          return refused(
            `${busy}, and ${line.length} payments wait, as many as may wait in all, or of one payer or recipient`,
          );
        if (lane === 'too late') return refused(late(now() - since, ahead));
        if (isOver()) {
          giveBack(lane, payment);
          return refused(late(now() - since, ahead));
        }
        const taken = await ready(lane, payment);
        if (taken !== undefined) return taken;
        member.tried.add(lane);
      }
      return refused(
        `none of the ${lanes.length} submitter accounts exists on the network; fund them with lumens`,
      );
    },
  };

  function late(waitedMs: number, ahead: number): string {
    return `${busy}, and none was free in time: this payment waited ${(waitedMs / 1000).toFixed(1)} s, at first behind ${ahead} others`;
  }
}

function isReady(lane: Lane): lane is TakenLane {
  return lane.sequence !== undefined;
}

function refused(why: string): NoLane {
  return refuse('settle_exact_stellar_signer_selection_failed', `No submitter could be selected: ${why}.`);
}
