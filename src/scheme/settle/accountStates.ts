import type { AccountState, ChannelAccountState } from '../state.ts';
import type { ChannelAccount, FreeAccounts } from './freeAccounts.ts';
import type { OwnAccounts } from './ownAccounts.ts';

/** Returns the channel accounts as an operator sees them. An account that is `isLow` can pay for nothing more. */
export function accountStates(
  {
    accounts,
    free,
    own,
    now,
  }: {
    accounts: readonly ChannelAccount[];
    free: Pick<FreeAccounts, 'stateOf'>;
    own: Pick<OwnAccounts, 'balanceOf' | 'isMissing'>;
    /** Monotonic milliseconds. */
    now: () => number;
  },
  isLow: (address: string) => boolean,
): AccountState[] {
  const nameOf = (account: ChannelAccount): ChannelAccountState => {
    const { address } = account.signer;
    const state = free.stateOf(account);
    if (state === 'elsewhere') return state;
    if (own.isMissing(address)) return 'missing';
    if (state === 'busy') return account.isUnfit ? 'resting' : 'busy';
    return isLow(address) ? 'low' : state;
  };
  const unixMs = (at: number): number => Date.now() - (now() - at);
  return accounts.map((account) => ({
    address: account.signer.address,
    state: nameOf(account),
    lastUsedAtMs: account.lastUsedAt === undefined ? undefined : unixMs(account.lastUsedAt),
    balanceStroops: own.balanceOf(account.signer.address),
    isLow: isLow(account.signer.address),
  }));
}
