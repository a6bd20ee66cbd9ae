import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../store/sqliteFile.ts';
import type { KeeperStore } from '../keeper/store.ts';
import { keyOfBlock } from '../keeper/target.ts';
import type { KeeperLimits } from '../limits.ts';
import { createBlocked, type Blocked } from './blocked.ts';
import { createKeeperActs, type KeeperActs } from './keeperActs.ts';
import { createKeptListings } from './keptListings.ts';
import { LISTING_COLUMNS, REMOVED, type ListingRow } from './listingRow.ts';
import { createListingWriter, type ListingWriter } from './listingWriter.ts';
import { createReveal } from './reveal.ts';
import { createSellerActs, type SellerActs } from './sellerActs.ts';
import { createUnfinishedBlocks, type UnfinishedBlocks } from './unfinishedBlocks.ts';

type Row = ListingRow & { resource: string };

/** Carries out what the keeper asks of a catalog that is kept in its file alone, and reads any. */
export function createKeeperStore(db: DatabaseSync, limits: KeeperLimits): KeeperStore {
  const writer = createListingWriter(db);
  const blocked = createBlocked(db);
  const unfinished = createUnfinishedBlocks(db, blocked);
  const acts = createKeeperActs(db, limits.maxActs);
  const kept = createKeptListings(db, blocked, limits.scannedPerPage);
  const reveal = createReveal(db, blocked);
  const write: Parts['write'] = (work) => writeWith(db, writer, () => work(writer));
  const sellerActs = createSellerActs(db, { blocked, reveal });
  const parts = { write, blocked, unfinished, acts, reveal, sellerActs };
  return {
    listings: (request) => transaction(db, 'BEGIN', () => kept.page(request)),
    listing: (id) => transaction(db, 'BEGIN', () => kept.one(id)),
    blocks: () => blocked.all(),
    acts: acts.page,
    actsOf: acts.of,
    ...listingActs(db, parts),
    sellerAct: (act) => write(() => sellerActs.act(act, writer)),
    describe: (description) => write(() => sellerActs.describe(description, writer)),
    ...blockActs(parts, limits.maxBlocks),
  };
}

interface Parts {
  /** Runs `work` in a transaction. */
  readonly write: <Result>(work: (writer: ListingWriter) => Result) => Result;
  readonly blocked: Blocked;
  readonly unfinished: UnfinishedBlocks;
  readonly acts: KeeperActs;
  readonly reveal: ReturnType<typeof createReveal>;
  readonly sellerActs: SellerActs;
}

function listingActs(
  db: DatabaseSync,
  { write, acts, reveal, sellerActs }: Parts,
): Pick<KeeperStore, 'setHidden' | 'remove'> {
  const select = db.prepare(`SELECT resource, ${LISTING_COLUMNS} FROM listing WHERE id = ?`);
  const updateHidden = db.prepare('UPDATE listing SET hidden = ? WHERE id = ?');

  function existing(id: number): Row | undefined {
    const row = select.get(id) as Row | undefined;
    return row?.item === REMOVED ? undefined : row;
  }

  return {
    setHidden: ({ id, isHidden, act }) =>
      write((writer) => {
        const row = existing(id);
        if (row === undefined) return 'unknown';
        if (sellerActs.isHiddenByOperator(row) === isHidden) return 'already done';
        updateHidden.run(Number(sellerActs.setByOperator(id, isHidden)), id);
        reveal(writer, [id]);
        acts.addOfListing(isHidden ? 'hide' : 'unhide', row, act);
        return 'done';
      }),

    remove: ({ id, act }) =>
      write((writer) => {
        const row = existing(id);
        if (row === undefined) return 'unknown';
        const state = writer.state();
        writer.remove(row, null, state);
        writer.flush(state);
        acts.addOfListing('remove', row, act);
        return 'done';
      }),
  };
}

function blockActs(
  { write, blocked, unfinished, acts, reveal }: Parts,
  maxBlocks: number,
): Pick<KeeperStore, 'block' | 'unblock' | 'unfinished' | 'covered' | 'step' | 'finish'> {
  return {
    block: ({ target, act }) =>
      write(() => {
        if (!blocked.has(target) && blocked.count >= maxBlocks) return 'too many blocks';
        blocked.add(target, Date.now());
        return unfinished.begin(target, acts.addOfBlock('block', target, act));
      }),

    unblock: ({ target, act }) =>
      write(() => {
        if (!blocked.has(target) && !unfinished.has(target)) return 'not blocked';
        blocked.remove(keyOfBlock(target));
        return unfinished.begin(target, acts.addOfBlock('unblock', target, act));
      }),

    unfinished: () => unfinished.all(),
    covered: (target) => blocked.listings(target),

    step: ({ block, ids }) =>
      write((writer) => {
        if (!unfinished.isLatest(block)) return false;
        // One of them may have moved to an owner whom the block does not cover.
        reveal(writer, ids);
        return true;
      }),

    finish: (block) => write(() => unfinished.finish(block)),
  };
}

function writeWith<Result>(db: DatabaseSync, writer: ListingWriter, work: () => Result): Result {
  try {
    return transaction(db, 'BEGIN IMMEDIATE', () => {
      const result = work();
      writer.flushIndex();
      return result;
    });
  } catch (error) {
    writer.discard();
    throw error;
  }
}
