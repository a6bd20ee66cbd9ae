import type { Database } from '../../store/postgres.ts';
import { checkWritable } from '../../store/postgresWritable.ts';
import { createPostgresAnswers } from '../answers/postgres.ts';
import { createPostgresEvents } from '../events/postgres.ts';
import { createAsyncGuard, type JournalLog } from '../guard.ts';
import type { Journal } from '../journal.ts';
import { createPostgresRecords } from '../records/postgres.ts';
import { outcomeFacts } from '../rows.ts';
import { createDueListings } from './dueListings.ts';
import type { SharedLimits } from './limits.ts';
import { createOpenings } from './openings.ts';
import { createOutbox } from './outbox.ts';
import { prune } from './prune.ts';
import { createReads } from './reads.ts';
import * as statements from './statements.ts';

export interface SharedJournalDeps {
  db: Database;
  /** Names this process among the instances. */
  instance: string;
  log: JournalLog;
  limits: SharedLimits;
  /** Reads and changes events. If it is set, each outcome that this instance records has its event. */
  eventsDb?: Database | undefined;
}

/**
 * Records settlements in the database that instances share. An entry is opened in one round trip; outcomes are recorded
 * meanwhile, and again and again while the database does not answer.
 */
export function createSharedJournal(deps: SharedJournalDeps): Journal {
  const { db, log, limits, eventsDb } = deps;
  const guarded = createAsyncGuard(log);
  const outbox = createOutbox({ db, log, limits });
  const openings = createOpenings({ ...deps, outbox });
  const pruning = setInterval(
    () => void guarded('old entries were not deleted', undefined, () => prune(deps)),
    limits.pruneEveryMs,
  ).unref();

  return {
    ...createReads(db, guarded),
    ...createDueListings({ db, outbox, guarded, limits }),
    open: openings.open,
    close(hash, outcome) {
      const statement = eventsDb ? statements.END_WITH_EVENT : statements.END;
      outbox.add(statement, [hash, openings.end(hash), ...outcomeFacts(hash, outcome)]);
    },
    checkWritable: () => checkWritable(db),
    records: createPostgresRecords(db),
    answers: createPostgresAnswers({ db, limits, guarded }),
    events: eventsDb && createPostgresEvents(eventsDb),
    async end() {
      clearInterval(pruning);
      await outbox.close();
    },
  };
}
