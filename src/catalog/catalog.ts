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

/** The catalog of what was paid for (specification 2.6 to 2.8, 4.4 to 4.6). */
export interface Catalog {
  /**
   * Lists the resource of a settled payment. Null where there is nothing to say to the seller: nothing was submitted
   * for cataloging, or the catalog failed or did not answer within its budget. Never rejects.
   */
  submit(settled: SettledPayment): Promise<BazaarOutcome | null>;
  /** `overloaded` if more is asked than can be answered in time. Rejects when the store fails. */
  list(request: ListRequest, caller?: Caller): Promise<Encoded<DiscoveryListResponse> | 'overloaded'>;
  /** The same, and null for a cursor that was not issued for this query and these filters. */
  search(
    request: SearchRequest,
    caller?: Caller,
  ): Promise<Encoded<DiscoverySearchResponse> | 'overloaded' | null>;
  close(): Promise<void>;
}

export interface CatalogDeps {
  /** The file of the catalog, made if there is none; `:memory:` keeps it for as long as the process lives. */
  readonly dbPath: string;
  readonly log: CatalogLog;
  /** How many new listings one recipient may make in an hour; any number unless given. */
  readonly newListingsPerHour?: number;
  /** A listing's URL may name a host that is not on the public internet. True unless given. */
  readonly allowsPrivateAddresses?: boolean;
}

/**
 * Opens the catalog in threads of its own: one that writes, and where there are processors for them some that answer
 * lists and searches. Rejects with UnusableFile where the file cannot be used.
 */
export async function openCatalog({ dbPath, log, ...rules }: CatalogDeps): Promise<Catalog> {
  const thread = await openThread({ dbPath, writes: true, atATime: 1, ...rules });
  const writer = createPool([thread]);
  // A database in memory belongs to one thread.
  const readers =
    dbPath === IN_MEMORY
      ? writer
      : await openReaders(dbPath).catch(async (error: unknown) => {
          await writer.close();
          throw error;
        });
  let faults = 0;

  /** Goes on even if nobody waits for it any more, unless it may take long. */
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

  /** The rest of a page: it makes each part when the one before was taken. */
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
      // The writer last: whoever closes last and may write leaves everything in the one file.
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

/** If there is no caller, this process asks, and waits for the answer. */
function waitOfCaller(caller: Caller | undefined): Wait {
  return caller === undefined ? {} : { caller: caller.address, gone: caller.gone };
}

/**
 * Cheap declarations are equal, and are written even if their settlement waits no longer. Those that may take long come
 * after them, and are not begun if their settlement waits no longer: they are then submitted again.
 */
function waitOf(extensions: unknown, late: AbortSignal): Wait {
  const { bazaar } = extensions as { bazaar?: { schema?: unknown; info?: unknown } | null };
  const cost = evaluationCost(bazaar?.schema, bazaar?.info);
  return cost <= UNGUARDED_LIMIT_CHARS2 ? {} : { cost, gone: late };
}

/** Null where the outcome does not come in time. */
async function withinBudget<T>(outcome: Promise<T>, onLate: () => void): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  let isSettled = false;
  const timer = setTimeout(() => {
    // If this thread was held up, the answer may be here unread: read it first.
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

/** For the log: without query and credentials, and cut to a length that it can take. */
function shownAddress(resource: unknown): string | undefined {
  const { url } = (resource ?? {}) as { url?: unknown };
  const address = typeof url === 'string' ? URL.parse(url) : null;
  return address === null ? undefined : `${address.origin}${address.pathname}`.slice(0, ADDRESS_SHOWN_CHARS);
}
