import type { DiscoveryResource } from '../../contract/index.ts';
import type { Stale } from './stale.ts';

/** A listing to check. */
export interface CheckableListing {
  readonly id: number;
  readonly item: DiscoveryResource;
  /** The item as it is stored. */
  readonly text: string;
}

/** Reads the listings to check in either store, and marks them. */
export interface Checks {
  /** Yields the listings that are shown, some at a time, in order of ids, from after an id on. */
  listings(after: number): AsyncIterable<readonly CheckableListing[]>;
  /** Marks a listing, or unmarks it. Returns false if it has changed since it was read, and writes nothing then. */
  mark(listing: CheckableListing, stale: Stale | undefined): Promise<boolean>;
}
