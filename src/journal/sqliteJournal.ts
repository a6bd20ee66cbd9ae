import { createDueListings, writeHeld } from './dueListings.ts';
import { openJournalFile } from './file.ts';
import { createGuard, type JournalLog } from './guard.ts';
import { createHeldListings } from './heldListings.ts';
import { LISTED_AT_NEXT_SALE, LISTINGS_GIVEN_UP } from './journal.ts';
import { JOURNAL_LIMITS, MAX_HASHES_LOGGED, type JournalLimits } from './limits.ts';
import { createRoom, type Room } from './room.ts';
import { createSettlements } from './settlements.ts';
import { createEntryTable } from './table.ts';

export type SqliteJournal = ReturnType<typeof openJournal>;

export interface JournalDeps {
  /** A file, or `:memory:`. */
  path: string;
  log: JournalLog;
  /** Returns milliseconds. Defaults to the system's clock; a test may bring its own. */
  now?: () => number;
  limits?: Partial<JournalLimits>;
}

const NEVER_WRITTEN = `neither the catalog nor the journal could be written before the service stopped. ${LISTED_AT_NEXT_SALE}`;
const NO_ROOM_MADE = 'old entries were not deleted';

/**
 * Opens the journal's file. Throws UnusableFile; other failures are logged. If the file cannot take a listing, memory
 * holds it until it is listed, or until the file takes it after all. Writes are synchronous, since a transaction is
 * recorded before it is sent. Each takes a fraction of a millisecond.
 */
export function openJournal({ path, log, now = Date.now, ...deps }: JournalDeps) {
  const limits = { ...JOURNAL_LIMITS, ...deps.limits };
  const db = openJournalFile(path);
  const table = createEntryTable(db);
  const held = createHeldListings(limits);
  const guarded = createGuard(log);
  const onGivenUp = (listings: number): void => log.error({ listings }, LISTINGS_GIVEN_UP);
  const unguarded = guarded(NO_ROOM_MADE, undefined, () => createRoom(db, limits, onGivenUp));
  const room: Room = {
    count: (grown) => guarded(NO_ROOM_MADE, undefined, () => unguarded?.count(grown)),
  };

  return {
    ...createSettlements({ table, held, room, guarded, log, now }),
    ...createDueListings({ table, held, guarded }),
    end(): void {
      if (!db.isOpen) return;
      writeHeld(held, table);
      const lost = held.allDue().map(({ hash }) => hash);
      if (lost.length > 0) {
        const transactions = lost.slice(0, MAX_HASHES_LOGGED);
        log.error({ listings: lost.length, transactions }, `listings are lost: ${NEVER_WRITTEN}`);
      }
      db.close();
    },
  };
}
