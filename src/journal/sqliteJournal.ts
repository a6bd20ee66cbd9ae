import { createAnswerTable, createSqliteAnswers } from './answers/sqlite.ts';
import { createDueListings } from './dueListings.ts';
import { EVENTS_GIVEN_UP, type Events } from './events/event.ts';
import { createEventRoom, createSqliteEvents } from './events/sqlite.ts';
import { openJournalFile } from './file.ts';
import { createFeeBudgets } from './feeBudgets.ts';
import { createGuard, type JournalLog } from './guard.ts';
import { createHeldEntries, writeHeld } from './heldEntries.ts';
import { LISTED_AT_NEXT_SALE, LISTINGS_GIVEN_UP } from './journal.ts';
import { JOURNAL_LIMITS, MAX_HASHES_LOGGED, type JournalLimits } from './limits.ts';
import { createSqliteRecords } from './records/sqlite.ts';
import { createReads } from './reads.ts';
import { createRoom, type Room } from './room.ts';
import { checkWritable } from '../store/sqliteFile.ts';
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
  /** True if each outcome has its event. */
  hasEvents?: boolean;
}

const NEVER_WRITTEN = `neither the catalog nor the journal could be written before the service stopped. ${LISTED_AT_NEXT_SALE}`;
const OUTCOMES_LOST = 'webhooks may be lost: the journal could not be written before the service stopped';
const NO_ROOM_MADE = 'old entries were not deleted';

/**
 * Opens the journal's file. Throws UnusableFile; other failures are logged. If the file cannot take a listing, memory
 * holds it until it is listed, or until the file takes it after all. Writes are synchronous, since a transaction is
 * recorded before it is sent. Each takes a fraction of a millisecond.
 */
export function openJournal({ path, log, now = Date.now, hasEvents = false, ...deps }: JournalDeps) {
  const limits = { ...JOURNAL_LIMITS, ...deps.limits };
  const db = openJournalFile(path);
  const table = createEntryTable(db);
  const answers = createAnswerTable(db, limits);
  const budgets = createFeeBudgets(db, table, answers);
  const held = createHeldEntries(limits);
  const guarded = createGuard(log);
  const onGivenUp = (listings: number): void => log.error({ listings }, LISTINGS_GIVEN_UP);
  const onEventsGivenUp = (events: number): void => log.error({ events }, EVENTS_GIVEN_UP);
  const events: Events | undefined = hasEvents
    ? createSqliteEvents({ db, now, writeHeld: () => writeHeld(held, table) })
    : undefined;
  const keepEvents = events && createEventRoom({ db, limits, now, onGivenUp: onEventsGivenUp });
  const keepOthers = (): void => {
    answers.prune(now());
    keepEvents?.();
  };
  const unguarded = guarded(NO_ROOM_MADE, undefined, () => createRoom(db, limits, onGivenUp, keepOthers));
  const room: Room = {
    count: (grown) => guarded(NO_ROOM_MADE, undefined, () => unguarded?.count(grown)),
  };

  return {
    ...createReads({ table, budgets, guarded, now }),
    ...createSettlements({ table, budgets, held, holdsOutcomes: hasEvents, room, guarded, log, now }),
    ...createDueListings({ table, held, holdsOutcomes: hasEvents, guarded, now }),
    checkWritable: (): void => checkWritable(db),
    records: createSqliteRecords(db),
    answers: createSqliteAnswers({ table: answers, guarded, now }),
    events,
    end(): void {
      if (!db.isOpen) return;
      writeHeld(held, table);
      const lost = held.allDue().map(({ hash }) => hash);
      if (lost.length > 0) {
        const transactions = lost.slice(0, MAX_HASHES_LOGGED);
        log.error({ listings: lost.length, transactions }, `listings are lost: ${NEVER_WRITTEN}`);
      }
      const { length: outcomes } = held.allEnded();
      if (hasEvents && outcomes > 0) log.error({ outcomes }, OUTCOMES_LOST);
      db.close();
    },
  };
}
