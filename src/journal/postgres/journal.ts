import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasLimit, type JournalEntry, type Opened } from '../../scheme/index.ts';
import type { Database, Row } from '../../store/postgres.ts';
import { checkWritable } from '../../store/postgresWritable.ts';
import { EVENTS_GIVEN_UP } from '../events/event.ts';
import { createPostgresEvents, makeRoomForEvents } from '../events/postgres.ts';
import { createAsyncGuard, type JournalLog } from '../guard.ts';
import { LISTINGS_GIVEN_UP, type DueListing, type Journal } from '../journal.ts';
import { JOURNAL_LIMITS, RESOURCE_LIMIT_CHARS } from '../limits.ts';
import { createPostgresRecords } from '../records/postgres.ts';
import { fact, kept, keptListing, outcomeFacts } from '../rows.ts';
import type { SharedLimits } from './limits.ts';
import { createOutbox } from './outbox.ts';
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
  const { db, instance, log, limits, eventsDb } = deps;
  const guarded = createAsyncGuard(log);
  const outbox = createOutbox({ db, log, limits });
  /** The openings of the entries that this process has opened and not closed, by hash. */
  const openings = new Map<string, string>();

  async function open(entry: JournalEntry, mayStillSend: () => boolean): Promise<Opened> {
    const opening = randomUUID();
    const { opened, mayBeOpen } = await openInTime(entry, opening);
    const result = mayStillSend() ? opened : 'unavailable';
    if (result === 'open') openings.set(entry.hash, opening);
    else if (mayBeOpen) outbox.add(statements.WITHDRAW, [entry.hash, opening, entry.submitter]);
    return result;
  }

  /** Asks again while there is time: the answer may be lost although the entry is open. */
  async function openInTime(
    entry: JournalEntry,
    opening: string,
  ): Promise<{ opened: Opened; mayBeOpen: boolean }> {
    const values = valuesOf(entry, instance, opening);
    const deadline = performance.now() + limits.openWithinMs;
    let mayBeOpen = false;
    for (;;) {
      try {
        const [row] = await db.query(statements.OPEN, values);
        const opened = row!['opened'] as Opened;
        return { opened, mayBeOpen: mayBeOpen || opened === 'open' };
      } catch (err) {
        mayBeOpen = true;
        if (performance.now() + limits.retryAfterMs < deadline) {
          await sleep(limits.retryAfterMs);
          continue;
        }
        log.error({ err }, 'the journal failed: a settlement was not recorded, so nothing was sent');
        return { opened: 'unavailable', mayBeOpen };
      }
    }
  }

  async function prune(): Promise<void> {
    const { unlistedKept, unlistedBytes, feeDaysKept } = JOURNAL_LIMITS;
    const { length: listings } = await db.query(statements.GIVE_UP_LISTINGS, [unlistedKept, unlistedBytes]);
    if (listings > 0) log.error({ listings }, LISTINGS_GIVEN_UP);
    await db.query(statements.PRUNE, [limits.entriesKept]);
    await db.query(statements.FORGET_FEE_DAYS, [feeDaysKept]);
    if (eventsDb === undefined) return;
    const events = await makeRoomForEvents(eventsDb, JOURNAL_LIMITS);
    if (events > 0) log.error({ events }, EVENTS_GIVEN_UP);
  }
  const pruning = setInterval(
    () => void guarded('old entries were not deleted', undefined, prune),
    limits.pruneEveryMs,
  ).unref();

  return {
    affords: (budget, stroops) =>
      // If it cannot be read, let `open` decide.
      !hasLimit(budget) ||
      guarded('a fee budget was not read', true, async () => {
        const { caller, callerStroops = Infinity, serviceStroops = Infinity } = budget;
        const [row] = await db.query(statements.FEE_TOTALS, [caller]);
        const [callers, service] = [Number(row?.['caller'] ?? 0), Number(row?.['service'] ?? 0)];
        return callers + stroops <= callerStroops && service + stroops <= serviceStroops;
      }),
    feesToday: () =>
      guarded('the fees of today were not read', undefined, async () => {
        const [row] = await db.query(statements.FEE_TOTALS, ['']);
        return Number(row?.['service'] ?? 0);
      }),
    open,
    close(hash, outcome) {
      const statement = eventsDb ? statements.END_WITH_EVENT : statements.END;
      outbox.add(statement, [hash, openings.get(hash), ...outcomeFacts(hash, outcome)]);
      openings.delete(hash);
    },
    listed(hash, status) {
      // A listing that was written is no longer due: see `write_listing`.
      if (status !== 'success') outbox.add(statements.DROP_LISTING, [hash, status]);
    },
    // They come with the accounts that sent them.
    unended: () => [],
    failures: (withinMs) =>
      guarded('earlier failures could not be read', [], async () => {
        const rows = await db.query(statements.FAILURES, [withinMs]);
        return rows.map(({ party, ago_ms: agoMs }) => ({ party: String(party), agoMs: Number(agoMs) }));
      }),
    latestClose: () =>
      guarded('the latest ledger could not be read', undefined, async () => {
        const [row] = await db.query(statements.LATEST_CLOSE);
        return row && closeOf(row);
      }),
    unlisted: () =>
      guarded('due listings could not be read', [], async () => {
        const rows = await db.query(statements.UNLISTED, [
          JOURNAL_LIMITS.unlistedKept,
          limits.listedWithinMs,
        ]);
        return rows.map(({ hash }) => String(hash));
      }),
    dueListing: (hash) =>
      guarded('a due listing could not be read', undefined, async () => {
        const [row] = await db.query(statements.DUE, [hash]);
        return row && dueOf(row);
      }),
    checkWritable: () => checkWritable(db),
    records: createPostgresRecords(db),
    events: eventsDb && createPostgresEvents(eventsDb),
    async end() {
      clearInterval(pruning);
      await outbox.close();
    },
  };
}

function valuesOf(entry: JournalEntry, instance: string, opening: string): unknown[] {
  const { hash, payer, party, authorization, submitter, sequence, bid, budget, sent, isStellarAsset } = entry;
  return [
    instance,
    hash,
    opening,
    fact(payer),
    fact(party),
    keptListing(entry) ?? null,
    fact(authorization),
    fact(submitter),
    String(sequence),
    bid.inclusionStroops,
    bid.totalStroops,
    sent.validity.maxTimeSeconds,
    sent.validity.lastLedger,
    sent.sentInLedger,
    isStellarAsset,
    budget.caller,
    budget.callerStroops,
    budget.serviceStroops,
    JSON.stringify(recordOf(entry)),
  ];
}

/** Returns what the entry's record has beside all else, by column. The times are in milliseconds before its opening. */
function recordOf(entry: JournalEntry): object {
  const { payTo, amount, asset, resource, requestId, askedAgoMs, verifiedAgoMs } = entry;
  return {
    pay_to: fact(payTo),
    amount: fact(String(amount)),
    asset: fact(asset),
    resource: resource === undefined ? null : kept(resource, RESOURCE_LIMIT_CHARS),
    request_id: requestId === undefined ? null : fact(requestId),
    asked_ago_ms: askedAgoMs,
    verified_ago_ms: verifiedAgoMs,
  };
}

function dueOf(row: Row): DueListing {
  return {
    listing: String(row['listing']),
    settledAt: row['ended_at'] as Date,
    ledgerClose: closeOf(row),
    isStellarAsset: row['is_stellar_asset'] === true,
  };
}

function closeOf({ ledger, closed_at: seconds }: Row): DueListing['ledgerClose'] {
  return ledger === null || seconds === null
    ? undefined
    : { ledger: Number(ledger), seconds: Number(seconds) };
}
