import type { Signer } from './signer.ts';

/** A submitter's account. One payment has it at a time: the network accepts one pending transaction per account. */
export interface ChannelAccount {
  readonly signer: Signer;
  /** The sequence number on the ledger; undefined until it is read. The next transaction uses the number after it. */
  sequence: bigint | undefined;
  /** True if the network rejects every transaction from it. */
  isUnfit: boolean;
}

/** The channel accounts that no payment has. They are taken from the front and added at the end: round-robin. */
export interface FreeAccounts extends Iterable<ChannelAccount> {
  /** Takes this account, if it is free. */
  take(account: ChannelAccount): void;
  add(account: ChannelAccount): void;
  /**
   * Keeps a free account from being taken until every holder has called its returned function. Calls `onFree` when the
   * account is free again.
   */
  hold(account: ChannelAccount, onFree: () => void): () => void;
}

export function createFreeAccounts(accounts: readonly ChannelAccount[]): FreeAccounts {
  const free = [...accounts];
  /** The number of holds on each account. */
  const holds = new Map<ChannelAccount, number>();

  function take(account: ChannelAccount): void {
    const index = free.indexOf(account);
    if (index !== -1) free.splice(index, 1);
  }

  return {
    take,
    add: (account) => void free.push(account),
    hold(account, onFree) {
      const before = holds.get(account) ?? 0;
      holds.set(account, before + 1);
      if (before === 0) take(account);
      return () => {
        const left = holds.get(account)! - 1;
        holds.set(account, left);
        if (left > 0) return;
        account.sequence = undefined;
        free.push(account);
        onFree();
      };
    },
    [Symbol.iterator]: () => [...free].values(),
  };
}
