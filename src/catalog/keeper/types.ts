import type { Refusal } from '../../contract/index.ts';
import type { Stale } from '../checks/stale.ts';
import type { BlockTarget } from './target.ts';

export type KeeperAction = 'hide' | 'unhide' | 'remove' | 'block' | 'unblock';

/** Says who acts, from where, and why. */
export interface KeeperAct {
  /** 1 to 500 printable characters, in one line. Sellers never see it. */
  readonly reason: string;
  readonly source: 'terminal' | 'console';
  /** The person's name, of 1 to 64 printable characters. */
  readonly actor: string;
}

/** An act that was carried out. */
export interface RecordedAct extends KeeperAct {
  readonly id: number;
  readonly at: Date;
  readonly action: KeeperAction;
  /** The URL of the listing, or what was blocked. */
  readonly subject: string;
  /** Undefined for a block. */
  readonly listing: number | undefined;
}

export interface Block extends BlockTarget {
  readonly since: Date;
}

/** A listing as its keeper sees it, shown or not. */
export interface KeptListing {
  readonly id: number;
  readonly resource: string;
  readonly type: string;
  /** Undefined for `http`. */
  readonly toolName: string | undefined;
  readonly payTo: string;
  readonly serviceName: string | undefined;
  readonly lastUpdated: string | undefined;
  /** True if the listing itself was hidden. */
  readonly isHidden: boolean;
  /** The blocks that cover it. */
  readonly blockedBy: readonly BlockTarget[];
  /** Undefined unless a check marked it. */
  readonly stale: Stale | undefined;
}

export interface KeptRequest {
  /** Also finds the listings of the address's muxed forms. */
  readonly payTo?: string | undefined;
  readonly origin?: string | undefined;
  /** True for listings that are hidden or blocked, false for listings that are shown. */
  readonly isHidden?: boolean | undefined;
  /** A part of the URL, in any case of its letters. */
  readonly text?: string | undefined;
  /** Only later listings: `next` of the page before. */
  readonly after?: number | undefined;
  /** 1 to 100; 20 if absent. */
  readonly limit?: number | undefined;
}

/** Listings in the order of their ids. */
export interface KeptPage {
  readonly listings: readonly KeptListing[];
  /** The cursor of the next page; undefined at the end. A page may be short or empty without being the last. */
  readonly next: number | undefined;
}

/** The whole of a listing. */
export interface KeptDetail {
  readonly listing: KeptListing;
  /** As it is served; undefined if its row is damaged. */
  readonly item: unknown;
  /** The acts on it, on its origin and on its recipient, latest first. */
  readonly acts: readonly RecordedAct[];
}

export interface ActsRequest {
  /** Only earlier ones: the id of the last act of the page before. */
  readonly before?: number | undefined;
  /** 1 to 100; 20 if absent. */
  readonly limit?: number | undefined;
}

export type KeeperRefusal = Refusal<
  | 'keeper_invalid_act'
  | 'keeper_invalid_target'
  | 'keeper_unknown_listing'
  | 'keeper_already_done'
  | 'keeper_not_blocked'
  | 'keeper_too_many_blocks'
>;

/** Says how an act on a listing ended. */
export type ListingOutcome = 'done' | 'unknown' | 'already done';

/** Reads listings, blocks and acts for the keeper. */
export interface KeeperReads {
  listings(request: KeptRequest): Promise<KeptPage>;
  listing(id: number): Promise<Omit<KeptDetail, 'acts'> | undefined>;
  blocks(): Promise<readonly Block[]>;
  acts(request: ActsRequest): Promise<readonly RecordedAct[]>;
  /** Returns the acts of a listing, and of the blocks with these keys. */
  actsOf(about: { listing: number; keys: readonly string[] }): Promise<readonly RecordedAct[]>;
}

/** Hears how many listings a block has hidden, or shown again. */
export type Progress = (done: number, of: number) => void;

/** Carries acts out, and records them. */
export interface KeeperWrites {
  setHidden(request: { id: number; isHidden: boolean; act: KeeperAct }): Promise<ListingOutcome>;
  remove(request: { id: number; act: KeeperAct }): Promise<ListingOutcome>;
  block(request: BlockRequest, onProgress: Progress): Promise<BlockOutcome>;
  unblock(request: BlockRequest, onProgress: Progress): Promise<BlockOutcome>;
}

export interface BlockRequest {
  readonly target: BlockTarget;
  readonly act: KeeperAct;
}

/** Says how many listings a block covers; undefined if that is not known here. */
export type BlockOutcome = { readonly listings: number | undefined } | 'too many blocks' | 'not blocked';
