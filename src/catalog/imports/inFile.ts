import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { transaction } from '../../store/sqliteFile.ts';
import { facetOfSource, IMPORTED } from '../facets.ts';
import { BETWEEN_STEPS_MS, IMPORT_LIMITS, type ImportLimits } from '../limits.ts';
import { createBlocked, type Blocked } from '../sqlite/blocked.ts';
import { BLOCK_SIZE } from '../sqlite/blocks.ts';
import { openDatabase } from '../sqlite/database.ts';
import { createListingSelect, readItem, SELECT_LISTING, type ListingRow } from '../sqlite/listingRow.ts';
import { createListingWriter, type ListingWriter } from '../sqlite/listingWriter.ts';
import { createMembers } from '../sqlite/members.ts';
import { adopt } from '../sqlite/replicaState.ts';
import type { State } from '../sqlite/search.ts';
import { ownerOf, recipientsOf } from './owner.ts';
import { saysSame } from './saysSame.ts';
import {
  BLOCKED,
  OTHER_SOURCE,
  PAID_HERE,
  TOO_MANY,
  type ImportedListing,
  type ImportRefusal,
  type Imports,
  type Placed,
} from './types.ts';

export interface OpenImports {
  readonly imports: Imports;
  close(): void;
}

/**
 * Opens a catalog's file, which the service may have open too. Each step waits up to `busyTimeoutMs` for the service's
 * writes. Throws UnusableFile.
 */
export function openImportsInFile(
  path: string,
  { busyTimeoutMs, limits = IMPORT_LIMITS }: { busyTimeoutMs: number; limits?: ImportLimits },
): OpenImports {
  const db = openDatabase(path);
  try {
    adopt(db, undefined);
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    return { imports: createImports(db, limits), close: () => db.close() };
  } catch (error) {
    db.close();
    throw error;
  }
}

function createImports(db: DatabaseSync, { maxListings }: ImportLimits): Imports {
  const writer = createListingWriter(db);
  const place = createPlace(db, writer);
  const membersOf = createMembers(db);
  const selectById = db.prepare(`${SELECT_LISTING} WHERE id = ?`);

  function remove(id: number, state: State): void {
    const row = selectById.get(id) as unknown as ListingRow;
    if (readItem(row.item)?.source !== undefined) writer.remove(row, null, state);
  }

  /** Pauses first, longer than the service waits before it tries to write again. */
  async function step<Result>(work: (state: State) => Result): Promise<Result> {
    await sleep(BETWEEN_STEPS_MS);
    try {
      return transaction(db, 'BEGIN IMMEDIATE', () => {
        const state = writer.state();
        const result = work(state);
        writer.flush(state);
        return result;
      });
    } catch (error) {
      writer.discard();
      throw error;
    }
  }

  return {
    put: (listings) =>
      step((state) => {
        let count = membersOf(IMPORTED)?.listings ?? 0;
        return listings.map((listing) => {
          const placed = place(listing, count < maxListings, state);
          if ('isNew' in placed && placed.isNew) count += 1;
          return placed;
        });
      }),
    async ofSource(source) {
      const members = membersOf(facetOfSource(source));
      return [...(members?.counts() ?? [])].flatMap(({ block }) =>
        Array.from(members!.in(block)!.slice(0, BLOCK_SIZE), (at) => block * BLOCK_SIZE + at),
      );
    },
    remove: (ids) => step((state) => ids.forEach((id) => remove(id, state))),
  };
}

/** Returns a function that writes a listing within a step. */
function createPlace(db: DatabaseSync, writer: ListingWriter) {
  const select = createListingSelect(db);
  const blocked: Blocked = createBlocked(db);

  return (
    { key, item }: ImportedListing,
    hasRoom: boolean,
    state: State,
  ): (Placed & { isNew: boolean }) | ImportRefusal => {
    const { resource } = key;
    if (recipientsOf(item).some((owner) => blocked.covers({ resource, owner }))) return BLOCKED;
    const row = select(key);
    const content = {
      item,
      close: undefined,
      owner: ownerOf(item),
      text: JSON.stringify(item),
      position: null,
      payers: null,
    };
    if (row === undefined) {
      if (!hasRoom) return TOO_MANY;
      const id = (state.listings += 1);
      writer.create({ id, key, ...content }, state);
      return { id, isChanged: true, isNew: true };
    }
    const known = readItem(row.item);
    if (known?.source !== item.source) return known?.source === undefined ? PAID_HERE : OTHER_SOURCE;
    const isChanged = !saysSame(known, item);
    if (isChanged && writer.replace(row, content, state)) writer.keepEarlier((state.clock += 1), row.id, row);
    return { id: row.id, isChanged, isNew: false };
  };
}
