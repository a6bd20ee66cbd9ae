import type { Query } from '../../store/postgres.ts';
import { SCHEMA } from '../../store/postgresSchema.ts';
import { CATALOG_LIMITS } from '../limits.ts';
import { createSharedLog, listingOf } from '../shared/log.ts';
import { rowsInDatabase } from '../shownListings.ts';
import { knownOf } from '../sqlite/listingRow.ts';
import { keyOf } from '../sqlite/logListing.ts';
import { proposalOf } from '../sqlite/propose.ts';
import { checkableIn } from './checkable.ts';
import { withStale } from './stale.ts';
import type { Checks } from './types.ts';

const BY_ID = `SELECT position, owner, item, ledger, closed_at, payers, hidden FROM ${SCHEMA}.listing WHERE id = $1`;

/** Marks listings of the catalog that instances share. Each mark is an entry of the log, which all instances follow. */
export function openSharedChecks(query: Query): Checks {
  const log = createSharedLog({ query }, Infinity, CATALOG_LIMITS);

  return {
    async *listings(after) {
      for await (const rows of rowsInDatabase(query, after)) yield checkableIn(rows);
    },
    async mark({ id, item, text }, stale) {
      const [found] = await query(BY_ID, [id]);
      const row = found && listingOf(found, found['position']);
      if (row?.item !== text) return false;
      const { owner, close, payers } = knownOf(row);
      const after = { item: withStale(item, stale), close, payers, settledAt: new Date() };
      const written = await log.write(proposalOf(row, { key: keyOf(item), owner, ...after }), undefined);
      return typeof written === 'object' && 'batch' in written;
    },
  };
}
