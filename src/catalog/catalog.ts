import { availableParallelism } from 'node:os';
import type {
  BazaarOutcome,
  Caller,
  DiscoveryListResponse,
  DiscoverySearchResponse,
  Encoded,
} from '../contract/index.ts';
import { IN_MEMORY } from '../store/sqliteFile.ts';
import { checkExtensionsSize } from './declaration/extension.ts';
import { UNGUARDED_LIMIT_CHARS2 } from './declaration/limits.ts';
import { evaluationCost } from './declaration/schema/cost.ts';
import { ADDRESS_SHOWN_CHARS, MAX_READERS, QUESTIONS_AT_A_TIME, SUBMIT_BUDGET_MS } from './limits.ts';
import type { SettledPayment } from './listing.ts';
import { carriesBazaar } from './listingText.ts';
import type { CatalogLog } from './log.ts';
import type { Part } from './operations.ts';
import { createPool } from './pool.ts';
import type { Pool, Wait } from './pool.ts';
import type { ListRequest, SearchRequest } from './requests.ts';
import { openThread } from './thread.ts';

/** Keeps the resources that were paid for, and answers lists and searches of them. */
export interface Catalog {
  /**
   * Lists the resource of a settled payment. Returns null if there is nothing to tell the seller: nothing was submitted
   * for cataloging, or the catalog failed or did not answer within its budget. Never rejects.
   */
  submit(settled: SettledPayment): Promise<BazaarOutcome | null>;
  /** Returns `overloaded` if there are too many requests to answer this one in time. Rejects if the store fails. */
  list(request: ListRequest, caller?: Caller): Promise<Encoded<DiscoveryListResponse> | 'overloaded'>;
  /** Works like `list`. Returns null if the cursor was not issued for this query and these filters, or has expired. */
  search(
    request: SearchRequest,
    caller?: Caller,
  ): Promise<Encoded<DiscoverySearchResponse> | 'overloaded' | null>;
  close(): Promise<void>;
}

export interface CatalogDeps {
  /** The catalog's file, created if missing. `:memory:` keeps the catalog only while the process lives. */
  readonly dbPath: string;
  readonly log: CatalogLog;
  /** Maximum number of new listings per recipient and hour. Unlimited by default. */
  readonly newListingsPerHour?: number;
  /** Allows listings whose URL names a host that is not on the public internet. True by default. */
  readonly allowsPrivateAddresses?: boolean;
}

/**
 * Opens the catalog in its own threads: one that writes, and at least one that answers lists and searches. A catalog in
 * memory has one thread for everything. Rejects with UnusableFile if the file cannot be used.
 */
export async function openCatalog({ dbPath, log, ...rules }: CatalogDeps): Promise<Catalog> {
  const thread = await openThread({ dbPath, writes: true, atATime: 1, ...rules });
  const writer = createPool([thread]);
  // Only one thread can use a database in memory.
  const readers =
    dbPath === IN_MEMORY
      ? writer
      : await openReaders(dbPath).catch(async (error: unknown) => {
          await writer.close();
          throw error;
        });
  let faults = 0;

  /** Carries on after the settlement stops waiting, unless the declaration is costly and has not been started. */
  async function outcomeOf(
    { extensions = null, refusal: refused, settledAt = new Date(), ...settled }: SettledPayment,
    late: AbortSignal,
  ): Promise<BazaarOutcome | null> {
    const extensionsText = JSON.stringify(extensions);
    const refusal = refused ?? checkExtensionsSize(extensionsText);
    if (refusal !== undefined)
      return { status: 'rejected', rejectedReason: refusal.message, code: refusal.code };
    try {
      const submission = { extensionsText, settledAt, ...settled };
      const outcome = await writer.ask('submit', submission, waitOf(extensions, late));
      if (outcome !== 'overloaded') return outcome;
      if (late.aborted) return null;
      throw new Error('too many declarations wait, or they take too long');
    } catch (err) {
      faults += 1;
      log.error({ err, faults, resource: shownAddress(settled.resource) }, 'cataloging failed');
      return null;
    }
  }

  async function submitAndLog(settled: SettledPayment, late: AbortSignal): Promise<BazaarOutcome | null> {
    const startedAtMs = performance.now();
    const outcome = await outcomeOf(settled, late);
    if (outcome !== null) {
      const { status, code, rejectedReason: reason } = outcome;
      const { payTo } = settled.requirements;
      const durationMs = Math.round(performance.now() - startedAtMs);
      const resource = shownAddress(settled.resource);
      log.info({ status, ...(code && { code, reason }), resource, payTo, durationMs }, 'cataloged');
    }
    return outcome;
  }

  /** Yields the rest of a page. Reads each part only after the previous one has been taken. */
  async function* restOf({ rest }: Part, caller: Caller | undefined): AsyncGenerator<Uint8Array> {
    for (let left = rest; left !== undefined;) {
      const part = await readers.ask('more', left, waitOfCaller(caller));
      if (part === 'overloaded') throw new Error('the catalog is overloaded');
      yield part.json;
      left = part.rest;
    }
  }

  const encoded = <Body>(part: Part, caller: Caller | undefined): Encoded<Body> =>
    part.rest === undefined ? { json: part.json } : { json: part.json, rest: restOf(part, caller) };

  return {
    async submit(settled) {
      if (settled.refusal === undefined && !carriesBazaar(settled.extensions)) return null;
      const late = new AbortController();
      return withinBudget(submitAndLog(settled, late.signal), () => {
        log.warn({ budgetMs: SUBMIT_BUDGET_MS }, 'cataloging takes longer than a settlement waits for it');
        late.abort();
      });
    },
    async list(request, caller) {
      const part = await readers.ask('list', request, waitOfCaller(caller));
      return part === 'overloaded' ? part : encoded(part, caller);
    },
    async search(request, caller) {
      const part = await readers.ask('search', request, waitOfCaller(caller));
      return part === 'overloaded' || part === null ? part : encoded(part, caller);
    },
    async close() {
      // Close the writer last: the last connection that may write leaves everything in the one file.
      if (readers !== writer) await readers.close();
      await writer.close();
    },
  };
}

async function openReaders(dbPath: string): Promise<Pool> {
  const count = Math.max(1, Math.min(MAX_READERS, availableParallelism() - 1));
  return createPool(
    await Promise.all(
      Array.from({ length: count }, () =>
        openThread({ dbPath, writes: false, atATime: QUESTIONS_AT_A_TIME }),
      ),
    ),
  );
}

/** Without a caller, the request comes from this process, which waits for the answer. */
function waitOfCaller(caller: Caller | undefined): Wait {
  return caller === undefined ? {} : { caller: caller.address, gone: caller.gone };
}

/**
 * Cheap declarations are all equal, and are written even if their settlement has stopped waiting. Costly ones come
 * after them, and are not started if their settlement has stopped waiting: they are submitted again later.
 */
function waitOf(extensions: unknown, late: AbortSignal): Wait {
  const { bazaar } = extensions as { bazaar?: { schema?: unknown; info?: unknown } | null };
  const cost = evaluationCost(bazaar?.schema, bazaar?.info);
  return cost <= UNGUARDED_LIMIT_CHARS2 ? {} : { cost, gone: late };
}

/** Returns null if the outcome does not come in time. */
async function withinBudget<T>(outcome: Promise<T>, onLate: () => void): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  let isSettled = false;
  const timer = setTimeout(() => {
    // If this thread was blocked, the answer may have arrived without being read: read it first.
    setImmediate(() => {
      if (!isSettled) onLate();
      resolve(null);
    });
  }, SUBMIT_BUDGET_MS);
  try {
    return await Promise.race([outcome, late]);
  } finally {
    isSettled = true;
    clearTimeout(timer);
  }
}

/** Returns the resource's address for the log: without query and credentials, and shortened. */
function shownAddress(resource: unknown): string | undefined {
  const { url } = (resource ?? {}) as { url?: unknown };
  const address = typeof url === 'string' ? URL.parse(url) : null;
  return address === null ? undefined : `${address.origin}${address.pathname}`.slice(0, ADDRESS_SHOWN_CHARS);
}
