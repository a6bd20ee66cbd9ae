/** The five filters of the discovery endpoints (specification 4.4): exact matches, all of which must hold. */
export interface Filters {
  readonly type?: string | undefined;
  readonly payTo?: string | undefined;
  readonly scheme?: string | undefined;
  readonly network?: string | undefined;
  readonly extensions?: string | undefined;
}

export interface ListRequest {
  readonly filters: Filters;
  /** Clamped to 1 to 100; absent is 20. */
  readonly limit?: number | undefined;
  /** Absent is 0. */
  readonly offset?: number | undefined;
}

export interface SearchRequest {
  readonly query: string;
  readonly filters: Filters;
  /** Clamped to 1 to 100; absent is 20. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}
