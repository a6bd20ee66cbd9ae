import type { Database, Row } from '../../store/postgres.ts';
import type { AsyncGuard } from '../guard.ts';
import type { DueListing, Journal } from '../journal.ts';
import { JOURNAL_LIMITS } from '../limits.ts';
import type { SharedLimits } from './limits.ts';
import type { Outbox } from './outbox.ts';
import { closeOf } from './reads.ts';
import * as statements from './statements.ts';

interface DueListingsDeps {
  db: Pick<Database, 'query'>;
  outbox: Pick<Outbox, 'add'>;
  guarded: AsyncGuard;
  limits: Pick<SharedLimits, 'listedWithinMs'>;
}

/** Keeps the settled payments whose listings are still to be written. */
export function createDueListings({
  db,
  outbox,
  guarded,
  limits,
}: DueListingsDeps): Pick<Journal, 'listed' | 'unlisted' | 'dueListing'> {
  return {
    listed(hash, status) {
      // A listing that was written is no longer due: see `write_listing`.
      if (status !== 'success') outbox.add(statements.DROP_LISTING, [hash, status]);
    },
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
  };
}

function dueOf(row: Row): DueListing {
  return {
    listing: String(row['listing']),
    payer: String(row['payer']),
    settledAt: row['ended_at'] as Date,
    ledgerClose: closeOf(row),
    isStellarAsset: row['is_stellar_asset'] === true,
  };
}
