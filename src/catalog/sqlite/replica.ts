import type { DatabaseSync } from 'node:sqlite';
import { transaction, UnusableFile } from '../../store/sqliteFile.ts';
import { PAGE_CACHE_KIB, type FillLimits } from '../limits.ts';
import type { LogBatch, LogBlock, LogListing, Standing } from '../store.ts';
import { createBlocked } from './blocked.ts';
import { closeIn, readItem, REMOVED, SELECT_LISTING, type ListingRow } from './listingRow.ts';
import { createListingInsert, createListingWriter, valuesOfRemoved } from './listingWriter.ts';
import { hashOf, hashOfBlock, keyOf } from './logListing.ts';
import type { PreparedListings } from './preparedListings.ts';
import { createReveal } from './reveal.ts';
import { createReplicaFill, type ReplicaFill } from './replicaFill.ts';
import type { State } from './search.ts';

interface ReplicaRow {
  position: number;
  state: 'new' | 'filled' | 'behind' | 'whole';
  checksum: string;
}

const SELECT_REPLICA = 'SELECT position, state, checksum FROM replica';
const CONTENT = [
  ...['listing', 'earlier_wording', 'word', 'posting', 'length', 'facet', 'member', 'new_listing'],
  ...['blocked', 'hidden'],
];

/**
 * Makes the file an index of the shared log with this key, empty unless it is one already. One that was not filled to
 * its end begins again: a part of it was only in memory. Without a key, checks that the file is a catalog of its own.
 * Throws UnusableFile if the file is the other kind.
 */
export function adopt(db: DatabaseSync, logKey: Uint8Array | undefined): void {
  const replica = db.prepare(SELECT_REPLICA).get() as ReplicaRow | undefined;
  const isReplica = replica !== undefined;
  const { listings, key } = db.prepare('SELECT listings, cursor_key AS key FROM state').get() as {
    listings: number;
    key: Uint8Array;
  };
  if (logKey === undefined) {
    if (!isReplica) return;
    throw new UnusableFile('catalog', 'is the index of a catalog that instances share: name another file');
  }
  if (isReplica && Buffer.compare(key, logKey) === 0 && replica.state !== 'new') return;
  if (!isReplica && listings > 0)
    throw new UnusableFile('catalog', 'holds a catalog that is not in the database: name another file');
  transaction(db, 'BEGIN IMMEDIATE', () => {
    empty(db);
    db.prepare('UPDATE state SET cursor_key = ?').run(logKey);
  });
}

function empty(db: DatabaseSync): void {
  for (const table of CONTENT) db.exec(`DELETE FROM ${table}`);
  db.exec(`UPDATE state SET listings = 0, tokens = 0, clock = 0;
    INSERT OR REPLACE INTO replica VALUES (1, 0, 'new', '0')`);
}

/** Brings the index in step with the shared log. What it holds follows from the log alone. */
export function createReplica(db: DatabaseSync, fillLimits: FillLimits) {
  const writer = createListingWriter(db);
  const selectReplica = db.prepare(SELECT_REPLICA);
  const selectListing = db.prepare(`${SELECT_LISTING} WHERE id = ?`);
  const updateHidden = db.prepare('UPDATE listing SET hidden = ? WHERE id = ?');
  const insert = createListingInsert(db);
  const blocked = createBlocked(db);
  const reveal = createReveal(db, blocked);
  const update = db.prepare('UPDATE replica SET position = ?, state = ?, checksum = ?');

  const replica = (): ReplicaRow => selectReplica.get() as unknown as ReplicaRow;
  let fill: ReplicaFill | undefined;
  /** Steps of the fill in the transaction under way. */
  let steps = 0;
  const standing = (): Standing => {
    const { position, state } = replica();
    const filled = state === 'new' ? { filledTo: fill?.to ?? 0, isFull: fill?.isFull ?? false } : undefined;
    return { position, isWhole: state === 'whole', filling: filled };
  };

  /** Returns the change of the checksum. */
  function enter(entry: LogListing & { listing: number }, state: State): bigint {
    const { listing: id, owner, item: text, ledger, closedAt, position, hidden: isHidden } = entry;
    const row = selectListing.get(id) as unknown as ListingRow | undefined;
    const item = readItem(text);
    const change = hashOf({ id, ...entry }) ^ (row === undefined ? 0n : hashOf(row));
    if (text === REMOVED) enterRemoved(id, row, position, state);
    if (item === undefined) return change;
    const content = { item, text, close: closeIn(ledger, closedAt), position };
    state.listings = Math.max(state.listings, id);
    if (row === undefined) writer.create({ id, key: keyOf(item), owner, isHidden, ...content }, state);
    else writer.replace(row, content, state);
    if (row !== undefined && (row.hidden === 1) !== isHidden) updateHidden.run(Number(isHidden), id);
    writer.setHidden(id, isHidden || blocked.covers({ resource: item.resource, owner }));
    return change;
  }

  function enterRemoved(id: number, row: ListingRow | undefined, position: number, state: State): void {
    state.listings = Math.max(state.listings, id);
    if (row !== undefined) return writer.remove(row, position, state);
    insert(valuesOfRemoved(id, position));
    writer.setHidden(id, true);
  }

  /** Returns the change of the checksum. Comes after the listings: it covers all that there are by then. */
  function enterBlock({ key, sinceMs, isActive, ...target }: LogBlock): bigint {
    if (blocked.has(target) === isActive) return 0n;
    if (isActive) {
      blocked.add(target, sinceMs);
      for (const id of blocked.listings(target)) writer.setHidden(id, true);
    } else {
      blocked.remove(key);
      reveal(writer, blocked.listings(target));
    }
    return hashOfBlock(key);
  }

  function enterAll(
    { entries, earlierWordings, blocks, position, end }: LogBatch,
    before: ReplicaRow,
  ): boolean {
    const state = writer.state();
    let checksum = BigInt(before.checksum);
    for (const entry of entries) checksum ^= enter(entry, state);
    for (const block of blocks) checksum ^= enterBlock(block);
    for (const { reworded, listing, ...earlier } of earlierWordings) {
      state.clock = Math.max(state.clock, reworded);
      writer.keepEarlier(reworded, listing, earlier);
    }
    const isSame =
      end === undefined ||
      (String(checksum) === end.checksum && state.listings === end.listings && state.clock === end.clock);
    // If it was just filled from empty, nothing but the log can be wrong: a further try would end the same.
    if (!isSame && before.state !== 'filled') return false;
    writer.flush({ ...state, ...(end && { listings: end.listings, clock: end.clock }) });
    const unfinished = before.state === 'filled' ? 'filled' : 'behind';
    update.run(position, end === undefined ? unfinished : 'whole', end?.checksum ?? String(checksum));
    return isSame;
  }

  /** Starts again if the index holds something else than the log, or what is in memory is no longer what the file has. */
  function change(work: () => Standing): Standing {
    try {
      return work();
    } catch (error) {
      writer.discard();
      if (!isConstraint(error) && fill === undefined) throw error;
      if (db.isTransaction) db.exec('ROLLBACK');
      transaction(db, 'BEGIN IMMEDIATE', startAgain);
      if (!isConstraint(error)) throw error;
      return { ...standing(), hasDiverged: true };
    }
  }

  function startAgain(): void {
    writer.discard();
    endFill();
    empty(db);
  }

  function beginFill(): ReplicaFill {
    db.exec(`PRAGMA cache_size = -${fillLimits.pageCacheKib}`);
    return createReplicaFill(db, writer, fillLimits);
  }

  function endFill(): void {
    if (fill === undefined) return;
    fill = undefined;
    db.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}; PRAGMA shrink_memory`);
  }

  /** Takes a step of the fill. Several are one transaction: if a later one fails, the fill begins again anyway. */
  function step(work: (fill: ReplicaFill) => void): Standing {
    return change(() => {
      if (replica().state !== 'new') return standing();
      fill ??= beginFill();
      if (!db.isTransaction) {
        db.exec('BEGIN IMMEDIATE');
        steps = 0;
      }
      work(fill);
      if (fill.isDone) update.run(fill.position, 'filled', String(fill.checksum));
      if (fill.isDone || (steps += 1) >= fillLimits.stepsPerCommit) db.exec('COMMIT');
      if (fill.isDone) {
        endFill();
        // Otherwise one of the first writes would wait for it.
        db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      }
      return standing();
    });
  }

  function applied(batch: LogBatch): Standing {
    const before = replica();
    if (before.state === 'new' || before.position !== batch.after) return standing();
    const isSame = batch.position >= before.position && enterAll(batch, before);
    if (isSame) return standing();
    if (before.state !== 'filled' || batch.position < before.position) startAgain();
    return { ...standing(), hasDiverged: true };
  }

  return {
    standing,
    fill: (listings: PreparedListings): Standing =>
      step((fill) => {
        if (listings.after === fill.to && !fill.isFull) fill.enter(listings);
      }),
    writeFill: (): Standing =>
      step((fill) => {
        if (fill.isFull) fill.write();
      }),
    apply(batch: LogBatch): Standing {
      if (fill !== undefined) return standing();
      return change(() => transaction(db, 'BEGIN IMMEDIATE', () => applied(batch)));
    },
  };
}

const CONSTRAINT = 19;

/** Two listings with one id or one name: the index holds something else than the log. */
function isConstraint(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && (errcode & 0xff) === CONSTRAINT;
}
