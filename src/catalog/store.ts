import type { Facets, PaymentRequirements } from '../contract/index.ts';
import type { Filters, Sort } from './requests.ts';
import type { Declaration } from './listing.ts';
import type { Position } from './search/cursor.ts';
import type { SellerDescription } from './sellers.ts';
import type { BlockTarget } from './keeper/target.ts';
import type { KeeperStore } from './keeper/store.ts';
import type { Claim, ProofStore, RecordRequest } from './proofs.ts';
import type { SortedPlace } from './sqlite/sorted.ts';
import type { PreparedListings } from './sqlite/preparedListings.ts';
import type { Position as HybridPosition } from './hybrid/cursor.ts';
import type { TraitsFill } from './sqlite/traitsFill.ts';

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
  /** Undefined if it is not known. */
  readonly payer?: string | undefined;
  /** What the origin says of the recipient, if the listing belonged to another one. */
  readonly claim?: Claim | undefined;
}

/** A ledger and its close time. Several ledgers may close within a second. */
export interface LedgerClose {
  readonly ledger: number;
  /** Unix time, by the network's clock. */
  readonly seconds: number;
}

/** 'hidden': it was refreshed, but its seller or the operator does not show it. 'blocked': nothing was written. */
export type PutResult = 'listed' | 'refreshed' | 'hidden' | 'blocked' | 'owned by another' | 'too many new';

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
  /** Undefined unless they were asked for. */
  readonly facets: Facets | undefined;
}

export interface SortedPage extends ListPage {
  /** Where the page ends; undefined if nothing follows. */
  readonly next: SortedPlace | undefined;
}

/** A page of hits, best first. */
export interface SearchPage<At = Position> extends Items {
  /** The position after the last listing of the page; undefined if nothing follows. */
  readonly next: At | undefined;
  /** True if the retrieval cap left matches out. */
  readonly capped: boolean;
}

/** A listing as the shared log has it. */
export interface LogListing {
  readonly position: number;
  readonly owner: string;
  /** JSON, as it is served. */
  readonly item: string;
  readonly ledger: number | null;
  readonly closedAt: number | null;
  /** Who has paid for it, see payers.ts; null where nothing is known. */
  readonly payers: string | null;
  /** True if the operator hid it by itself, or removed it: its item is then empty. */
  readonly hidden: boolean;
}

/** A block as the shared log has it. */
export interface LogBlock extends BlockTarget {
  readonly key: string;
  readonly sinceMs: number;
  readonly isActive: boolean;
}

/** A listing as it is to be written to the shared log, if its latest entry still stands at `knownPosition`. */
export interface Proposal extends Omit<LogListing, 'position' | 'hidden'> {
  /** A hash of URL, type and tool, in hex. */
  readonly key: string;
  /** 0 for a new listing. */
  readonly knownPosition: number;
  /** Its earlier content, if other words find it now. */
  readonly earlier: { readonly words: string; readonly length: number } | undefined;
  readonly settledAtSeconds: number;
  /** The keys of the blocks that would cover it. */
  readonly covering: readonly [origin: string, recipient: string];
}

/** The listing as the log has it; undefined if the index has the same. */
export type Current = LogListing | 'none' | undefined;

/** Entries of the shared log that follow a position, in order. */
export interface LogBatch {
  readonly after: number;
  readonly entries: readonly (LogListing & { readonly listing: number })[];
  readonly earlierWordings: readonly {
    readonly reworded: number;
    readonly listing: number;
    readonly words: string;
    readonly length: number;
  }[];
  readonly blocks: readonly LogBlock[];
  /** The position that the batch reaches. */
  readonly position: number;
  /** The end of the log, if the batch reaches it. */
  readonly end: { readonly listings: number; readonly clock: number; readonly checksum: string } | undefined;
}

/** Listings of the shared log that follow a listing, in order of their ids. */
export interface ListingBatch {
  readonly after: number;
  /** The fields of `LogBatch` with these names, as JSON: entries in lines. Only the thread that prepares them reads them. */
  readonly entries: string;
  readonly earlierWordings: string;
  /** All blocks that are in force, in the first batch. */
  readonly blocks: readonly LogBlock[];
  /** The id of the last one. */
  readonly to: number;
  readonly isLast: boolean;
  /** The end of the log when the batch was read. */
  readonly position: number;
}

/** How far the index has come in the shared log. */
export interface Standing {
  readonly position: number;
  /** Given while the index is filled from empty: the last listing that it has, and whether it must be written first. */
  readonly filling?: { readonly filledTo: number; readonly isFull: boolean } | undefined;
  /** False while more than one batch is missing: the listings do not belong together then. */
  readonly isWhole: boolean;
  /** True if the last batch showed that the index is not what the log says. It is then empty again. */
  readonly hasDiverged?: boolean;
}

/** Ranks by words and meaning, with an index in memory. */
export interface HybridStore {
  /** Changes with the model: its cursors are those of this ranking alone. */
  readonly name: string;
  /** True if the next step has work to do. */
  readonly isBusy: boolean;
  /** Enters some of the listings that are missing. */
  step(): HybridProgress;
  /**
   * Returns listings ranked; undefined if the walk that stands at `after` has expired. 'not ready' while the index lacks
   * many listings.
   */
  search(
    query: string,
    filters: Filters,
    limit: number,
    after: HybridPosition | undefined,
  ): SearchPage<HybridPosition> | 'not ready' | undefined;
}

/** How many of the listings the index in memory has. */
export interface HybridProgress {
  readonly indexed: number;
  readonly listings: number;
}

/** Keeps the listings. Throws if the database fails. */
export interface Store {
  /**
   * Checks who owns each listing and writes it, all in one transaction. The service passes one settlement at a time;
   * tools that fill a catalog pass many.
   */
  put(settlements: readonly Settlement[]): PutResult[];
  /**
   * Returns what a settlement makes of a listing, without writing it. Starts from `current` if given, else from what the
   * index has.
   */
  propose(settlement: Settlement, current: Current): Proposal | 'owned by another';
  /** The same for what its owner says of a listing. 'unknown': the owner has no such listing, or its row is damaged. */
  proposeDescription(description: SellerDescription, current: Current): Proposal | 'unknown';
  /** Works like `propose`, for what an origin says. 'gone' if the listing is gone, or has another owner. */
  proposeProof(request: RecordRequest, current: Current): Proposal | 'gone';
  /** Applies a batch of the shared log, in one transaction. Does nothing if the index does not stand where it begins. */
  apply(batch: LogBatch): Standing;
  /** Returns what `fill` takes. Does not need the database: any thread does it. */
  prepare(batch: ListingBatch): PreparedListings;
  /** Enters a batch of listings into an index that is filled from empty. Works like `apply` otherwise. */
  fill(listings: PreparedListings): Standing;
  /** Writes a part of what `fill` has gathered in memory. */
  writeFill(): Standing;
  standing(): Standing;
  /** Returns listings in the order in which they were made. */
  list(filters: Filters, offset: number, limit: number, withFacets?: boolean): ListPage;
  /** Returns them in another order, from after a place on; undefined if the listing there is gone. A page may be short. */
  sorted(
    filters: Filters,
    sort: Sort,
    limit: number,
    after: SortedPlace | undefined,
    withFacets?: boolean,
  ): SortedPage | undefined;
  /** Returns listings with any of `tokens`, ranked; undefined if the walk that stands at `after` has expired. */
  search(
    tokens: readonly string[],
    filters: Filters,
    limit: number,
    after: Position | undefined,
  ): SearchPage | undefined;
  /** Undefined if the operator has not chosen the hybrid ranking. */
  readonly hybrid: HybridStore | undefined;
  /** True if the walk began on a newer copy of the catalog. */
  isAhead(after: { readonly snapshot: { readonly listings: number; readonly clock: number } }): boolean;
  /** Returns the next listings of a page, from its `unread` ones, with any changes since the page was begun. */
  read(unread: readonly number[]): Items;
  /** Writes something. Throws if the file does not take it. */
  checkWritable(): void;
  readonly traitsFill: TraitsFill;
  readonly keeper: KeeperStore;
  readonly proofs: ProofStore;
  /** Does housekeeping. Call it when nobody waits. */
  tidy(): void;
  /** Signs cursors. It is the same for every process on this database. */
  readonly cursorKey: Uint8Array;
  close(): void;
}
