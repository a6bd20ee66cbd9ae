import { readListingText, type Catalog } from '../catalog/index.ts';
import type { Journal } from '../journal/index.ts';

interface Deps {
  journal: Pick<Journal, 'unlisted' | 'dueListing' | 'listed'>;
  catalog: Pick<Catalog, 'submit'>;
}

/** Pause after the catalog failed, or had no time. */
const AGAIN_AFTER_MS = 10_000;
/**
 * After this many failures in a row the catalog is at fault: the round stops, and the next one begins with the listings
 * after them.
 */
const MAX_FAULTS_IN_A_ROW = 20;
/** Shutdown waits no longer than this for a backlog. */
const CLOSE_WITHIN_MS = 5_000;

/** Writes the listings of settled payments that are still to be written. */
export interface PendingListings {
  /**
   * Writes the listings of payments that settled when nobody waited any more, or just before an earlier process was
   * killed. Changes nothing if a listing was already written, or a later one was. A call during a run makes it look
   * once more.
   */
  list(): Promise<void>;
  /** Calls `list` after a pause, and again as long as the catalog fails. */
  listLater(): void;
  /** Finishes the run under way, within a limit. Leaves the rest to the next start. */
  close(): Promise<void>;
}

export function createPendingListings(deps: Deps): PendingListings {
  let running: Promise<void> | undefined;
  let isAskedFor = false;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let lastTried = '';

  async function run(): Promise<void> {
    while (isAskedFor) {
      isAskedFor = false;
      await listAll();
    }
    const hasMore = !isClosed && (await deps.journal.unlisted()).length > 0;
    running = undefined;
    if (isAskedFor) void pending.list();
    else if (hasMore) pending.listLater();
  }

  async function listAll(): Promise<void> {
    const { journal, catalog } = deps;
    let faults = 0;
    for (const hash of behind(lastTried, await journal.unlisted())) {
      if (isClosed || faults === MAX_FAULTS_IN_A_ROW) return;
      const due = await journal.dueListing(hash);
      if (due === undefined) continue;
      const { listing, ...facts } = due;
      lastTried = hash;
      const outcome = await catalog.submit({ ...readListingText(listing), ...facts, transaction: hash });
      faults = outcome === undefined ? faults + 1 : 0;
      if (outcome !== undefined) journal.listed(hash, outcome.status);
    }
    lastTried = '';
  }

  const pending: PendingListings = {
    list() {
      isAskedFor = !isClosed;
      running ??= run();
      return running;
    },
    listLater() {
      if (isClosed) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void pending.list();
      }, AGAIN_AFTER_MS).unref();
    },
    async close() {
      clearTimeout(timer);
      const late = setTimeout(() => (isClosed = true), CLOSE_WITHIN_MS);
      await running;
      clearTimeout(late);
      isClosed = true;
      clearTimeout(timer);
    },
  };
  return pending;
}

/** Returns all hashes, starting after `hash`. */
function behind(hash: string, hashes: readonly string[]): string[] {
  const at = hashes.indexOf(hash) + 1;
  return [...hashes.slice(at), ...hashes.slice(0, at)];
}
