/** Instances of the settling part on one database and one network. */
import type { Keypair } from '@stellar/stellar-sdk';
import { openSharedJournal } from '../../src/journal/index.ts';
import type { SharedLimits } from '../../src/journal/postgres/limits.ts';
import type { Scheme, SchemeDeps } from '../../src/scheme/index.ts';
import { createDatabase, type DatabaseLimits, type Query } from '../../src/store/postgres.ts';
import { NETWORK } from '../support/playedNetwork.ts';
import { openScheme, silent } from '../support/service.ts';

export interface Instance extends Scheme {
  /** Ends it as a kill does: it writes nothing more, and gives up nothing. */
  vanish(): Promise<void>;
}

export interface InstanceOptions {
  url: string;
  rpcUrl: string;
  submitters: readonly Keypair[];
  limits?: Partial<SharedLimits>;
  databaseLimits?: Partial<DatabaseLimits>;
  /** Stands between the instance and the database. */
  query?: (query: Query) => Query;
  parts?: Partial<Pick<SchemeDeps, 'limits' | 'onLateSettlement'>>;
}

/** Short, so that a test sees leases run out. */
export const LIMITS: Partial<SharedLimits> = { leaseMs: 1_500, renewEveryMs: 400 };

export async function openInstance({
  url,
  rpcUrl,
  submitters,
  ...options
}: InstanceOptions): Promise<Instance> {
  const database = createDatabase({ url, log: silent, limits: options.databaseLimits ?? {} });
  const db = { ...database, query: options.query?.(database.query) ?? database.query };
  const accounts = submitters.map((key) => key.publicKey());
  const { journal, sharing } = await openSharedJournal({
    db,
    network: NETWORK,
    accounts,
    log: silent,
    limits: { ...LIMITS, ...options.limits },
  });
  const scheme = openScheme({ rpcUrl, submitters, parts: { journal, sharing, ...options.parts } });
  await scheme.open();
  let isGone = false;
  return {
    ...scheme,
    async close() {
      if (isGone) return;
      isGone = true;
      await scheme.close();
      await journal.end();
      await db.close();
    },
    async vanish() {
      isGone = true;
      await db.close();
      await scheme.close();
    },
  };
}
