import { NO_KEYS, openKeysInFile, openSharedKeys, type KnownKeys } from '../callers/index.ts';
import { openCatalog, type Catalog, type CatalogDeps } from '../catalog/index.ts';
import type { Config, Secrets } from '../config/config.ts';
import { journalPathOf } from '../config/databasePath.ts';
import { publicKeyOf } from '../config/secretKeys.ts';
import { openJournal, openSharedJournal, type Journal, type JournalLog } from '../journal/index.ts';
import type { Log } from '../log/log.ts';
import type { Observers } from '../operator/metrics/index.ts';
import type { Sharing } from '../scheme/index.ts';
import type { Database } from '../store/postgres.ts';
import { IN_MEMORY } from '../store/sqliteFile.ts';

/** Connections to the database for listings and webhooks; one more listens. */
const LISTING_CONNECTIONS = 3;

/** Holds what outlives the process: in files of its own, or in the database that instances share. */
export interface Stores {
  readonly catalog: Catalog;
  readonly journal: Journal;
  readonly keys: KnownKeys;
  /** Undefined if this instance has files of its own. */
  readonly sharing: Sharing | undefined;
  close(): Promise<void>;
}

interface StoresDeps {
  config: Config;
  secrets: Secrets;
  log: Log;
  given: { catalog?: Catalog; journal?: Journal };
  observers: Pick<Observers, 'catalog' | 'journalFailed'> | undefined;
}

/** Opens what is not given. If one store fails, closes the others. */
export async function openStores({ config, secrets, log, given, observers }: StoresDeps): Promise<Stores> {
  const { databaseUrl, submitterSecrets } = secrets;
  const journalLog = observers === undefined ? log : counting(log, observers.journalFailed);
  const databases = databaseUrl === undefined ? undefined : await connectTo(databaseUrl, log);
  const opened: { catalog?: Catalog; journal?: Journal; keys?: KnownKeys } = {};
  async function close(): Promise<void> {
    // The catalog comes first: it tells the journal what it has listed.
    await opened.catalog?.close();
    await opened.journal?.end();
    opened.keys?.close();
    await databases?.close();
  }
  try {
    const hasEvents = config.webhooks !== undefined;
    const accounts = submitterSecrets.map(publicKeyOf);
    const shared =
      databases &&
      (await openSharedJournal({
        db: databases.payments,
        network: config.network,
        accounts,
        log: journalLog,
        limits: keptOf(config),
        eventsDb: hasEvents ? databases.listings : undefined,
      }));
    if (shared !== undefined) opened.journal = shared.journal;
    const catalog = (opened.catalog =
      given.catalog ??
      (await catalogOf(config, { log, db: databases?.listings, observer: observers?.catalog })));
    const path = journalPathOf(config.dbPath);
    const journal = (opened.journal ??=
      given.journal ?? openJournal({ path, log: journalLog, limits: keptOf(config), hasEvents }));
    const keysPath = given.journal === undefined ? path : IN_MEMORY;
    const keys = (opened.keys = await keysOf(databases?.payments, keysPath, log));
    return { catalog, journal, keys, sharing: shared?.sharing, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns the limit of the journal that the operator may set. */
const keptOf = ({ settlementsKept: entriesKept }: Config) =>
  entriesKept === undefined ? {} : { entriesKept };

/** Payments never wait for a connection that listings or webhooks have. */
interface Databases {
  payments: Database;
  listings: Database;
  close(): Promise<void>;
}

/** Loads the database's client only here: a service with files of its own needs none. */
async function connectTo(url: string, log: Log): Promise<Databases> {
  const { createDatabase } = await import('../store/postgres.ts');
  const payments = createDatabase({ url, log });
  const listings = createDatabase({ url, log, limits: { maxConnections: LISTING_CONNECTIONS } });
  return {
    payments,
    listings,
    close: async () => void (await Promise.all([payments.close(), listings.close()])),
  };
}

function catalogOf(
  { dbPath, network, newListingsPerHour, hybridSearch }: Config,
  deps: Pick<CatalogDeps, 'log' | 'db' | 'observer'>,
): Promise<Catalog> {
  // On a test network, sellers may run on the machine on which they are developed.
  const allowsPrivateAddresses = network === 'stellar:testnet';
  return openCatalog({
    dbPath,
    newListingsPerHour,
    allowsPrivateAddresses,
    model: hybridSearch && modelOf(hybridSearch),
    ...deps,
  });
}

function modelOf({ modelFolder }: NonNullable<Config['hybridSearch']>): CatalogDeps['model'] {
  return modelFolder === undefined ? 'built-in' : { folder: modelFolder };
}

/** Returns a log whose errors are counted, too: the journal logs each failure as one. */
function counting(log: Log, onError: () => void): Pick<Log, 'info' | 'warn'> & JournalLog {
  return {
    info: log.info.bind(log),
    warn: log.warn.bind(log),
    error(fields, message) {
      onError();
      log.error(fields, message);
    },
  };
}

/** Opens the keys beside the journal. A journal in memory has none. */
async function keysOf(db: Database | undefined, journalPath: string, log: Log): Promise<KnownKeys> {
  if (db !== undefined) return openSharedKeys(db, log);
  return journalPath === IN_MEMORY ? NO_KEYS : openKeysInFile(journalPath, log);
}
