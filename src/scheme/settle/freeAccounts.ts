import type { Signer } from './signer.ts';

/** A submitter's account. One payment has it at a time: the network accepts one pending transaction per account. */
export interface ChannelAccount {
  readonly signer: Signer;
  /** The sequence number on the ledger; undefined until it is read. The next transaction uses the number after it. */
  sequence: bigint | undefined;
  /** True if the network rejects every transaction from it. */
  isUnfit: boolean;
  /** When a payment last took it, in monotonic milliseconds. */
  lastUsedAt?: number;
}

/** The channel accounts that a payment may take, in the order in which they became free: round-robin. */
export interface FreeAccounts extends Iterable<ChannelAccount> {
  take(account: ChannelAccount): void;
  /** Puts back an account that was taken. */
  add(account: ChannelAccount): void;
  /**
   * Keeps an account from being taken until every holder has called its returned function. Calls `onFree` when the last
   * one has.
   */
  hold(account: ChannelAccount, onFree: () => void): () => void;
  /**
   * Says whether this process may use the account at all. Its sequence number is read again afterwards, since another
   * instance may have used it; a payment that has it keeps the number that it knows.
   */
  lease(account: ChannelAccount, isLeased: boolean): void;
  has(account: ChannelAccount): boolean;
  /** Says why the account may not be taken; free if it may. */
  stateOf(account: ChannelAccount): 'free' | 'busy' | 'held' | 'elsewhere';
}

export function createFreeAccounts(accounts: readonly ChannelAccount[], areLeased: boolean): FreeAccounts {
  const states = new Map(
    accounts.map((account) => [account, { isLeased: areLeased, isTaken: false, wasLost: false, holds: 0 }]),
  );
  const free = new Set(areLeased ? accounts : []);

  function change(account: ChannelAccount, apply: (state: State) => void): void {
    const state = states.get(account)!;
    apply(state);
    if (state.isLeased && !state.isTaken && state.holds === 0) free.add(account);
    else free.delete(account);
  }

  return {
    take: (account) => change(account, (state) => (state.isTaken = true)),
    add: (account) =>
      change(account, (state) => {
        state.isTaken = false;
        if (state.wasLost) account.sequence = undefined;
        state.wasLost = false;
      }),
    hold(account, onFree) {
      change(account, (state) => (state.holds += 1));
      return () => {
        change(account, (state) => {
          state.holds -= 1;
          // A payment that has it knows the number better.
          if (!state.isTaken) account.sequence = undefined;
        });
        onFree();
      };
    },
    lease: (account, isLeased) =>
      change(account, (state) => {
        state.isLeased = isLeased;
        state.wasLost = state.isTaken && (state.wasLost || !isLeased);
        if (!state.isTaken) account.sequence = undefined;
      }),
    has: (account) => free.has(account),
    stateOf(account) {
      const { isLeased, isTaken, holds } = states.get(account)!;
      if (isTaken) return 'busy';
      if (!isLeased) return 'elsewhere';
      return holds > 0 ? 'held' : 'free';
    },
    [Symbol.iterator]: () => [...free].values(),
  };
}

interface State {
  isLeased: boolean;
  isTaken: boolean;
  /** True if a payment has it, and another instance may have used it meanwhile. */
  wasLost: boolean;
  /** The number of holders. */
  holds: number;
}
