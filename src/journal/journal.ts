import { ledgerCloseOf, STATUS } from '../scheme/index.ts';
import type {
  JournalEntry,
  Outcome,
  SettledFacts,
  SettlementJournal,
  UnendedEntry,
} from '../scheme/index.ts';
import type { LedgerClose } from '../stellar/ledgerClock.ts';
import type { SQLInputValue } from 'node:sqlite';
import { openJournalFile } from './file.ts';
import { createHeldListings } from './heldListings.ts';
import type { HeldListing, SettledListing } from './heldListings.ts';
import { FACT_LIMIT_CHARS, JOURNAL_LIMITS, LISTING_LIMIT_BYTES, MAX_HASHES_LOGGED } from './limits.ts';
import type { JournalLimits } from './limits.ts';
import { createRoom } from './room.ts';
import type { Room } from './room.ts';

/** A settled payment whose listing is still to be written. */
export interface DueListing extends SettledFacts {
  /** See `JournalEntry.listing`. */
  listing: string;
  /** When its outcome was learned. */
  settledAt: Date;
}

/**
 * Records every settlement's transaction and its outcome. Only `openJournal` throws: other failures are logged. If the
 * file cannot take a listing, memory holds it until it is listed, or until the file takes it after all.
 */
export interface Journal extends SettlementJournal {
  /** Records that a settled payment needs nothing more: its listing was written, or was refused. */
  listed(hash: string): void;
  /** Returns the hashes of settled payments without a written listing, oldest first; those in memory come last. */
  unlisted(): string[];
  /** Returns what that listing is made from; undefined if it was written meanwhile. */
  dueListing(hash: string): DueListing | undefined;
  /** Closes the file. Logs the listings that are lost when the process ends, if there are any. */
  end(): void;
}

export interface JournalDeps {
  /** A file, or `:memory:`. */
  path: string;
  log: { error(fields: object, message: string): void };
  /** Returns milliseconds. Defaults to the system's clock; a test may bring its own. */
  now?: () => number;
  limits?: Partial<JournalLimits>;
}

const INSERT = `INSERT INTO entry (
    hash, opened_at, payer, authorization, submitter, sequence, inclusion_bid_stroops, total_bid_stroops,
    max_time_seconds, last_ledger, sent_in_ledger, party, is_stellar_asset,
    listing)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (hash) DO UPDATE SET
    opened_at = excluded.opened_at, listing = excluded.listing, ended_at = NULL, status = NULL, reason = NULL`;
/** Records the outcome. Keeps only the facts of a payment that did not settle. */
const UPDATE = `UPDATE entry SET ended_at = ?, status = ?, reason = ?, ledger = ?, closed_at = ?,
    fee_charged_stroops = ?, listing = iif(?2 = 'success', listing, NULL)
  WHERE hash = ?`;

/** Throws UnusableFile. Writes are synchronous: each takes a fraction of a millisecond, and comes first. */
export function openJournal({ path, log, now = Date.now, ...deps }: JournalDeps): Journal {
  const limits = { ...JOURNAL_LIMITS, ...deps.limits };
  const db = openJournalFile(path);
  const insert = db.prepare(INSERT);
  const update = db.prepare(UPDATE);
  const dropListing = db.prepare('UPDATE entry SET listing = NULL WHERE hash = ?');
  const selectUnended = db.prepare('SELECT * FROM entry WHERE status IS NULL ORDER BY id');
  const selectFailures = db.prepare(
    "SELECT coalesce(party, payer) AS party, ended_at FROM entry WHERE status = 'failed' AND ended_at > ? ORDER BY ended_at",
  );
  const selectOne = db.prepare(
    'SELECT status, listing, is_stellar_asset, ended_at, ledger, closed_at FROM entry WHERE hash = ?',
  );
  const selectLatestClose = db.prepare(
    'SELECT ledger, closed_at AS seconds FROM entry WHERE closed_at IS NOT NULL AND ledger IS NOT NULL ORDER BY closed_at DESC, ledger DESC LIMIT 1',
  );
  const selectUnlisted = db.prepare(
    "SELECT hash FROM entry WHERE status = 'success' AND listing IS NOT NULL ORDER BY ledger, id",
  );
  const held = createHeldListings(limits);
  const room = guarded(NO_ROOM_MADE, undefined, () => createRoom(db, limits, givenUp));
  const makeRoom: Room['count'] = (grown) => guarded(NO_ROOM_MADE, undefined, () => room?.count(grown));

  function guarded<Result>(what: string, fallback: Result, work: () => Result): Result {
    try {
      return work();
    } catch (err) {
      log.error({ err }, `the journal failed: ${what}`);
      return fallback;
    }
  }

  function givenUp(listings: number): void {
    log.error({ listings }, `listings are lost: ${TOO_MANY_DUE}`);
  }

  /** Holds in memory a listing that the file did not take. */
  function keep(listing: HeldListing): boolean {
    const isKept = held.keep(listing);
    if (!isKept) log.error({ transaction: listing.hash }, `a listing has no copy: ${NO_ROOM_TO_HOLD}`);
    return isKept;
  }

  /** Writes the due listings that memory holds to the file, as soon as the file takes them. */
  function writeHeld(): void {
    for (const { hash, row, end } of held.allDue()) {
      try {
        if (row !== undefined) insert.run(...row);
        update.run(...end.row);
      } catch {
        return;
      }
      held.drop(hash);
    }
  }

  return {
    open(entry) {
      const { hash, isStellarAsset } = entry;
      const row = rowOf(entry, now());
      const listing = row.at(-1) as string | null;
      const isWritten = guarded('a settlement is not journaled', false, () => {
        insert.run(...row);
        return true;
      });
      held.drop(hash);
      if (listing === null) return;
      if (isWritten) makeRoom({ listingBytes: listing.length });
      else keep({ hash, listing, isStellarAsset, row });
    },
    close(hash, outcome) {
      const endedAtMs = now();
      const row = [endedAtMs, STATUS[outcome.state], reasonOf(outcome), ...onLedger(outcome), hash];
      const isWritten = guarded('the outcome of a settlement is not journaled', false, () => {
        const { changes } = update.run(...row);
        return Number(changes) > 0;
      });
      makeRoom({ ended: 1 });
      if (isWritten || outcome.state !== 'applied') return held.drop(hash);
      const heldEnd = { endedAtMs, ledgerClose: ledgerCloseOf(outcome), row };
      if (held.settle(hash, heldEnd)) return;
      const entry = guarded('a missing listing is not known', undefined, () => selectOne.get(hash));
      const listing = entry?.['listing'];
      if (typeof listing !== 'string') return;
      const isStellarAsset = isStellarAssetIn(entry);
      if (keep({ hash, listing, isStellarAsset, row: undefined })) held.settle(hash, heldEnd);
    },
    listed(hash) {
      const due = held.due(hash);
      held.drop(hash);
      guarded('a listing is not journaled', undefined, () => {
        if (due !== undefined) update.run(...due.end.row);
        dropListing.run(hash);
      });
    },
    unended: () =>
      guarded('open settlements are not known', [], () =>
        selectUnended.all().map((row) => entryOf(row, now())),
      ),
    failures: (withinMs) =>
      guarded('earlier failures are not known', [], () => {
        const nowMs = now();
        return selectFailures.all(nowMs - withinMs).map(({ party, ended_at: at }) => ({
          party: String(party),
          agoMs: Math.max(0, nowMs - Number(at)),
        }));
      }),
    latestClose: () =>
      guarded('the latest ledger is not known', undefined, () => {
        const row = selectLatestClose.get();
        return row && { ledger: Number(row['ledger']), seconds: Number(row['seconds']) };
      }),
    unlisted() {
      writeHeld();
      const inFile = guarded('missing listings are not known', [], () =>
        selectUnlisted.all().map(({ hash }) => String(hash)),
      );
      return [...inFile, ...held.allDue().map(({ hash }) => hash)];
    },
    dueListing(hash) {
      const due = held.due(hash);
      if (due !== undefined)
        return { listing: due.listing, settledAt: new Date(due.end.endedAtMs), ...factsOf(due) };
      return guarded('a missing listing is not known', undefined, () => {
        const row = selectOne.get(hash);
        if (row?.['status'] !== 'success' || typeof row['listing'] !== 'string') return undefined;
        const settledAt = new Date(Number(row['ended_at']));
        return { listing: row['listing'], settledAt, ...factsIn(row) };
      });
    },
    end() {
      if (!db.isOpen) return;
      writeHeld();
      const lost = held.allDue().map(({ hash }) => hash);
      if (lost.length > 0) {
        const transactions = lost.slice(0, MAX_HASHES_LOGGED);
        log.error({ listings: lost.length, transactions }, `listings are lost: ${NEVER_WRITTEN}`);
      }
      db.close();
    },
  };
}

const NO_ROOM_MADE = 'no room was made';
const COMES_WITH_NEXT = 'each comes with the next sale of its resource, and not before';
const TOO_MANY_DUE = `the catalog has failed for too long, and the oldest that waited for it were given up; ${COMES_WITH_NEXT}`;
const NEVER_WRITTEN = `neither the catalog nor the journal could be written before the service stopped; ${COMES_WITH_NEXT}`;
const NO_ROOM_TO_HOLD =
  'the journal cannot be written, and memory holds as many as it may; unless the catalog takes it at once, it comes with the next sale of its resource, and not before';

/** Returns the parameters of INSERT, in its order. */
function rowOf(entry: JournalEntry, openedAtMs: number): SQLInputValue[] {
  const { hash, payer, party, authorization, submitter, sequence, bid, sent, listing, isStellarAsset } =
    entry;
  const isKept = listing !== null && Buffer.byteLength(listing) <= LISTING_LIMIT_BYTES;
  return [
    hash,
    openedAtMs,
    ...[payer, authorization, submitter, String(sequence)].map(fact),
    bid.inclusionStroops,
    bid.totalStroops,
    sent.validity.maxTimeSeconds,
    sent.validity.lastLedger,
    sent.sentInLedger,
    fact(party),
    isStellarAsset ? 1 : 0,
    isKept ? listing : null,
  ];
}

const fact = (text: string): string => text.slice(0, FACT_LIMIT_CHARS);

type Row = Record<string, unknown>;

function entryOf(row: Row, nowMs: number): UnendedEntry {
  const number = (name: string): number => Number(row[name]);
  const text = (name: string): string => String(row[name]);
  return {
    hash: text('hash'),
    payer: text('payer'),
    party: String(row['party'] ?? row['payer']),
    authorization: text('authorization'),
    submitter: text('submitter'),
    sequence: BigInt(text('sequence')),
    bid: { inclusionStroops: number('inclusion_bid_stroops'), totalStroops: number('total_bid_stroops') },
    sent: {
      validity: { maxTimeSeconds: number('max_time_seconds'), lastLedger: number('last_ledger') },
      sentInLedger: number('sent_in_ledger'),
    },
    ageMs: nowMs - number('opened_at'),
  };
}

const isOnLedger = (outcome: Outcome): outcome is Extract<Outcome, { result: string }> =>
  outcome.state === 'applied' || outcome.state === 'failed';
const reasonOf = (outcome: Outcome): string | null =>
  outcome.state === 'rejected' ? fact(outcome.reason) : isOnLedger(outcome) ? fact(outcome.result) : null;
/** Returns the ledger, its close time, and the fee that it charged. */
const onLedger = (outcome: Outcome): (number | null)[] =>
  isOnLedger(outcome)
    ? [outcome.ledger ?? null, outcome.closedAtSeconds ?? null, outcome.feeChargedStroops ?? null]
    : [null, null, null];
const factsOf = ({ end, isStellarAsset }: SettledListing): SettledFacts => ({
  ledgerClose: end.ledgerClose,
  isStellarAsset,
});
const factsIn = (row: Row | undefined): SettledFacts => ({
  ledgerClose: closeIn(row),
  isStellarAsset: isStellarAssetIn(row),
});
const isStellarAssetIn = (row: Row | undefined): boolean => row?.['is_stellar_asset'] === 1;
const closeIn = (row: Row | undefined): LedgerClose | undefined =>
  closeOf(row?.['ledger'], row?.['closed_at']);
const closeOf = (ledger: unknown, seconds: unknown): LedgerClose | undefined =>
  typeof ledger === 'number' && typeof seconds === 'number' ? { ledger, seconds } : undefined;
