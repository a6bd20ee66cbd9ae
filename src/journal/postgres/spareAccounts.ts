import type { LeaseEvents } from '../../scheme/index.ts';
import { createFairShare } from './fairShare.ts';
import type { LeasedAccounts } from './leasedAccounts.ts';
import type { LeasesDeps } from './leases.ts';
import type { Rounds } from './rounds.ts';

/** Gives leased accounts to the instances that need them more. */
export interface SpareAccounts {
  /** Hears that another instance needs accounts. */
  offer(instance: string, count: number): void;
  /** Gives up an account that has become free, if another instance needs it more. Returns false if not. */
  giveUp(address: string): boolean;
  /** From now on, gives up each account that no payment has. */
  drain(): void;
  giveUpAll(): void;
}

interface SpareAccountsDeps extends Pick<LeasesDeps, 'accounts' | 'limits'> {
  leased: LeasedAccounts;
  events: () => Pick<LeaseEvents, 'waiting' | 'takeBack'>;
  inTurn: Rounds['inTurn'];
}

export function createSpareAccounts(deps: SpareAccountsDeps): SpareAccounts {
  const { accounts, limits, leased, events, inTurn } = deps;
  const share = createFairShare({ accounts: accounts.length, neededForMs: limits.neededForMs });

  function giveUp(addresses: readonly string[]): void {
    if (addresses.length === 0) return;
    leased.leave(addresses);
    void inTurn(() => leased.giveUp(addresses));
  }

  /** Gives up accounts that no payment has, as long as others need them more. */
  function giveWay(): void {
    const idle: string[] = [];
    for (const address of leased.addresses()) {
      if (!share.owes(leased.size - idle.length, events().waiting())) break;
      if (!events().takeBack(address)) continue;
      share.paid();
      idle.push(address);
    }
    giveUp(idle);
  }

  return {
    offer(instance, count) {
      share.note(instance, count);
      giveWay();
    },
    giveUp(address) {
      if (!leased.has(address) || !share.owes(leased.size, events().waiting())) return false;
      share.paid();
      giveUp([address]);
      return true;
    },
    drain() {
      share.owesAll();
      giveWay();
    },
    giveUpAll: () => giveUp(leased.addresses()),
  };
}
