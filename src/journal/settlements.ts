import {
  ledgerCloseOf,
  type Failed,
  type JournalEntry,
  type Outcome,
  type UnendedEntry,
} from '../scheme/index.ts';
import type { LedgerClose } from '../stellar/ledgerClock.ts';
import type { Guard, JournalLog } from './guard.ts';
import type { HeldListing, HeldListings } from './heldListings.ts';
import type { Room } from './room.ts';
import { endRowOf, keptListing, rowOf } from './rows.ts';
import type { EntryTable } from './table.ts';

export interface SettlementsDeps {
  table: EntryTable;
  held: HeldListings;
  room: Room;
  guarded: Guard;
  log: JournalLog;
  now: () => number;
}

const NO_ROOM_TO_HOLD =
  'the journal cannot be written, and memory holds as many listings as it may. Unless the catalog takes it now, the resource is listed at its next sale';

/** Records settlements and their outcomes. */
export function createSettlements({ table, held, room, guarded, log, now }: SettlementsDeps) {
  /** Holds in memory a listing that the file did not take. */
  function keep(listing: HeldListing): boolean {
    const isKept = held.keep(listing);
    if (!isKept) log.error({ transaction: listing.hash }, `a listing has no copy: ${NO_ROOM_TO_HOLD}`);
    return isKept;
  }

  return {
    open(entry: JournalEntry): 'open' {
      const { hash, isStellarAsset } = entry;
      const listing = keptListing(entry);
      const row = rowOf(entry, listing, now());
      const isWritten = guarded('a settlement was not recorded', false, () => {
        table.insert(row);
        return true;
      });
      held.drop(hash);
      if (listing === undefined) return 'open';
      if (isWritten) room.count({ listingBytes: listing.length });
      else keep({ hash, listing, isStellarAsset, row });
      return 'open';
    },
    close(hash: string, outcome: Outcome): void {
      const endedAtMs = now();
      const row = endRowOf(hash, outcome, endedAtMs);
      const isWritten = guarded('the outcome of a settlement was not recorded', false, () => table.end(row));
      room.count({ ended: 1 });
      if (isWritten || outcome.state !== 'applied') return held.drop(hash);
      const heldEnd = { endedAtMs, ledgerClose: ledgerCloseOf(outcome), row };
      if (held.settle(hash, heldEnd)) return;
      const stored = guarded('a due listing could not be read', undefined, () => table.find(hash));
      if (stored?.listing === undefined) return;
      const { listing, isStellarAsset } = stored;
      if (keep({ hash, listing, isStellarAsset, row: undefined })) held.settle(hash, heldEnd);
    },
    unended: (): UnendedEntry[] =>
      guarded('open settlements could not be read', [], () => table.unended(now())),
    failures: (withinMs: number): Failed[] =>
      guarded('earlier failures could not be read', [], () => {
        const nowMs = now();
        return table.failuresSince(nowMs - withinMs).map(({ party, endedAtMs }) => ({
          party,
          agoMs: Math.max(0, nowMs - endedAtMs),
        }));
      }),
    /** Returns the latest ledger that is known to hold a journaled transaction. */
    latestClose: (): LedgerClose | undefined =>
      guarded('the latest ledger could not be read', undefined, () => table.latestClose()),
  };
}
