import { availableParallelism } from 'node:os';
import type {
  BazaarOutcome,
  DiscoveryListResponse,
  DiscoverySearchResponse,
  Encoded,
} from '../contract/index.ts';
import { IN_MEMORY } from './databaseFile.ts';
import { checkExtensionsSize } from './declaration/extension.ts';
import { ADDRESS_SHOWN_CHARS, MAX_READERS, SUBMIT_BUDGET_MS } from './limits.ts';
import type { SettledPayment } from './listing.ts';
import { carriesBazaar } from './listingText.ts';
import type { CatalogLog } from './log.ts';
import type { ListRequest, SearchRequest } from './requests.ts';
import { openThread } from './thread.ts';
import type { Thread } from './thread.ts';

/** The catalog of what was paid for (specification 2.6 to 2.8, 4.4 to 4.6). */
export interface Catalog {
  /**
   * Lists the resource of a settled payment. Null where there is nothing to say to the seller: nothing was submitted
   * for cataloging, or the catalog failed or did not answer within its budget. Never rejects.
   */
  submit(settled: SettledPayment): Promise<BazaarOutcome | null>;
  /** Rejects when the store fails. */
  list(request: ListRequest): Promise<Encoded<DiscoveryListResponse>>;
  /** Null for a cursor that was not issued for this query and these filters. Rejects when the store fails. */
  search(request: SearchRequest): Promise<Encoded<DiscoverySearchResponse> | null>;
  close(): Promise<void>;
}

export interface CatalogDeps {
  /** The file of the catalog, made if there is none; `:memory:` keeps it for as long as the process lives. */
  readonly dbPath: string;
  readonly log: CatalogLog;
  /** How many new listings one recipient may make in an hour; any number unless told. */
  readonly newListingsPerHour?: number;
  /** Whether a listing's URL may name a host that is not of the public internet; so it may unless told. */
  readonly allowsPrivateAddresses?: boolean;
}

/**
 * Opens the catalog in threads of its own: one that writes, and where there are processors for them some that answer
 * lists and searches. Rejects with UnusableDatabase where the file cannot be used.
 */
export async function openCatalog({ dbPath, log, ...rules }: CatalogDeps): Promise<Catalog> {
  const writer = await openThread({ dbPath, writes: true, ...rules });
  // A database in memory belongs to one thread.
  const readers =
    dbPath === IN_MEMORY
      ? [writer]
      : await openReaders(dbPath).catch(async (error: unknown) => {
          await writer.close();
          throw error;
        });
  let turn = 0;
  const reader = (): Thread => readers[(turn = (turn + 1) % readers.length)]!;
  let faults = 0;

  /** Goes on when nobody waits for it any more. */
  async function outcomeOf(
    extensionsText: string,
    { resource, requirements, settledAt = new Date(), closedAtSeconds, ...settled }: SettledPayment,
  ): Promise<BazaarOutcome | null> {
    const refusal = settled.refusal ?? checkExtensionsSize(extensionsText);
    if (refusal !== undefined)
      return { status: 'rejected', rejectedReason: refusal.message, code: refusal.code };
    try {
      const submission = { extensionsText, resource, requirements, settledAt, closedAtSeconds };
      return await writer.ask('submit', submission);
    } catch (err) {
      faults += 1;
      log.error({ err, faults, resource: shownAddress(resource) }, 'cataloging failed');
      return null;
    }
  }

  async function submitAndLog(settled: SettledPayment): Promise<BazaarOutcome | null> {
    const startedAtMs = performance.now();
    const outcome = await outcomeOf(JSON.stringify(settled.extensions ?? null), settled);
    if (outcome !== null) {
      const { status, code, rejectedReason: reason } = outcome;
      const { payTo } = settled.requirements;
      const durationMs = Math.round(performance.now() - startedAtMs);
      const resource = shownAddress(settled.resource);
      log.info({ status, ...(code && { code, reason }), resource, payTo, durationMs }, 'cataloged');
    }
    return outcome;
  }

  return {
    async submit(settled) {
      if (settled.refusal === undefined && !carriesBazaar(settled.extensions)) return null;
      return withinBudget(submitAndLog(settled), () =>
        log.warn({ budgetMs: SUBMIT_BUDGET_MS }, 'cataloging takes longer than a settlement waits for it'),
      );
    },
    list: async (request) => ({ json: await reader().ask('list', request) }),
    async search(request) {
      const json = await reader().ask('search', request);
      return json && { json };
    },
    async close() {
      // The writer last: whoever closes last and may write leaves everything in the one file.
      await Promise.all(readers.filter((thread) => thread !== writer).map((thread) => thread.close()));
      await writer.close();
    },
  };
}

function openReaders(dbPath: string): Promise<Thread[]> {
  const count = Math.max(1, Math.min(MAX_READERS, availableParallelism() - 1));
  return Promise.all(Array.from({ length: count }, () => openThread({ dbPath, writes: false })));
}

/** Null where the outcome does not come in time. */
async function withinBudget<T>(outcome: Promise<T>, onLate: () => void): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  let isSettled = false;
  const timer = setTimeout(() => {
    // Where this thread was held up, the answer may lie here unread: read it first.
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
