import type { CatalogCode } from '../contract/index.ts';

/** Hears what the catalog does, to count it. Must not throw. */
export interface CatalogObserver {
  /** A settled payment was submitted. A code says why it was rejected. */
  submitted(outcome: 'success' | 'rejected' | 'failed', code: CatalogCode | undefined, ms: number): void;
  /** A question was answered, or refused. */
  answered(operation: 'list' | 'search', ms: number): void;
}

export const UNOBSERVED: CatalogObserver = { submitted() {}, answered() {} };
