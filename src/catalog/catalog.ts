import type {
  BazaarOutcome,
  Caller,
  DiscoveryListResponse,
  DiscoverySearchResponse,
  Encoded,
} from '../contract/index.ts';
import type { Database } from '../store/postgres.ts';
import { migrate } from '../store/postgresMigrations.ts';
import { checkWritable } from '../store/postgresWritable.ts';
import type { ModelChoice } from './meaning/index.ts';
import { createHybridProgress } from './hybrid/progress.ts';
import type { Keeper } from './keeper/keeper.ts';
import { createLocalKeeper, readsOf } from './keeper/local.ts';
import { createSharedKeeper } from './keeper/shared.ts';
import type { AskKeeper } from './keeper/store.ts';
import { CATALOG_LIMITS, KEEPER_LIMITS, type CatalogLimits } from './limits.ts';
import type { SettledPayment } from './listing.ts';
import { createListingCount } from './listingCount.ts';
import type { CatalogLog } from './log.ts';
import { UNOBSERVED, type CatalogObserver } from './observer.ts';
import type { Submission } from './operations.ts';
import type { CursorRefusal } from './pages.ts';
import { PROOF, type Pool, type Wait } from './pool.ts';
import { openPools, type Pools } from './pools.ts';
import { createProofs, type Proofs, type RecordRequest } from './proofs.ts';
import { createQuestions } from './questions.ts';
import { OVERLOADED, type Overloaded } from './queue.ts';
import type { ListRequest, SearchRequest } from './requests.ts';
import { createFollower, type Follower } from './shared/follower.ts';
import { createLocalSellers, createSharedSellers, type Sellers } from './sellers.ts';
import { createSharedLog, type SharedLog } from './shared/log.ts';
import { createSharedWrites } from './shared/writes.ts';
import type { HybridProgress } from './store.ts';
import { createSubmitting } from './submitting.ts';

/** Keeps the resources that were paid for, and answers lists and searches of them. */
export interface Catalog {
  /**
   * Lists the resource of a settled payment. Returns undefined if there is nothing to tell the seller: nothing was
   * submitted for cataloging, or the catalog failed or did not answer within its budget. Never rejects.
   */
  submit(settled: SettledPayment): Promise<BazaarOutcome | undefined>;
  /**
   * Refuses if there are too many requests to answer this one in time, and a cursor that was not issued for this order and
   * these filters. Rejects if the store fails.
   */
  list(
    request: ListRequest,
    caller?: Caller,
  ): Promise<Encoded<DiscoveryListResponse> | Overloaded | CursorRefusal>;
  /** Works like `list`. Also refuses a cursor that has expired. */
  search(
    request: SearchRequest,
    caller?: Caller,
  ): Promise<Encoded<DiscoverySearchResponse> | Overloaded | CursorRefusal>;
  state(): CatalogState;
  /** Counts the listings that `state` shows; one question, however many ask. Never rejects. */
  countListings(): Promise<void>;
  /** Rejects if a listing could not be written now. */
  checkWritable(): Promise<void>;
  /** Lets the operator keep listings and sellers out. */
  readonly keeper: Keeper;
  /** Lets recipients hide and describe their own listings. */
  readonly sellers: Sellers;
  /** Lets listings show that their origins name their owners. */
  readonly proofs: Proofs;
  close(): Promise<void>;
}

/** A cheap snapshot, from memory. */
export interface CatalogState {
  /** The number of listings when they were last counted; undefined before, or if that failed. */
  readonly listings: number | undefined;
  /** Counts the listings in the hybrid ranking's index. Undefined without that ranking, and before its first step. */
  readonly hybrid: HybridProgress | undefined;
  /** The number of requests that wait for a thread. */
  readonly waiting: number;
  /** False while a thread has ended and is not started again. */
  readonly areThreadsUp: boolean;
  /** True if the last listing could not be written because the catalog failed. */
  readonly hasFailed: boolean;
}

export interface CatalogDeps {
  /** The catalog's file, created if missing. `:memory:` keeps the catalog only while the process lives. */
  readonly dbPath: string;
  readonly log: CatalogLog;
  /** Maximum number of new listings per recipient and hour. Unlimited by default. */
  readonly newListingsPerHour?: number;
  /** Allows listings whose URL names a host that is not on the public internet. True by default. */
  readonly allowsPrivateAddresses?: boolean;
  /** The database of the instances that share the catalog; the file is then this instance's index of it. */
  readonly db?: Database | undefined;
  readonly observer?: CatalogObserver | undefined;
  /** Given if searches are to be ranked by meaning, too. */
  readonly model?: ModelChoice | undefined;
  readonly limits?: Partial<CatalogLimits>;
}

/**
 * Opens the catalog in its own threads: one that writes, and at least one that answers lists and searches. A catalog in
 * memory has one thread for everything. Rejects with UnusableFile if the file cannot be used. With a database, also
 * rejects with UnusableDatabase or DatabaseUnavailable.
 */
export async function openCatalog({
  dbPath,
  log,
  db,
  observer = UNOBSERVED,
  limits: changes,
  ...rules
}: CatalogDeps): Promise<Catalog> {
  const limits = { ...CATALOG_LIMITS, ...changes };
  const shared = db && (await openSharedLog(db, rules.newListingsPerHour, limits));
  const hybrid = createHybridProgress(log);
  const logKey = await shared?.key();
  const pools = await openPools({ dbPath, logKey, ...rules }, limits, hybrid.hear);
  const { writer, readers, rankers } = pools;
  const follower =
    db && shared && (await createFollower({ shared, listener: db.listener, writer, readers, log, limits }));
  const sharedWrites = follower && shared && createSharedWrites({ shared, follower, writer, limits });
  const writes = sharedWrites ?? localWrites(writer);
  const submitting = createSubmitting({ submit: writes.submit, observer, log, limits });
  const listings = createListingCount(readers);
  const closing = new AbortController();
  const keeper = await keeperOf({ db, follower, pools, limits, closing: closing.signal, log });

  const reached = (position: number) => follower!.reached(position, limits.ownWriteWaitMs);
  return {
    keeper,
    sellers:
      db && sharedWrites
        ? createSharedSellers({ query: db.query, reached, describe: sharedWrites.describe })
        : createLocalSellers(writer),
    proofs: createProofs(readers, writes.recordProof),
    submit: submitting.submit,
    ...createQuestions({ readers, rankers, follower, observer, limits }),
    state: () => ({
      listings: listings.latest(),
      hybrid: hybrid.latest(),
      ...pools.state(),
      hasFailed: submitting.hasFailed(),
    }),
    countListings: listings.count,
    async checkWritable() {
      if (db !== undefined) await checkWritable(db);
      if (follower?.standing.isWhole === false) throw new Error('its index is being filled');
      const answer = await writer.ask('checkWritable', undefined, {});
      if (typeof answer === 'object') throw new Error('too many listings wait to be written');
    },
    async close() {
      closing.abort();
      await follower?.close();
      await pools.close();
    },
  };
}

const localWrites = (writer: Pool) => ({
  submit: (submission: Submission, wait: Wait) => writer.ask('submit', submission, wait),
  recordProof: (request: RecordRequest) => writer.ask('recordProof', request, PROOF),
});

async function openSharedLog(
  db: Database,
  newListingsPerHour = Infinity,
  limits: CatalogLimits,
): Promise<SharedLog> {
  await migrate(db);
  return createSharedLog(db, newListingsPerHour, limits);
}

interface KeeperParts {
  db: Database | undefined;
  follower: Follower | undefined;
  pools: Pools;
  limits: CatalogLimits;
  closing: AbortSignal;
  log: Pick<CatalogLog, 'error'>;
}

async function keeperOf(parts: KeeperParts): Promise<Keeper> {
  const { db, follower, pools, limits } = parts;
  const read = askKeeperOf(pools.readers, 'keeperRead');
  if (db === undefined || follower === undefined) return openLocalKeeper(parts, read);
  return createSharedKeeper({
    query: db.query,
    limits: KEEPER_LIMITS,
    index: readsOf(read),
    reached: (position) => follower.reached(position, limits.ownWriteWaitMs),
  });
}

/** Goes on in the background with what an earlier process did not finish. */
async function openLocalKeeper(
  { pools, closing, log }: Pick<KeeperParts, 'pools' | 'closing' | 'log'>,
  read: AskKeeper,
): Promise<Keeper> {
  const write = askKeeperOf(pools.writer, 'keeperWrite');
  const keeper = createLocalKeeper({ read, write, limits: KEEPER_LIMITS });
  const onFault = (err: unknown): void => {
    if (!closing.aborted)
      log.error({ err }, 'blocks that were cut off could not be finished: the next start tries again');
  };
  try {
    const blocks = await keeper.unfinishedBlocks();
    if (blocks.length > 0) keeper.finish(blocks).catch(onFault);
  } catch (err) {
    onFault(err);
  }
  return keeper;
}

/** Asks the threads of a pool what the keeper asks of the store. Rejects if they have no time for it. */
function askKeeperOf(pool: Pool, operation: 'keeperRead' | 'keeperWrite'): AskKeeper {
  return async (method, argument) => {
    const answer = await pool.ask(operation, { method, argument }, {});
    if (answer === OVERLOADED) throw new Error('the catalog is overloaded');
    return answer as never;
  };
}
