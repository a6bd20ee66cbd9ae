import { randomUUID } from 'node:crypto';
import type { Sharing } from '../../scheme/index.ts';
import type { Database } from '../../store/postgres.ts';
import { keepForNetwork, migrate } from '../../store/postgresMigrations.ts';
import type { Journal } from '../journal.ts';
import { createSharedJournal } from './journal.ts';
import { createLeases, type LeasesDeps } from './leases.ts';
import { SHARED_LIMITS, type SharedLimits } from './limits.ts';
import { KNOW } from './statements.ts';

export interface SharedJournalOptions {
  db: Database;
  network: string;
  /** The addresses of all channel accounts. */
  accounts: readonly string[];
  log: LeasesDeps['log'] & { error(fields: object, message: string): void };
  limits?: Partial<SharedLimits>;
  /** See SharedJournalDeps. */
  eventsDb?: Database | undefined;
}

/**
 * Opens the journal and the channel accounts that instances share. Throws DatabaseUnavailable, or UnusableDatabase if the
 * tables are of a newer version or of another network.
 */
export async function openSharedJournal({
  db,
  network,
  accounts,
  log,
  limits: changes,
  eventsDb,
}: SharedJournalOptions): Promise<{ journal: Journal; sharing: Sharing }> {
  const limits = { ...SHARED_LIMITS, ...changes };
  await migrate(db);
  await keepForNetwork(db, network);
  await db.query(KNOW, [accounts]);
  const deps = { db, instance: randomUUID(), accounts, log, limits };
  return { journal: createSharedJournal({ ...deps, eventsDb }), sharing: createLeases(deps) };
}
