import { openCatalog, type Catalog } from './catalog/index.ts';
import { rpcOrigins, type Config, type Secrets } from './config/config.ts';
import { publicKeyOf } from './config/secretKeys.ts';
import { createHandlers } from './handlers/index.ts';
import { createPendingListings } from './handlers/pendingListings.ts';
import { createApp } from './http/app.ts';
import type { HttpLimits } from './http/limits.ts';
import { createServer, type HttpServer } from './http/server.ts';
import { journalPathOf } from './config/databasePath.ts';
import { openJournal, openSharedJournal, type Journal } from './journal/index.ts';
import type { Log } from './log/log.ts';
import { createScheme, type Scheme, type SchemeDeps, type Sharing } from './scheme/index.ts';
import { keyFromSecret } from './stellar/key.ts';
import { PASSPHRASES } from './stellar/networks.ts';
import { createRpc } from './stellar/rpc/pool.ts';
import type { Database } from './store/postgres.ts';

/** Time between two looks for listings that other instances left. */
const LIST_OTHERS_EVERY_MS = 10_000;
/** Connections to the database for listings; one more listens. */
const LISTING_CONNECTIONS = 3;

export interface ServiceOptions {
  config: Config;
  secrets: Secrets;
  log: Log;
  /** Parts to use instead of the service's own. */
  parts?: { scheme?: Scheme; catalog?: Catalog; journal?: Journal };
  httpLimits?: Partial<HttpLimits>;
}

export interface Service {
  readonly url: string;
  /** The bound port. */
  readonly port: number;
  /** Stops listening, finishes the requests in flight within a bounded time, and closes the parts. */
  close(): Promise<void>;
}

/**
 * Builds the parts, hands them to each other and listens. Fails if the port cannot be bound. Fails with UnusableFile,
 * UnusableDatabase or DatabaseUnavailable if a store cannot be used.
 */
export async function openService({
  config,
  secrets,
  log,
  parts = {},
  httpLimits: limits = {},
}: ServiceOptions): Promise<Service> {
  const { catalog, journal, sharing, databases } = await openStores(config, secrets, log, parts);
  const pendingListings = createPendingListings({ journal, catalog });
  // Another instance may have died before it wrote a listing.
  const listing = sharing && setInterval(() => void pendingListings.list(), LIST_OTHERS_EVERY_MS).unref();
  const onLateSettlement = (): void => void pendingListings.list();
  const scheme =
    parts.scheme ?? (await schemeOf(config, secrets, { log, journal, sharing, onLateSettlement }));
  let boundPort = 0;
  let server: HttpServer;
  try {
    const handlers = createHandlers({
      scheme,
      catalog,
      journal,
      pendingListings,
      config,
      boundPort: () => boundPort,
    });
    const app = await createApp({ handlers, network: config.network, log, limits });
    server = createServer({ app, log, limits });
    await scheme.open();
    void pendingListings.list();
    boundPort = await server.listen(config.port, config.host);
  } catch (error) {
    clearInterval(listing);
    await pendingListings.close();
    await Promise.all([scheme.close(), catalog.close()]);
    await journal.end();
    await databases?.close();
    throw error;
  }
  const url = `http://${hostOf(config)}:${boundPort}`;
  log.info({ url, network: config.network, rpcUrl: rpcOrigins(config), dbPath: config.dbPath }, 'listening');
  return {
    url,
    port: boundPort,
    async close() {
      // Close both together: the scheme tells senders how far their requests are, before their connections close.
      clearInterval(listing);
      await Promise.all([server.close(), scheme.close()]);
      await pendingListings.close();
      // Close these last: what settled until now is still to be listed.
      await catalog.close();
      await journal.end();
      await databases?.close();
    },
  };
}

function openCatalogOf(
  { dbPath, network, newListingsPerHour }: Config,
  log: Log,
  db: Database | undefined,
): Promise<Catalog> {
  // On a test network, sellers may run on the machine on which they are developed.
  const allowsPrivateAddresses = network === 'stellar:testnet';
  return openCatalog({ dbPath, log, newListingsPerHour, allowsPrivateAddresses, db });
}

/** Returns an address of this machine that the service listens on, in the form that a URL needs. */
function hostOf({ host = '0.0.0.0' }: Config): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

async function schemeOf(
  config: Config,
  { submitterSecrets, feeBumpSecret }: Secrets,
  { log, ...deps }: Pick<SchemeDeps, 'onLateSettlement' | 'sharing'> & { journal: Journal; log: Log },
): Promise<Scheme> {
  return createScheme({
    ...deps,
    network: config.network,
    rpc: createRpc(config.rpcUrls, {
      log,
      now: () => performance.now(),
      passphrase: PASSPHRASES[config.network],
      remembered: await deps.journal.latestClose(),
    }),
    submitters: submitterSecrets.map(keyFromSecret),
    feeBump: feeBumpSecret === undefined ? undefined : keyFromSecret(feeBumpSecret),
    fees: config.fees,
    policy: config.policy,
    log,
  });
}

interface Stores {
  catalog: Catalog;
  journal: Journal;
  /** Both are undefined if this instance has files of its own. */
  sharing?: Sharing;
  databases?: Databases | undefined;
}

/** Payments never wait for a connection that listings have. */
interface Databases {
  payments: Database;
  listings: Database;
  close(): Promise<void>;
}

/** Loads the database's client only here: a service with files of its own needs none. */
async function connectTo(url: string, log: Log): Promise<Databases> {
  const { createDatabase } = await import('./store/postgres.ts');
  const payments = createDatabase({ url, log });
  const listings = createDatabase({ url, log, limits: { maxConnections: LISTING_CONNECTIONS } });
  return {
    payments,
    listings,
    close: async () => void (await Promise.all([payments.close(), listings.close()])),
  };
}

/** Opens what is not given: files, or the database that instances share. If one fails, closes the others. */
async function openStores(
  config: Config,
  secrets: Secrets,
  log: Log,
  given: NonNullable<ServiceOptions['parts']>,
): Promise<Stores> {
  const { databaseUrl: url } = secrets;
  const databases = url === undefined ? undefined : await connectTo(url, log);
  let catalog: Catalog | undefined;
  try {
    const shared =
      databases &&
      (await openSharedJournal({
        db: databases.payments,
        network: config.network,
        accounts: secrets.submitterSecrets.map(publicKeyOf),
        log,
      }));
    catalog = given.catalog ?? (await openCatalogOf(config, log, databases?.listings));
    if (shared !== undefined) return { catalog, databases, ...shared };
    const journal = given.journal ?? openJournal({ path: journalPathOf(config.dbPath), log });
    return { catalog, journal };
  } catch (error) {
    await catalog?.close();
    await databases?.close();
    throw error;
  }
}
