import { availableParallelism } from 'node:os';
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
import { IN_MEMORY } from '../store/sqliteFile.ts';
import type { Keeper } from './keeper/keeper.ts';
import { createLocalKeeper, readsOf } from './keeper/local.ts';
import { createSharedKeeper } from './keeper/shared.ts';
import type { AskKeeper } from './keeper/store.ts';
import { CATALOG_LIMITS, KEEPER_LIMITS, type CatalogLimits } from './limits.ts';
import type { SettledPayment } from './listing.ts';
import type { CatalogLog } from './log.ts';
import { UNOBSERVED, type CatalogObserver } from './observer.ts';
import type { CursorRefusal, Part, Submission } from './operations.ts';
import { createPool, type Pool, type Wait } from './pool.ts';
import { OVERLOADED, type Overloaded } from './queue.ts';
import type { ListRequest, SearchRequest } from './requests.ts';
import { createFollower } from './shared/follower.ts';
import { createSharedLog, type SharedLog } from './shared/log.ts';
import { createSharedSubmit } from './shared/submit.ts';
import { createSubmitting } from './submitting.ts';
import { openThread } from './thread.ts';

/** Keeps the resources that were paid for, and answers lists and searches of them. */
export interface Catalog {
  /**
   * Lists the resource of a settled payment. Returns undefined if there is nothing to tell the seller: nothing was
   * submitted for cataloging, or the catalog failed or did not answer within its budget. Never rejects.
   */
  submit(settled: SettledPayment): Promise<BazaarOutcome | undefined>;
  /** Refuses if there are too many requests to answer this one in time. Rejects if the store fails. */
  list(request: ListRequest, caller?: Caller): Promise<Encoded<DiscoveryListResponse> | Overloaded>;
  /** Works like `list`. Also refuses a cursor that was not issued for this query and these filters, or has expired. */
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
  close(): Promise<void>;
}

/** A cheap snapshot, from memory. */
export interface CatalogState {
  /** The number of listings when they were last counted; undefined before, or if that failed. */
  readonly listings: number | undefined;
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
  const logKey = await shared?.key();
  const thread = await openThread({ dbPath, writes: true, atATime: 1, logKey, ...rules }, limits);
  const writer = createPool([thread], limits);
  // Only one thread can use a database in memory.
  const readers =
    dbPath === IN_MEMORY
      ? writer
      : await openReaders(dbPath, limits).catch(async (error: unknown) => {
          await writer.close();
          throw error;
        });

  /** Yields the rest of a page. Reads each part only after the previous one has been taken. */
  async function* restOf({ rest }: Part, caller: Caller | undefined): AsyncGenerator<Uint8Array> {
    for (let left = rest; left !== undefined;) {
      const part = await readers.ask('more', left, waitOf(caller));
      if ('code' in part) throw new Error('the catalog is overloaded');
      yield part.json;
      left = part.rest;
    }
  }

  const encoded = <Body>(part: Part, caller: Caller | undefined): Encoded<Body> =>
    part.rest === undefined ? { json: part.json } : { json: part.json, rest: restOf(part, caller) };

  const follower =
    db && shared && (await createFollower({ shared, listener: db.listener, writer, readers, log, limits }));
  const submit =
    follower && shared
      ? createSharedSubmit({ shared, follower, writer, limits })
      : (submission: Submission, wait: Wait) => writer.ask('submit', submission, wait);

  /** Asks again, for a while, if the cursor comes from an instance whose index was ahead of this one. */
  async function found(request: SearchRequest, wait: Wait): Promise<Part | Overloaded | CursorRefusal> {
    const giveUpAtMs = performance.now() + limits.cursorWaitMs;
    for (;;) {
      const from = follower?.standing.position ?? 0;
      const part = await readers.ask('search', request, wait);
      const leftMs = giveUpAtMs - performance.now();
      if (follower === undefined || !('isAhead' in part) || leftMs <= 0) return part;
      await follower.reached(from + 1, leftMs);
    }
  }

  const submitting = createSubmitting({ submit, observer, log, limits });
  let listings: number | undefined;
  let counting: Promise<void> | undefined;

  async function count(): Promise<void> {
    const counted = await readers.ask('count', undefined, {}).catch(() => OVERLOADED);
    listings = 'code' in counted ? undefined : counted.listings;
    counting = undefined;
  }

  let isClosed = false;
  const read = askKeeperOf(readers, 'keeperRead');

  /** Goes on in the background with what an earlier process did not finish. */
  function openLocalKeeper(): Keeper {
    const local = createLocalKeeper({
      read,
      write: askKeeperOf(writer, 'keeperWrite'),
      limits: KEEPER_LIMITS,
    });
    local.finishBlocks().catch((err: unknown) => {
      if (!isClosed)
        log.error({ err }, 'blocks that were cut off could not be finished: the next start tries again');
    });
    return local;
  }

  const keeper =
    db && follower
      ? createSharedKeeper({
          query: db.query,
          limits: KEEPER_LIMITS,
          index: readsOf(read),
          reached: (position) => follower.reached(position, limits.ownWriteWaitMs),
        })
      : openLocalKeeper();

  async function timed<Answer>(operation: 'list' | 'search', answer: Promise<Answer>): Promise<Answer> {
    const askedAtMs = performance.now();
    try {
      return await answer;
    } finally {
      observer.answered(operation, performance.now() - askedAtMs);
    }
  }

  return {
    keeper,
    submit: submitting.submit,
    state() {
      const [write, read] = [writer.state(), readers.state()];
      return {
        listings,
        waiting: readers === writer ? write.waiting : write.waiting + read.waiting,
        areThreadsUp: write.areThreadsUp && read.areThreadsUp,
        hasFailed: submitting.hasFailed(),
      };
    },
    countListings: () => (counting ??= count()),
    async checkWritable() {
      if (db !== undefined) await checkWritable(db);
      if (follower?.standing.isWhole === false) throw new Error('its index is being filled');
      const answer = await writer.ask('checkWritable', undefined, {});
      if (typeof answer === 'object') throw new Error('too many listings wait to be written');
    },
    async list(request, caller) {
      if (follower?.standing.isWhole === false) return OVERLOADED;
      const part = await timed('list', readers.ask('list', request, waitOf(caller)));
      return 'code' in part ? part : encoded(part, caller);
    },
    async search(request, caller) {
      if (follower?.standing.isWhole === false) return OVERLOADED;
      const part = await timed('search', found(request, waitOf(caller)));
      return 'code' in part ? part : encoded(part, caller);
    },
    async close() {
      isClosed = true;
      await follower?.close();
      // Close the writer last: the last connection that may write leaves everything in the one file.
      if (readers !== writer) await readers.close();
      await writer.close();
    },
  };
}

async function openSharedLog(
  db: Database,
  newListingsPerHour = Infinity,
  limits: CatalogLimits,
): Promise<SharedLog> {
  await migrate(db);
  return createSharedLog(db, newListingsPerHour, limits);
}

async function openReaders(dbPath: string, limits: CatalogLimits): Promise<Pool> {
  const count = Math.max(1, Math.min(limits.maxReaders, availableParallelism() - 1));
  const options = { dbPath, writes: false, atATime: limits.questionsAtATime };
  const threads = Array.from({ length: count }, () => openThread(options, limits));
  return createPool(await Promise.all(threads), limits);
}

/** Asks the threads of a pool what the keeper asks of the store. Rejects if they have no time for it. */
function askKeeperOf(pool: Pool, operation: 'keeperRead' | 'keeperWrite'): AskKeeper {
  return async (method, argument) => {
    const answer = await pool.ask(operation, { method, argument }, {});
    if (answer === OVERLOADED) throw new Error('the catalog is overloaded');
    return answer as never;
  };
}

/** Without a caller, the request comes from this process, which waits for the answer. */
function waitOf(caller: Caller | undefined): Wait {
  return caller === undefined ? {} : { caller: caller.name, gone: caller.gone };
}
