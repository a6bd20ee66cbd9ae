import type { Database, Row } from '../../store/postgres.ts';
import { SCHEMA } from '../../store/postgresSchema.ts';
import { MAX_EARLIER_WORDINGS, type CatalogLimits } from '../limits.ts';
import type { ListingBatch, LogBatch, LogBlock, LogListing, Proposal } from '../store.ts';

/** The channel on which the position of each write is told. */
export const CHANNEL = `${SCHEMA}_catalog`;

/** Says what became of a proposal: it is this batch of the log, another entry stands there, or it exceeds a limit. */
export type Written =
  | { batch: LogBatch; isHidden: boolean }
  | { current: LogListing | 'none' }
  | 'too many new'
  | 'blocked';

/** The seller has signed something about the listing at this time or later. */
export interface Outdated {
  readonly code: 'outdated';
}

const OUTDATED: Outdated = { code: 'outdated' };

/** The catalog's log in PostgreSQL. Each statement is one round trip. */
export interface SharedLog {
  /** Returns the key that signs cursors. It also tells one log from another. */
  key(): Promise<Uint8Array>;
  /** Writes a listing. It is then no longer due for the transaction that paid for it. */
  write(proposal: Proposal, transaction: string | undefined): Promise<Written>;
  /** Writes what a seller has signed about its listing, and notes in the same transaction when that was. */
  writeSigned(proposal: Proposal, signedAtMs: number): Promise<Written | Outdated>;
  /** Reads what follows a position. */
  read(after: number): Promise<LogBatch>;
  /** Reads what follows a listing, in order of ids. */
  readListings(after: number): Promise<ListingBatch>;
}

const KEY = `SELECT cursor_key FROM ${SCHEMA}.catalog`;

const WRITTEN = `decode($1, 'hex'), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15`;
const WRITE = `SELECT * FROM ${SCHEMA}.write_listing(${WRITTEN})`;
const WRITE_SIGNED = `SELECT * FROM ${SCHEMA}.describe_listing(${WRITTEN}, $16)`;

/**
 * Returns the end of the log beside each entry, and alone if nothing follows $1. Both are of one moment. The entries
 * follow a position, or a listing: then they come in order of ids, and blocks are not among them. Each part is limited by itself, so that PostgreSQL
 * reads no more than the batch; so that it knows this, it is told that there is one catalog.
 */
const readAfter = (column: 'position' | 'listing'): string => {
  const first = `ORDER BY ${column} FETCH FIRST $2 ROWS WITH TIES`;
  return `
  SELECT catalog.position AS "end", catalog.listings, catalog.clock, catalog.checksum, batch.*
  FROM (SELECT * FROM ${SCHEMA}.catalog LIMIT 1) AS catalog LEFT JOIN (
    SELECT *, coalesce(sum(bytes) OVER (
      ORDER BY ${column} GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS bytes_before FROM (
      (SELECT position, id AS listing, owner, item, ledger, closed_at, payers, hidden, NULL::bigint AS reworded, NULL AS words,
        NULL::int AS length, octet_length(item) AS bytes, NULL::json AS block
      FROM ${SCHEMA}.listing WHERE ${column === 'listing' ? 'id' : column} > $1 ${first})
      UNION ALL
      (SELECT position, listing, NULL, NULL, NULL, NULL, NULL, NULL, reworded, words, length, octet_length(words), NULL
      FROM ${SCHEMA}.earlier_wording WHERE ${column} > $1 ${first})
      ${column === 'position' ? `UNION ALL (${BLOCKS_AFTER} ${first})` : ''}
      ${first}
    ) AS following
  ) AS batch ON batch.bytes_before < $3
  ORDER BY batch.${column}`;
};

const BLOCK = `json_build_object('key', key, 'kind', kind, 'value', value, 'sinceMs', since_ms, 'isActive', is_active)`;

const BLOCKS_AFTER = `
  SELECT position, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, octet_length(value), ${BLOCK}
  FROM ${SCHEMA}.keeper_block WHERE position > $1`;

const READ = readAfter('position');

const READ_LISTINGS = `
  SELECT max("end") AS position, max(listing) AS "to",
    coalesce(string_agg(json_build_object('listing', listing, 'position', position, 'owner', owner, 'item', item,
      'ledger', ledger, 'closedAt', closed_at, 'payers', payers, 'hidden', hidden)::text, E'\\n' ORDER BY listing)
      FILTER (WHERE item IS NOT NULL), '') AS entries,
    coalesce(json_agg(json_build_object('reworded', reworded, 'listing', listing, 'words', words, 'length', length))
      FILTER (WHERE reworded IS NOT NULL), '[]')::text AS wordings,
    CASE WHEN $1 = 0 THEN (SELECT json_agg(${BLOCK}) FROM ${SCHEMA}.keeper_block WHERE is_active) END AS blocks
  FROM (${readAfter('listing')}) AS batch`;

export function createSharedLog(
  { query }: Pick<Database, 'query'>,
  newListingsPerHour: number,
  { logBatchListings, logBatchBytes }: CatalogLimits,
): SharedLog {
  const newPerHour = newListingsPerHour === Infinity ? null : newListingsPerHour;

  function valuesOf(proposal: Proposal, transaction: string | undefined): unknown[] {
    const { key, knownPosition, owner, item, ledger, closedAt, payers } = proposal;
    const { earlier, settledAtSeconds, covering } = proposal;
    const listing = [key, knownPosition, owner, item, ledger, closedAt];
    const wording = [earlier?.words, earlier?.length, MAX_EARLIER_WORDINGS];
    return [...listing, ...wording, settledAtSeconds, newPerHour, transaction, ...covering, payers];
  }

  return {
    key: async () => (await query(KEY))[0]!['cursor_key'] as Uint8Array,
    async write(proposal, transaction) {
      const [row] = await query(WRITE, valuesOf(proposal, transaction));
      return writtenOf(row!, proposal);
    },
    async writeSigned(proposal, signedAtMs) {
      const [row] = await query(WRITE_SIGNED, [...valuesOf(proposal, undefined), signedAtMs]);
      return row!['outcome'] === 'outdated' ? OUTDATED : writtenOf(row!, proposal);
    },
    read: async (after) => batchOf(after, await query(READ, [after, logBatchListings, logBatchBytes])),
    async readListings(after) {
      const [row] = await query(READ_LISTINGS, [after, logBatchListings, logBatchBytes]);
      return listingBatchOf(after, row!);
    },
  };
}

function writtenOf(row: Row, proposal: Proposal): Written {
  const { outcome, at } = row;
  if (outcome === 'written') return { batch: batchOfWrite(row, proposal), isHidden: row['hidden'] === true };
  if (outcome === 'too many new' || outcome === 'blocked') return outcome;
  // The operator has removed what the index still has.
  return { current: at === null ? 'none' : listingOf(row, at) };
}

/** Returns the batch that an instance would read that stood just before this write. */
function batchOfWrite(
  { at, listing: id, listings, clock, checksum, hidden: isHidden }: Row,
  { owner, item, ledger, closedAt, payers, earlier }: Proposal,
): LogBatch {
  const [position, listing] = [Number(at), Number(id)];
  return {
    after: position - 1,
    entries: [{ listing, position, owner, item, ledger, closedAt, payers, hidden: isHidden === true }],
    earlierWordings: earlier === undefined ? [] : [{ reworded: Number(clock), listing, ...earlier }],
    blocks: [],
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

function listingBatchOf(after: number, { position, to, entries, wordings, blocks }: Row): ListingBatch {
  return {
    after,
    entries: String(entries),
    earlierWordings: String(wordings),
    blocks: (blocks ?? []) as LogBlock[],
    to: Number(to ?? after),
    isLast: to === null,
    position: Number(position),
  };
}

function entriesOf(rows: readonly Row[]): Pick<LogBatch, 'entries' | 'earlierWordings' | 'blocks'> {
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
    blocks: rows.filter(({ block }) => block !== null).map(({ block }) => block as LogBlock),
  };
}

/** Reads a row of a listing that stands at a position. */
export function listingOf(row: Row, position: unknown): LogListing {
  const { owner, item, ledger, closed_at: closedAt, payers, hidden } = row;
  return {
    position: Number(position),
    owner: String(owner),
    item: String(item),
    ledger: ledger === null ? null : Number(ledger),
    closedAt: closedAt === null ? null : Number(closedAt),
    payers: payers as string | null,
    hidden: hidden === true,
  };
}
