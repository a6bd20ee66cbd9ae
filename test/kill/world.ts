/** What there is to know of payments once the dust has settled, by each of those who know something. */
import type {
  BazaarOutcome,
  DiscoveryResource,
  FacilitatorRequest,
  SettleResponse,
} from '../../src/contract/index.ts';

/** A payment that sellers asked to be settled, once or more often. */
export interface Payment {
  /** `payer:nonce` of its authorization. */
  readonly authorization: string;
  /** The last ledger in which the authorization holds. */
  readonly expiration: number;
  readonly request: FacilitatorRequest;
  /** What its extension deserves; 'nothing' where it carries none. */
  readonly deserves: 'a listing' | 'a refusal' | 'nothing';
  /** How often it was asked for. */
  asked: number;
  /** What sellers got of that: less, where the process was killed before it answered. */
  readonly answers: Answer[];
}

export interface Answer {
  readonly body: SettleResponse;
  /** Of the header `EXTENSION-RESPONSES`. */
  readonly bazaar: BazaarOutcome | undefined;
  /** The latest ledger when it arrived. */
  readonly inLedger: number;
}

/** A transaction that a ledger took. */
export interface LedgerTransaction {
  readonly hash: string;
  readonly status: 'success' | 'failed';
  readonly ledger: number;
  readonly closedAtSeconds: number;
  readonly authorization: string;
  readonly submitter: string;
  readonly feeChargedStroops: number;
}

/** A row of the journal. */
export interface JournalRow {
  readonly hash: string;
  readonly authorization: string;
  readonly submitter: string;
  /** Null while its end is not known. */
  readonly status: string | null;
  readonly ledger: number | null;
  readonly feeChargedStroops: number | null;
  readonly bidStroops: number;
  /** Whether it still has a listing to be made. */
  readonly isListingDue: boolean;
}

export interface World {
  readonly payments: readonly Payment[];
  /** Those of this service's submitters. */
  readonly ledger: readonly LedgerTransaction[];
  readonly journal: readonly JournalRow[];
  /** Base units of the asset by address: what arrived since the start. */
  readonly received: ReadonlyMap<string, bigint>;
}

/** When all that was under way has ended. */
export interface EndedWorld extends World {
  readonly listings: readonly DiscoveryResource[];
}
