import type { PaymentRequirements } from '../contract/index.ts';
import type { Filters } from './requests.ts';
import type { Declaration } from './listing.ts';
import type { Position } from './search/cursor.ts';

/** A settled payment and the resource that it paid for. */
export interface Settlement {
  readonly declaration: Declaration;
  /** The terms that were paid. Their `payTo` owns the listing from its first settlement on. */
  readonly requirements: PaymentRequirements;
  readonly settledAt: Date;
  /** The ledger that holds it; orders settlements that are listed late. If unknown, it counts as the latest. */
  readonly ledgerClose?: LedgerClose | undefined;
  /** True if it is known to be paid in a Stellar asset contract. Any other contract can claim any payment. */
  readonly isStellarAsset: boolean;
}

/** A ledger and its close time. Several ledgers may close within a second. */
export interface LedgerClose {
  readonly ledger: number;
  /** Unix time, by the network's clock. */
  readonly seconds: number;
}

export type PutResult = 'listed' | 'refreshed' | 'owned by another' | 'too many new';

/** Listings of a page: at least the first, and as many as fit one part of an answer. */
export interface Items {
  /** JSON texts, as they are served. */
  readonly items: readonly string[];
  /** Ids of those that did not fit. */
  readonly unread: readonly number[];
}

export interface ListPage extends Items {
  /** Number of listings that match the filters. */
  readonly total: number;
}

/** A page of hits, best first. */
export interface SearchPage extends Items {
  /** The position after the last listing of the page; undefined if nothing follows. */
  readonly next: Position | undefined;
  /** True if the retrieval cap left matches out. */
  readonly capped: boolean;
}

/** Keeps the listings. Throws if the database fails. */
export interface Store {
  /**
   * Checks who owns each listing and writes it, all in one transaction. The service passes one settlement at a time;
   * tools that fill a catalog pass many.
   */
  put(settlements: readonly Settlement[]): PutResult[];
  /** Returns listings in the order in which they were made. */
  list(filters: Filters, offset: number, limit: number): ListPage;
  /** Returns listings with any of `tokens`, ranked; undefined if the walk that stands at `after` has expired. */
  search(
    tokens: readonly string[],
    filters: Filters,
    limit: number,
    after: Position | undefined,
  ): SearchPage | undefined;
  /** Returns the next listings of a page, from its `unread` ones, with any changes since the page was begun. */
  read(unread: readonly number[]): Items;
  /** Does housekeeping. Call it when nobody waits. */
  tidy(): void;
  /** Signs cursors. It is the same for every process on this database. */
  readonly cursorKey: Uint8Array;
  close(): void;
}
