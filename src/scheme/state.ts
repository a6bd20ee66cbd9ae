/** The state of the scheme at one moment, for the operator. */
import type { NodeState } from '../stellar/rpc/member.ts';

/** A cheap snapshot, from memory. Balances are as of the last time that they were read. */
export interface SchemeState {
  /** The channel accounts, in the order of the configuration. */
  readonly accounts: readonly AccountState[];
  /** Undefined if each submitter pays its own fees. */
  readonly feeBump: FeeBumpState | undefined;
  /** The payments that wait for a channel account. */
  readonly waiting: WaitingState;
  /** The settlements that are being verified, and those that wait for it. */
  readonly verifying: { readonly underWay: number; readonly waiting: number };
  /** The transactions that were sent, and have no outcome yet. */
  readonly inFlight: number;
  readonly nodes: readonly NodeState[];
  readonly ledger: {
    /** 0 before the first is known. */
    readonly latest: number;
    /** How long ago it was first seen; undefined while no node has answered. */
    readonly lagMs: number | undefined;
  };
}

/**
 * - `elsewhere`: another instance has it
 * - `missing`: the network has no such account
 * - `resting`: the network rejected a transaction because of it
 * - `busy`: a payment has it
 * - `low`: it pays fees, and has too few lumens for another
 * - `held`: the outcome of an earlier process's transaction is not known
 */
export const ACCOUNT_STATES = ['free', 'busy', 'held', 'resting', 'missing', 'low', 'elsewhere'] as const;
export type ChannelAccountState = (typeof ACCOUNT_STATES)[number];

export interface AccountState {
  readonly address: string;
  readonly state: ChannelAccountState;
  /** When a payment last took it, in unix milliseconds; undefined if none has. */
  readonly lastUsedAtMs: number | undefined;
  readonly balanceStroops: number | undefined;
  /** True if it pays fees, and is missing, below its floor, or could not pay for one settlement without a floor. */
  readonly isLow: boolean;
}

export interface FeeBumpState {
  readonly address: string;
  readonly balanceStroops: number | undefined;
  /** See AccountState. */
  readonly isLow: boolean;
}

export interface WaitingState {
  readonly payments: number;
  /** A large payment takes several places. */
  readonly places: number;
  readonly maxPlaces: number;
  /** How long the one that came first has waited; 0 if none waits. */
  readonly oldestMs: number;
}
