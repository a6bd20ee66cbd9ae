import type { Query } from '../../store/postgres.ts';
import { SCHEMA } from '../../store/postgresSchema.ts';
import { openSharedKeeper } from '../keeper/open.ts';
import { coveringKeys, keyOfBlock } from '../keeper/target.ts';
import { CATALOG_LIMITS, IMPORT_LIMITS, type ImportLimits } from '../limits.ts';
import { createSharedLog, listingOf } from '../shared/log.ts';
import { readItem } from '../sqlite/listingRow.ts';
import { keyHash, proposalOf } from '../sqlite/propose.ts';
import type { LogListing } from '../store.ts';
import { ownerOf, recipientsOf } from './owner.ts';
import { saysSame } from './saysSame.ts';
import {
  BLOCKED,
  OTHER_SOURCE,
  PAID_HERE,
  TOO_MANY,
  type ImportedListing,
  type ImportRefusal,
  type Imports,
  type Placed,
} from './types.ts';

/** All imported items begin like this, and no others do: see `readImported`. */
const BEGINNING = '{"source":';
const IS_IMPORTED = `left(item, ${BEGINNING.length}) = '${BEGINNING}'`;
const COUNT = `SELECT count(*) AS n FROM ${SCHEMA}.listing WHERE ${IS_IMPORTED}`;
const OF_SOURCE = `SELECT id FROM ${SCHEMA}.listing WHERE left(item, length($1)) = $1 ORDER BY id`;
const BY_KEY = `
  SELECT id, position, owner, item, ledger, closed_at, payers, hidden FROM ${SCHEMA}.listing WHERE key = decode($1, 'hex')`;
const REMOVE = `SELECT ${SCHEMA}.remove_imported(id) FROM unnest($1::bigint[]) AS id`;

/** What was imported does not count among the listings that its recipient made lately. */
const LONG_AGO = new Date(0);

/** Writes into the catalog that instances share. Each listing is an entry of the log, which all instances follow. */
export async function openSharedImports(
  query: Query,
  { maxListings }: ImportLimits = IMPORT_LIMITS,
): Promise<Imports> {
  const log = createSharedLog({ query }, Infinity, CATALOG_LIMITS);
  const keeper = openSharedKeeper(query);
  const [counted] = await query(COUNT);
  let count = Number(counted!['n']);

  async function known(hash: string): Promise<(LogListing & { id: number }) | undefined> {
    const [row] = await query(BY_KEY, [hash]);
    return row && { id: Number(row['id']), ...listingOf(row, row['position']) };
  }

  /** Tries again if another process writes the listing meanwhile. */
  async function place(listing: ImportedListing): Promise<Placed | ImportRefusal> {
    const { key, item } = listing;
    for (let attempts = 1; attempts <= CATALOG_LIMITS.maxLogAttempts; attempts += 1) {
      const row = await known(keyHash(key));
      const refusal = refusalOf(listing, row, count < maxListings);
      if (refusal !== undefined) return refusal;
      if (row !== undefined && saysSame(readItem(row.item), item)) return { id: row.id, isChanged: false };
      const proposed = {
        key,
        owner: ownerOf(item),
        item,
        close: undefined,
        payers: null,
        settledAt: LONG_AGO,
      };
      const written = await log.write(proposalOf(row, proposed), undefined);
      if (written === 'blocked') return BLOCKED;
      if (typeof written === 'string' || 'current' in written) continue;
      if (row === undefined) count += 1;
      return { id: written.batch.entries[0]!.listing, isChanged: true };
    }
    throw new Error('other processes keep writing the same listing');
  }

  return {
    async put(listings) {
      const blocked = new Set((await keeper.blocks()).map(keyOfBlock));
      const isBlocked = ({ key: { resource }, item }: ImportedListing): boolean =>
        recipientsOf(item).some((owner) =>
          coveringKeys({ resource, owner }).some((covering) => blocked.has(covering)),
        );
      const outcomes: (Placed | ImportRefusal)[] = [];
      for (const listing of listings) outcomes.push(isBlocked(listing) ? BLOCKED : await place(listing));
      return outcomes;
    },
    async ofSource(source) {
      const rows = await query(OF_SOURCE, [`${BEGINNING}${JSON.stringify(source)},`]);
      return rows.map(({ id }) => Number(id));
    },
    async remove(ids) {
      await query(REMOVE, [ids]);
    },
  };
}

function refusalOf(
  { item: { source } }: ImportedListing,
  row: LogListing | undefined,
  hasRoom: boolean,
): ImportRefusal | undefined {
  if (row === undefined) return hasRoom ? undefined : TOO_MANY;
  const known = readItem(row.item)?.source;
  if (known === source) return undefined;
  return known === undefined ? PAID_HERE : OTHER_SOURCE;
}
