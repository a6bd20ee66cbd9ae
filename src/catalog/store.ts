import type { PaymentRequirements } from '../contract/index.ts';
import type { Filters } from './requests.ts';
import type { Declaration } from './listing.ts';
import type { Position } from './search/cursor.ts';

/** A settled payment and the resource that it was for. */
export interface Settlement {
  readonly declaration: Declaration;
  /** The terms that were paid; their `payTo` owns the listing from its first settlement on. */
  readonly requirements: PaymentRequirements;
  readonly settledAt: Date;
  /** The ledger that holds it: orders settlements that are listed late. If it is not known, it counts as the latest. */
  readonly ledgerClose?: LedgerClose | undefined;
  /** Whether it is known that it was paid in a Stellar asset contract: any other can claim any payment. */
  readonly isStellarAsset: boolean;
}

/** A ledger, and when it closed. Several may close within a second. */
export interface LedgerClose {
  readonly ledger: number;
  /** Unix time of the network. */
  readonly seconds: number;
}

export type PutResult = 'listed' | 'refreshed' | 'owned by another' | 'too many new';

/** Listings of a page: at least the first, and as many as fit one part of an answer. */
export interface Items {
  /** As they are served, as JSON text. */
  readonly items: readonly string[];
  /** Ids of those that did not fit. */
  readonly unread: readonly number[];
}

export interface ListPage extends Items {
  /** How many listings match the filters. */
  readonly total: number;
}

/** Best first. */
export interface SearchPage extends Items {
  /** The position after the last listing of the page; null if nothing follows. */
  readonly next: Position | null;
  /** Whether the retrieval cap left matches out. */
  readonly capped: boolean;
}

/** Where listings are kept. A failing database throws. */
export interface Store {
  /**
   * Checks who owns each listing and writes it, all in one transaction: a settlement at a time in the service, many
   * where a catalog is filled.
   */
  put(settlements: readonly Settlement[]): PutResult[];
  /** In the order in which the listings were made. */
  list(filters: Filters, offset: number, limit: number): ListPage;
  /** Listings with any of `tokens`, ranked; null where the walk that stands `after` has expired. */
  search(
    tokens: readonly string[],
    filters: Filters,
    limit: number,
    after: Position | null,
  ): SearchPage | null;
  /** The next listings of a page, from its `unread` ones, with any changes since the page was begun. */
  read(unread: readonly number[]): Items;
  /** Housekeeping, for when nobody waits. */
  tidy(): void;
  /** Signs cursors: the same for every process on this database. */
  readonly cursorKey: Uint8Array;
  close(): void;
}
