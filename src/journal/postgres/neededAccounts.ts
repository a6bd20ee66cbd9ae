import type { LeaseEvents } from '../../scheme/index.ts';
import type { LeasedAccounts } from './leasedAccounts.ts';
import type { LeasesDeps } from './leases.ts';
import type { Rounds } from './rounds.ts';
import { ASK } from './statements.ts';

/** Leases the accounts that payments wait for, and asks the other instances for those that are missing. */
export interface NeededAccounts {
  lease(): Promise<void>;
  /** Leases them soon: at once, or after the pause. */
  leaseSoon(): void;
  /** Asks no sooner than after a pause. */
  pause(): void;
  close(): void;
}

interface NeededAccountsDeps extends LeasesDeps {
  leased: Pick<LeasedAccounts, 'size' | 'lease'>;
  events: () => Pick<LeaseEvents, 'waiting'>;
  inTurn: Rounds['inTurn'];
}

export function createNeededAccounts(deps: NeededAccountsDeps): NeededAccounts {
  const { db, instance, accounts, limits, leased, events, inTurn } = deps;
  let asking: NodeJS.Timeout | undefined;
  let asksAgainAtMs = -Infinity;

  async function lease(): Promise<void> {
    const needed = Math.min(events().waiting(), accounts.length - leased.size);
    if (needed === 0) return;
    const missing = needed - (await leased.lease(needed));
    if (missing === 0) return;
    pause();
    await db.query(ASK, [instance, missing]);
  }

  function pause(): void {
    asksAgainAtMs = performance.now() + limits.askEveryMs;
  }

  return {
    lease,
    leaseSoon() {
      asking ??= setTimeout(
        () => {
          asking = undefined;
          void inTurn(lease);
        },
        Math.max(0, asksAgainAtMs - performance.now()),
      ).unref();
    },
    pause,
    close: () => clearTimeout(asking),
  };
}
