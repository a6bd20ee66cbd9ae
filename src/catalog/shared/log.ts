import type { Database, Row } from '../../store/postgres.ts';
import { SCHEMA } from '../../store/postgresSchema.ts';
import { MAX_EARLIER_WORDINGS, type CatalogLimits } from '../limits.ts';
import type { ListingBatch, LogBatch, LogListing, Proposal } from '../store.ts';

/** The channel on which the position of each write is told. */
export const CHANNEL = `${SCHEMA}_catalog`;

/** What became of a proposal: the batch that it is, the entry that stands there instead, or the limit that it exceeds. */
export type Written = { batch: LogBatch } | { current: LogListing } | 'too many new';

/** The catalog's log in PostgreSQL. Each statement is one round trip. */
export interface SharedLog {
  /** Returns the key that signs cursors. It also tells one log from another. */
  key(): Promise<Uint8Array>;
  /** Writes a listing. It is then no longer due for the transaction that paid for it. */
  write(proposal: Proposal, transaction: string | undefined): Promise<Written>;
  /** Reads what follows a position. */
  read(after: number): Promise<LogBatch>;
  /** Reads what follows a listing, in order of ids. */
  readListings(after: number): Promise<ListingBatch>;
}

const KEY = `SELECT cursor_key FROM ${SCHEMA}.catalog`;

const WRITE = `SELECT * FROM ${SCHEMA}.write_listing(decode($1, 'hex'), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;

/**
 * Returns the end of the log beside each entry, and alone if nothing follows $1. Both are of one moment. The entries
 * follow a position, or a listing: then they come in order of ids. Each part is limited by itself, so that PostgreSQL
 * reads no more than the batch; so that it knows this, it is told that there is one catalog.
 */
const readAfter = (column: 'position' | 'listing'): string => {
  const first = `ORDER BY ${column} FETCH FIRST $2 ROWS WITH TIES`;
  return `
  SELECT catalog.position AS "end", catalog.listings, catalog.clock, catalog.checksum, batch.*
  FROM (SELECT * FROM ${SCHEMA}.catalog LIMIT 1) AS catalog LEFT JOIN (
    SELECT *, coalesce(sum(bytes) OVER (
      ORDER BY ${column} GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS bytes_before FROM (
      (SELECT position, id AS listing, owner, item, ledger, closed_at, NULL::bigint AS reworded, NULL AS words,
        NULL::int AS length, octet_length(item) AS bytes
      FROM ${SCHEMA}.listing WHERE ${column === 'listing' ? 'id' : column} > $1 ${first})
      UNION ALL
      (SELECT position, listing, NULL, NULL, NULL, NULL, reworded, words, length, octet_length(words)
      FROM ${SCHEMA}.earlier_wording WHERE ${column} > $1 ${first})
      ${first}
    ) AS following
  ) AS batch ON batch.bytes_before < $3
  ORDER BY batch.${column}`;
};

const READ = readAfter('position');
const READ_LISTINGS = readAfter('listing');

export function createSharedLog(
  { query }: Pick<Database, 'query'>,
  newListingsPerHour: number,
  { logBatchListings, logBatchBytes }: CatalogLimits,
): SharedLog {
  const newPerHour = newListingsPerHour === Infinity ? null : newListingsPerHour;
  return {
    key: async () => (await query(KEY))[0]!['cursor_key'] as Uint8Array,
    async write(proposal, transaction) {
      const { key, knownPosition, owner, item, ledger, closedAt, earlier, settledAtSeconds } = proposal;
      const listing = [key, knownPosition, owner, item, ledger, closedAt];
      const wording = [earlier?.words, earlier?.length, MAX_EARLIER_WORDINGS];
      const [row] = await query(WRITE, [...listing, ...wording, settledAtSeconds, newPerHour, transaction]);
      return writtenOf(row!, proposal);
    },
    read: async (after) => batchOf(after, await query(READ, [after, logBatchListings, logBatchBytes])),
    readListings: async (after) =>
      listingBatchOf(after, await query(READ_LISTINGS, [after, logBatchListings, logBatchBytes])),
  };
}

function writtenOf(row: Row, proposal: Proposal): Written {
  const { outcome, at } = row;
  if (outcome === 'written') return { batch: batchOfWrite(row, proposal) };
  if (outcome === 'too many new') return outcome;
  if (at === null) throw new Error('the index has a listing that the database does not have');
  return { current: listingOf(row, at) };
}

/** Returns the batch that an instance would read that stood just before this write. */
function batchOfWrite(
  { at, listing: id, listings, clock, checksum }: Row,
  { owner, item, ledger, closedAt, earlier }: Proposal,
): LogBatch {
  const [position, listing] = [Number(at), Number(id)];
  return {
    after: position - 1,
    entries: [{ listing, position, owner, item, ledger, closedAt }],
    earlierWordings: earlier === undefined ? [] : [{ reworded: Number(clock), listing, ...earlier }],
    position,
    end: endOf({ listings, clock, checksum }),
  };
}

const endOf = ({ listings, clock, checksum }: Row): LogBatch['end'] => ({
  listings: Number(listings),
  clock: Number(clock),
  checksum: String(checksum),
});

function batchOf(after: number, rows: readonly Row[]): LogBatch {
  const { end, listings, clock, checksum } = rows[0]!;
  const last = rows.at(-1)!['position'] ?? end;
  return {
    after,
    ...entriesOf(rows),
    position: Number(last),
    end: last === end ? endOf({ listings, clock, checksum }) : undefined,
  };
}

function listingBatchOf(after: number, rows: readonly Row[]): ListingBatch {
  const to = rows.at(-1)!['listing'];
  const position = Number(rows[0]!['end']);
  return { after, ...entriesOf(rows), to: Number(to ?? after), isLast: to === null, position };
}

function entriesOf(rows: readonly Row[]): Pick<LogBatch, 'entries' | 'earlierWordings'> {
  return {
    entries: rows
      .filter(({ item }) => item !== null)
      .map((row) => ({ listing: Number(row['listing']), ...listingOf(row, row['position']) })),
    earlierWordings: rows
      .filter(({ reworded }) => reworded !== null)
      .map(({ reworded, listing, words, length }) => ({
        reworded: Number(reworded),
        listing: Number(listing),
        words: String(words),
        length: Number(length),
      })),
  };
}

function listingOf(row: Row, position: unknown): LogListing {
  const { owner, item, ledger, closed_at: closedAt } = row;
  return {
    position: Number(position),
    owner: String(owner),
    item: String(item),
    ledger: ledger === null ? null : Number(ledger),
    closedAt: closedAt === null ? null : Number(closedAt),
  };
}
