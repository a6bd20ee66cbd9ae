/** The filters of the discovery endpoints. All of them must hold. */
export interface Filters {
  readonly type?: string | undefined;
  readonly payTo?: string | undefined;
  readonly scheme?: string | undefined;
  readonly network?: string | undefined;
  readonly extensions?: string | undefined;
  /** The canonical URL. */
  readonly resource?: string | undefined;
  readonly asset?: string | undefined;
  /** Base units of `asset`, in decimal digits. Needs `asset`. */
  readonly maxAmount?: string | undefined;
  /** A time that `Date.parse` reads. */
  readonly updatedSince?: string | undefined;
  /** True: with a proof that holds now. False: without one. */
  readonly verified?: boolean | undefined;
}

/** The orders of a list beside that in which the listings were made. */
export type Sort = 'lastUpdated' | 'resource';

export interface ListRequest {
  readonly filters: Filters;
  /** Clamped to 1 to 100; 20 if absent. */
  readonly limit?: number | undefined;
  /** 0 if absent. Counts only without `sort`. */
  readonly offset?: number | undefined;
  readonly sort?: Sort | undefined;
  /** Counts only with `sort`. */
  readonly cursor?: string | undefined;
  /** Asks for the number of matches by the values of some filters. */
  readonly facets?: boolean | undefined;
}

export interface SearchRequest {
  readonly query: string;
  readonly filters: Filters;
  /** Clamped to 1 to 100; 20 if absent. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** Asks for the lexical ranking where the operator has chosen another. */
  readonly ranking?: 'lexical' | undefined;
}
