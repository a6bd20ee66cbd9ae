import type { BlockTarget } from './target.ts';
import type {
  Block,
  BlockRequest,
  KeeperAct,
  KeeperRecord,
  KeptDetail,
  KeptPage,
  KeptRequest,
  ListingAct,
  RecordsRequest,
} from './types.ts';

/** Carries out the keeper's acts in the catalog's file, each in one transaction. Throws if the database fails. */
export interface KeeperStore {
  listings(request: KeptRequest): KeptPage;
  listing(id: number): Omit<KeptDetail, 'records'> | undefined;
  blocks(_: undefined): Block[];
  records(request: RecordsRequest): KeeperRecord[];
  recordsOf(about: { listing: number; keys: readonly string[] }): KeeperRecord[];
  setHidden(request: { id: number; isHidden: boolean; act: KeeperAct }): ListingAct;
  remove(request: { id: number; act: KeeperAct }): ListingAct;
  /** Refuses new listings from now on. Existing ones stay as they are: see `hide`. */
  block(request: BlockRequest): 'done' | 'too many blocks';
  /** Returns the listings that a block covers, by their ids. */
  covered(target: BlockTarget): readonly number[] | 'not blocked';
  /** Takes listings of a block out of lists and searches. */
  hide(request: { ids: readonly number[] }): void;
  /** Shows listings, apart from those that something other than the block `lifted` hides. */
  reveal(request: { ids: readonly number[]; lifted: BlockTarget }): void;
  /** Ends a block after its listings were shown again. */
  unblock(request: BlockRequest): void;
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
