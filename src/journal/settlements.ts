import { hasLimit, ledgerCloseOf, type JournalEntry, type Opened, type Outcome } from '../scheme/index.ts';
import type { FeeBudgets } from './feeBudgets.ts';
import type { Guard, JournalLog } from './guard.ts';
import type { HeldEntries, HeldEntry } from './heldEntries.ts';
import type { Room } from './room.ts';
import { endRowOf, keptListing, rowOf } from './rows.ts';
import type { EntryTable } from './table.ts';

export interface SettlementsDeps {
  table: EntryTable;
  budgets: FeeBudgets;
  held: HeldEntries;
  /** True if memory holds each outcome that the file did not take, although it has no listing. */
  holdsOutcomes: boolean;
  room: Room;
  guarded: Guard;
  log: JournalLog;
  now: () => number;
}

const NO_ROOM_FOR_OUTCOME =
  'a webhook may be lost: the journal cannot be written, and memory holds as many outcomes as it may';
const NO_ROOM_TO_HOLD =
  'the journal cannot be written, and memory holds as many listings as it may. Unless the catalog takes it now, the resource is listed at its next sale';

/** Records settlements and their outcomes. */
export function createSettlements(deps: SettlementsDeps) {
  const { table, budgets, held, holdsOutcomes, room, guarded, log, now } = deps;

  /** Holds in memory what the file did not take. */
  function keep(entry: HeldEntry): boolean {
    const isKept = held.keep(entry);
    if (!isKept && entry.listing !== undefined)
      log.error({ transaction: entry.hash }, `a listing has no copy: ${NO_ROOM_TO_HOLD}`);
    if (!isKept && holdsOutcomes) log.error({ transaction: entry.hash }, NO_ROOM_FOR_OUTCOME);
    return isKept;
  }

  /** True if memory is to hold the outcome, unless the file has it. */
  const isHeld = ({ state }: Outcome): boolean =>
    state === 'applied' || (state === 'failed' && holdsOutcomes);

  return {
    open(entry: JournalEntry): Opened {
      const { hash, payer, isStellarAsset } = entry;
      const listing = keptListing(entry);
      const openedAtMs = now();
      const row = rowOf(entry, listing, openedAtMs);
      const opened = guarded<Opened>('a settlement was not recorded', 'unavailable', () =>
        budgets.insert(entry, row, openedAtMs),
      );
      if (opened !== 'open' && opened !== 'unavailable') return opened;
      // A fee that is not recorded could exceed its budget, and a key that is not recorded could not be answered again.
      if (opened !== 'open' && (hasLimit(entry.budget) || entry.key !== undefined)) return opened;
      const isWritten = opened === 'open';
      held.drop(hash);
      if (!isWritten && (listing !== undefined || holdsOutcomes))
        keep({ hash, listing, payer, isStellarAsset, row });
      if (isWritten && listing !== undefined) room.count({ listingBytes: listing.length });
      return 'open';
    },
    close(hash: string, outcome: Outcome): void {
      const endedAtMs = now();
      const row = endRowOf(hash, outcome, endedAtMs);
      const isWritten = guarded('the outcome of a settlement was not recorded', false, () => table.end(row));
      room.count({ ended: 1 });
      if (isWritten || !isHeld(outcome)) return held.drop(hash);
      const heldEnd = { endedAtMs, ledgerClose: ledgerCloseOf(outcome), row };
      if (!held.end(hash, heldEnd)) {
        const stored = guarded('a due listing could not be read', undefined, () => table.find(hash));
        if (stored?.listing === undefined && !holdsOutcomes) return;
        const { listing, payer, isStellarAsset = false } = stored ?? {};
        if (keep({ hash, listing, payer, isStellarAsset, row: undefined })) held.end(hash, heldEnd);
      }
      if (outcome.state === 'failed') held.list(hash, undefined);
    },
  };
}
