import type { LeaseEvents } from '../../scheme/index.ts';
import type { Row } from '../../store/postgres.ts';
import type { LeasesDeps } from './leases.ts';
import type { LeftEntries } from './leftEntries.ts';
import * as statements from './statements.ts';

/** The channel accounts that this instance leases. The scheme hears of each that is gained or lost. */
export interface LeasedAccounts {
  readonly size: number;
  has(address: string): boolean;
  addresses(): string[];
  /** Leases up to `count` free accounts. Returns how many were gained. */
  lease(count: number): Promise<number>;
  /** Leases the free accounts that a dead instance left with open entries. */
  adopt(): Promise<void>;
  /** Renews the leases, and learns which are still this instance's. */
  renew(): Promise<void>;
  lose(address: string): void;
  /** Counts accounts as given up. Call `giveUp` next. */
  leave(addresses: readonly string[]): void;
  /** Tells the database, and with it the others, that these accounts are free. */
  giveUp(addresses: readonly string[]): Promise<void>;
}

interface LeasedAccountsDeps extends LeasesDeps {
  left: Pick<LeftEntries, 'follow'>;
  events: () => Pick<LeaseEvents, 'gained' | 'lost'>;
}

export function createLeasedAccounts(deps: LeasedAccountsDeps): LeasedAccounts {
  const { db, instance, accounts, log, limits, left, events } = deps;
  const held = new Set<string>();
  /** Accounts that are being given up: the database may still show them as this instance's. */
  const leaving = new Set<string>();

  async function take(statement: string, count: readonly number[] = []): Promise<number> {
    const rows = await db.query(statement, [instance, limits.leaseMs, accounts, ...count]);
    return welcome(rows.map(addressOf).filter((address) => !held.has(address)));
  }

  /** Reads what earlier holders sent only now: they cannot send any more. */
  async function welcome(gained: readonly string[]): Promise<number> {
    if (gained.length === 0) return 0;
    await left.follow(gained);
    for (const address of gained) {
      held.add(address);
      events().gained(address);
    }
    return gained.length;
  }

  function lose(address: string): void {
    held.delete(address);
    log.warn({ submitter: address }, 'another instance may have taken over a channel account');
    events().lost(address);
  }

  return {
    get size() {
      return held.size;
    },
    has: (address) => held.has(address),
    addresses: () => [...held],
    lease: (count) => take(statements.LEASE, [count]),
    adopt: async () => void (await take(statements.ADOPT)),
    async renew() {
      const rows = await db.query(statements.RENEW, [instance, limits.leaseMs, accounts]);
      const leased = rows.map(addressOf);
      for (const address of held) if (!leased.includes(address)) lose(address);
      await welcome(leased.filter((address) => !held.has(address) && !leaving.has(address)));
    },
    lose,
    leave(addresses) {
      for (const address of addresses) {
        held.delete(address);
        leaving.add(address);
      }
    },
    async giveUp(addresses) {
      for (const address of addresses) leaving.delete(address);
      await db.query(statements.GIVE_UP, [instance, addresses]);
    },
  };
}

const addressOf = ({ address }: Row): string => String(address);
