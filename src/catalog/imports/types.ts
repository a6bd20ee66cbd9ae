import type { CatalogCode, DiscoveryResource, Refusal } from '../../contract/index.ts';
import type { ListingKey } from '../listing.ts';

/** A listing of another facilitator, checked against the catalog's rules. */
export interface ImportedListing {
  readonly key: ListingKey;
  /** As it is served. */
  readonly item: DiscoveryResource & { readonly source: string };
}

/**
 * Says why a listing is not imported. `import_paid_here`: it was paid for here. `import_other_source`: it was imported
 * from another source.
 */
export type ImportRefusal = Refusal<
  | CatalogCode
  | 'import_invalid_listing'
  | 'import_paid_here'
  | 'import_other_source'
  | 'import_too_many_listings'
>;

/** A listing that was written, or was there already. */
export interface Placed {
  readonly id: number;
  readonly isChanged: boolean;
}

/** Writes imported listings into either store. */
export interface Imports {
  /** Writes some listings. Answers in the same order. */
  put(listings: readonly ImportedListing[]): Promise<readonly (Placed | ImportRefusal)[]>;
  /** Returns the ids of what was imported from a source. */
  ofSource(source: string): Promise<readonly number[]>;
  /** Removes listings that were imported, and still are not paid for here. */
  remove(ids: readonly number[]): Promise<void>;
}

export const BLOCKED: ImportRefusal = {
  code: 'bazaar_listing_blocked',
  message: 'Its origin or a recipient is blocked.',
};
export const PAID_HERE: ImportRefusal = { code: 'import_paid_here', message: 'It was paid for here.' };
export const OTHER_SOURCE: ImportRefusal = {
  code: 'import_other_source',
  message: 'It was imported from another source.',
};
export const TOO_MANY: ImportRefusal = {
  code: 'import_too_many_listings',
  message: 'The catalog has as many imported listings as it may.',
};
