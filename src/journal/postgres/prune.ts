import { pruneAnswers } from '../answers/postgres.ts';
import { EVENTS_GIVEN_UP } from '../events/event.ts';
import { makeRoomForEvents } from '../events/postgres.ts';
import { LISTINGS_GIVEN_UP } from '../journal.ts';
import { JOURNAL_LIMITS } from '../limits.ts';
import type { SharedJournalDeps } from './journal.ts';
import * as statements from './statements.ts';

/** Deletes what is beyond the limits: old entries, fee totals, listings and events. Logs what is given up. */
export async function prune({
  db,
  log,
  limits,
  eventsDb,
}: Pick<SharedJournalDeps, 'db' | 'log' | 'limits' | 'eventsDb'>): Promise<void> {
  const { unlistedKept, unlistedBytes, feeDaysKept } = JOURNAL_LIMITS;
  const { length: listings } = await db.query(statements.GIVE_UP_LISTINGS, [unlistedKept, unlistedBytes]);
  if (listings > 0) log.error({ listings }, LISTINGS_GIVEN_UP);
  await db.query(statements.PRUNE, [limits.entriesKept]);
  await db.query(statements.FORGET_FEE_DAYS, [feeDaysKept]);
  await pruneAnswers(db, JOURNAL_LIMITS);
  if (eventsDb === undefined) return;
  const events = await makeRoomForEvents(eventsDb, JOURNAL_LIMITS);
  if (events > 0) log.error({ events }, EVENTS_GIVEN_UP);
}
