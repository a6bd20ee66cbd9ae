import { readAccounts, type AccountState } from '../../stellar/accounts.ts';
import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';

/** The facilitator's own accounts, as they were last read from the ledger. */
export interface OwnAccounts {
  /** Reads some of them, by address; those that do not exist are missing. Throws if the RPC fails. */
  read(addresses: readonly string[]): Promise<Map<string, AccountState>>;
  /**
   * Reads all of them, at most once per ledger, however many ask. Throws if the RPC fails; until the next ledger, it
   * throws the same to all.
   */
  readAll(): Promise<void>;
  /** Returns the balance; undefined if the account was never read, or does not exist. */
  balanceOf(address: string): number | undefined;
  /** True if the account did not exist when it was last read. */
  isMissing(address: string): boolean;
}

export function createOwnAccounts(deps: {
  rpc: Rpc;
  clock: Pick<LedgerClock, 'ledgerSeconds'>;
  /** Monotonic milliseconds. */
  now: () => number;
  addresses: readonly string[];
}): OwnAccounts {
  const { rpc, clock, now, addresses } = deps;
  const balances = new Map<string, number>();
  const missing = new Set<string>();
  let reading: { at: number; done: Promise<void> } | undefined;

  async function read(those: readonly string[]): Promise<Map<string, AccountState>> {
    const states = await readAccounts(rpc, those);
    for (const address of those) note(address, states.get(address));
    return states;
  }

  function note(address: string, state: AccountState | undefined): void {
    if (state === undefined) {
      balances.delete(address);
      missing.add(address);
    } else {
      balances.set(address, Number(state.balanceStroops));
      missing.delete(address);
    }
  }

  return {
    read,
    async readAll() {
      if (reading === undefined || now() - reading.at >= clock.ledgerSeconds() * 1000)
        reading = { at: now(), done: read(addresses).then(() => {}) };
      await reading.done;
    },
    balanceOf: (address) => balances.get(address),
    isMissing: (address) => missing.has(address),
  };
}
