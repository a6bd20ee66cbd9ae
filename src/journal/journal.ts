import type { PaymentPayload, PaymentRequirements } from '../contract/index.ts';
import type { JournaledEnd, SettlementJournal, UnendedEntry } from '../scheme/index.ts';
import { openJournalFile } from './file.ts';
import { ENTRIES_KEPT, PRUNE_EVERY } from './limits.ts';

/** What of a settled payment's request its listing is made from. */
export interface ListingRequest {
  paymentPayload: Pick<PaymentPayload, 'resource' | 'extensions'>;
  paymentRequirements: PaymentRequirements;
}

/** A settled payment whose listing is still to be written. */
export interface DueListing {
  request: ListingRequest;
  /** When its end was learned. */
  settledAt: Date;
  /** See `closedAtSeconds`. */
  closedAtSeconds: number | undefined;
}

/** Every settlement's transaction, and its end. Nothing here throws but `openJournal`: what fails is logged. */
export interface Journal extends SettlementJournal {
  /** Nothing is left to be done for a settled payment: its listing was written, or was refused. */
  listed(hash: string): void;
  /** When the ledger closed that holds a settled payment, in unix seconds of the network; undefined if not known. */
  closedAtSeconds(hash: string): number | undefined;
  /** The hashes of settled payments whose listing is still to be written, in the order in which they settled. */
  unlisted(): string[];
  /** What that listing is made from; undefined where it was written meanwhile. */
  dueListing(hash: string): DueListing | undefined;
  end(): void;
}

export interface JournalDeps {
  /** A file, or `:memory:`. */
  path: string;
  log: { error(fields: object, message: string): void };
  /** Milliseconds; the system's clock unless a test brings its own. */
  now?: () => number;
}

/** Throws UnusableJournal. Writes are synchronous: they are a fraction of a millisecond, and come before what they tell of. */
export function openJournal({ path, log, now = Date.now }: JournalDeps): Journal {
  const db = openJournalFile(path);
  const insert = db.prepare(`INSERT INTO entry (
      hash, opened_at, payer, authorization, submitter, sequence, inclusion_bid_stroops, total_bid_stroops,
      envelope, max_time_seconds, last_ledger, sent_in_ledger, listing)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (hash) DO UPDATE SET
      opened_at = excluded.opened_at, listing = excluded.listing, ended_at = NULL, status = NULL, reason = NULL`);
  const update = db.prepare(
    `UPDATE entry SET ended_at = ?, status = ?, reason = ?, ledger = ?, closed_at = ?, fee_charged_stroops = ?
     WHERE hash = ?`,
  );
  const dropListing = db.prepare('UPDATE entry SET listing = NULL WHERE hash = ?');
  const selectUnended = db.prepare('SELECT * FROM entry WHERE status IS NULL ORDER BY id');
  const selectClose = db.prepare('SELECT closed_at FROM entry WHERE hash = ?');
  const selectLatestClose = db.prepare(
    'SELECT ledger, closed_at AS seconds FROM entry WHERE closed_at IS NOT NULL AND ledger IS NOT NULL ORDER BY closed_at DESC, ledger DESC LIMIT 1',
  );
  const selectUnlisted = db.prepare(
    "SELECT hash FROM entry WHERE status = 'success' AND listing IS NOT NULL ORDER BY ledger, id",
  );
  const selectDue = db.prepare(
    "SELECT listing, ended_at, closed_at FROM entry WHERE hash = ? AND status = 'success' AND listing IS NOT NULL",
  );
  const prune = db.prepare(
    'DELETE FROM entry WHERE id <= (SELECT max(id) FROM entry) - ? AND status IS NOT NULL AND NOT (status = ? AND listing IS NOT NULL)',
  );
  const makeRoom = (): void => void prune.run(ENTRIES_KEPT, 'success');
  let ended = 0;

  function guarded<Result>(what: string, fallback: Result, work: () => Result): Result {
    try {
      return work();
    } catch (err) {
      log.error({ err }, `the journal failed: ${what}`);
      return fallback;
    }
  }

  // A process that is often restarted may never come to it.
  guarded('no room was made', undefined, makeRoom);
  return {
    open: ({ hash, listing, payer, authorization, submitter, sequence, bid, sent }) =>
      guarded('a settlement is not journaled', undefined, () => {
        const { envelope, validity, sentInLedger } = sent;
        const bids = [bid.inclusionStroops, bid.totalStroops];
        const known = [envelope, validity.maxTimeSeconds, validity.lastLedger, sentInLedger];
        insert.run(
          hash,
          now(),
          payer,
          authorization,
          submitter,
          String(sequence),
          ...bids,
          ...known,
          listing,
        );
      }),
    close: (hash, end) =>
      guarded('the end of a settlement is not journaled', undefined, () => {
        update.run(now(), end.status, reasonOf(end), ...onLedger(end), hash);
        ended += 1;
        if (ended % PRUNE_EVERY === 0) makeRoom();
      }),
    listed: (hash) => guarded('a listing is not journaled', undefined, () => void dropListing.run(hash)),
    unended: () =>
      guarded('open settlements are not known', [], () =>
        selectUnended.all().map((row) => entryOf(row, now())),
      ),
    latestClose: () =>
      guarded('the latest ledger is not known', undefined, () => {
        const row = selectLatestClose.get();
        return row && { ledger: Number(row['ledger']), seconds: Number(row['seconds']) };
      }),
    closedAtSeconds: (hash) =>
      guarded('the time of a settlement is not known', undefined, () => closedAt(selectClose.get(hash))),
    unlisted: () =>
      guarded('missing listings are not known', [], () =>
        selectUnlisted.all().map(({ hash }) => String(hash)),
      ),
    dueListing: (hash) =>
      guarded('a missing listing is not known', undefined, () => {
        const row = selectDue.get(hash);
        if (row === undefined) return undefined;
        const request = JSON.parse(String(row['listing'])) as ListingRequest;
        return { request, settledAt: new Date(Number(row['ended_at'])), closedAtSeconds: closedAt(row) };
      }),
    end() {
      if (db.isOpen) db.close();
    },
  };
}

/** Null where no listing was asked for. No larger than the request was, and dropped once it is listed. */
export function listingTextOf({
  paymentPayload,
  paymentRequirements,
}: {
  paymentPayload: PaymentPayload;
  paymentRequirements: PaymentRequirements;
}): string | null {
  const { resource, extensions } = paymentPayload;
  if (typeof extensions !== 'object' || extensions === null || !('bazaar' in extensions)) return null;
  const request: ListingRequest = {
    paymentPayload: { ...(resource !== undefined && { resource }), extensions },
    paymentRequirements,
  };
  return JSON.stringify(request);
}

type Row = Record<string, unknown>;

function entryOf(row: Row, nowMs: number): UnendedEntry {
  const number = (name: string): number => Number(row[name]);
  const text = (name: string): string => String(row[name]);
  return {
    hash: text('hash'),
    payer: text('payer'),
    authorization: text('authorization'),
    submitter: text('submitter'),
    sequence: BigInt(text('sequence')),
    bid: { inclusionStroops: number('inclusion_bid_stroops'), totalStroops: number('total_bid_stroops') },
    sent: {
      envelope: text('envelope'),
      validity: { maxTimeSeconds: number('max_time_seconds'), lastLedger: number('last_ledger') },
      sentInLedger: number('sent_in_ledger'),
    },
    ageMs: nowMs - number('opened_at'),
  };
}

const isOnLedger = (end: JournaledEnd): end is Extract<JournaledEnd, { result: string }> =>
  end.status === 'success' || end.status === 'failed';
const reasonOf = (end: JournaledEnd): string | null =>
  end.status === 'rejected' ? end.reason : isOnLedger(end) ? end.result : null;
/** The ledger, when it closed, and what it charged. */
const onLedger = (end: JournaledEnd): (number | null)[] =>
  isOnLedger(end)
    ? [end.ledger ?? null, end.closedAtSeconds ?? null, end.feeChargedStroops ?? null]
    : [null, null, null];
const closedAt = (row: Row | undefined): number | undefined =>
  typeof row?.['closed_at'] === 'number' ? row['closed_at'] : undefined;
