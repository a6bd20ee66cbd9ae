import type { DatabaseSync } from 'node:sqlite';
import { decide } from '../decide.ts';
import type { PutResult, Settlement } from '../store.ts';
import { transaction } from '../../store/sqliteFile.ts';
import { createBlocked } from './blocked.ts';
import { createListingSelect, knownOf } from './listingRow.ts';
import { createListingWriter } from './listingWriter.ts';
import { createNewListings } from './newListings.ts';
import { createCountedPayer } from './countedPayer.ts';
import type { State } from './search.ts';
import { createForgetSeller } from './sellerActs.ts';

/** Writes listings by the rules of `decide`. Each owner may make `newListingsPerHour` new listings per hour. */
export function createPut(db: DatabaseSync, newListingsPerHour: number) {
  const select = createListingSelect(db);
  const writer = createListingWriter(db);
  const blocked = createBlocked(db);
  const forgetSeller = createForgetSeller(db);
  const countedPayer = createCountedPayer(db);
  const newListings = createNewListings(db, newListingsPerHour);

  function put(settlement: Settlement, state: State): PutResult {
    const { declaration: key, requirements, settledAt } = settlement;
    const owner = requirements.payTo;
    if (blocked.covers({ resource: key.resource, owner })) return 'blocked';
    const row = select(key);
    if (row === undefined && newListings.isFull(owner, settledAt)) return 'too many new';
    const decided = decide({ ...settlement, payer: countedPayer(settlement) }, row && knownOf(row));
    if (decided === 'owned by another') return decided;
    const content = { ...decided, owner, text: JSON.stringify(decided.item), position: null };
    if (row === undefined) {
      const id = (state.listings += 1);
      writer.create({ id, key, ...content }, state);
      newListings.add(id, owner, settledAt);
      return 'listed';
    }
    if (writer.replace(row, content, state)) writer.keepEarlier((state.clock += 1), row.id, row);
    if (row.owner === owner) return row.hidden === 1 ? 'hidden' : 'refreshed';
    // Neither the earlier owner nor a block of it hides the listing any more.
    const isHidden = forgetSeller(row);
    writer.setHidden(row.id, isHidden);
    return isHidden ? 'hidden' : 'refreshed';
  }

  return (settlements: readonly Settlement[]): PutResult[] => {
    try {
      return transaction(db, 'BEGIN IMMEDIATE', () => {
        const state = writer.state();
        const results = settlements.map((settlement) => put(settlement, state));
        writer.flush(state);
        return results;
      });
    } catch (error) {
      writer.discard();
      throw error;
    }
  };
}
