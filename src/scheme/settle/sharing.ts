import type { UnendedEntry } from './settlementJournal.ts';

/** Shares the channel accounts and the payments in flight with other instances. One instance at a time uses an account. */
export interface Sharing {
  /** Starts to lease accounts, and to tell of it. */
  open(events: LeaseEvents): Promise<void>;
  /** Asks for accounts: payments wait for them. */
  need(): void;
  /** True if an account that has become free goes to another instance, which needs it more. */
  giveUp(address: string): boolean;
  /** Learns that an account was found to be another instance's. */
  noteLoss(address: string): void;
  /** Resolves once no instance settles the authorization any more, or after `withinMs`. */
  settledElsewhere(authorization: string, withinMs: number): Promise<void>;
  /** Gives up the accounts that no payment has. Others follow once they are free. */
  drain(): void;
  /** Gives up all accounts. Another instance learns what became of their transactions. */
  close(): Promise<void>;
}

export interface LeaseEvents {
  /** Earlier holders sent this, and left it without a known outcome. Called before the accounts are gained. */
  left(entries: readonly UnendedEntry[]): void;
  /** This process may use the account. */
  gained(address: string): void;
  /** Another instance may have the account: nothing more may be sent from it. */
  lost(address: string): void;
  /** Takes the account back if no payment has it. Returns false if one has. */
  takeBack(address: string): boolean;
  /** No account can be had for some time: payments that wait for one are refused. */
  unavailable(): void;
  /** Returns the number of payments that wait for an account. */
  waiting(): number;
}
