import type { SellerAct, SellerDescription, SellerOutcome } from '../sellers.ts';
import type { BlockTarget } from './target.ts';
import type {
  Block,
  BlockRequest,
  KeeperAct,
  RecordedAct,
  KeptDetail,
  KeptPage,
  KeptRequest,
  ListingOutcome,
  ActsRequest,
} from './types.ts';

/** Carries out the keeper's acts in the catalog's file, each in one transaction. Throws if the database fails. */
export interface KeeperStore {
  listings(request: KeptRequest): KeptPage;
  listing(id: number): Omit<KeptDetail, 'acts'> | undefined;
  blocks(_: undefined): Block[];
  acts(request: ActsRequest): RecordedAct[];
  actsOf(about: { listing: number; keys: readonly string[] }): RecordedAct[];
  setHidden(request: { id: number; isHidden: boolean; act: KeeperAct }): ListingOutcome;
  remove(request: { id: number; act: KeeperAct }): ListingOutcome;
  /** Hides a listing for its seller, or ends that. */
  sellerAct(act: SellerAct): SellerOutcome;
  /** Changes what a listing says, for its seller. */
  describe(description: SellerDescription): SellerOutcome;
  /** Refuses new listings from now on. Existing ones follow in steps. */
  block(request: BlockRequest): UnfinishedBlock | 'too many blocks';
  /** Ends a block. Its listings follow in steps. */
  unblock(request: BlockRequest): UnfinishedBlock | 'not blocked';
  /** Returns the acts whose listings have not all followed. */
  unfinished(_: undefined): UnfinishedBlock[];
  /** Returns the listings that a block covers, by their ids. */
  covered(target: BlockTarget): readonly number[];
  /** Hides listings of a block, or shows those that nothing else hides. False if a later act does so, or did. */
  step(request: { block: UnfinishedBlock; ids: readonly number[] }): boolean;
  /** Says that all listings have followed, unless a later act came in between. */
  finish(block: UnfinishedBlock): void;
}

/** A block or its end that is carried out in steps. If it is cut off, another process goes on. */
export interface UnfinishedBlock extends BlockTarget {
  readonly isInForce: boolean;
  /** The id of the act. */
  readonly act: number;
}

/** A call of a method, as a message to a thread. */
export interface KeeperCall {
  readonly method: keyof KeeperStore;
  readonly argument: unknown;
}

/** Asks a store for what a method of it does, in this thread or in another. */
export type AskKeeper = <Method extends keyof KeeperStore>(
  method: Method,
  argument: Parameters<KeeperStore[Method]>[0],
) => Promise<ReturnType<KeeperStore[Method]>>;
