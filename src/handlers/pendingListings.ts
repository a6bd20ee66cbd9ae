import { readListingText } from '../catalog/index.ts';
import type { Catalog } from '../catalog/index.ts';
import type { Journal } from '../journal/index.ts';

interface Deps {
  journal: Pick<Journal, 'unlisted' | 'dueListing' | 'listed'>;
  catalog: Pick<Catalog, 'submit'>;
}

/** How long a catalog that failed, or had no time, is left alone. */
const AGAIN_AFTER_MS = 10_000;
/** After so many failures in a row the catalog itself is at fault: the round ends, and the next one begins behind them. */
const MAX_FAULTS_IN_A_ROW = 20;
/** A backlog that takes longer does not hold up the end of the process. */
const CLOSE_WITHIN_MS = 5_000;

/** The listings of settled payments that are still to be written. */
export interface PendingListings {
  /**
   * Writes those of what settled while nobody waited for it, or just before an earlier process was killed. Where one
   * was written all the same, or something later was, nothing changes. Asked for while it is at it, it looks once more.
   */
  list(): Promise<void>;
  /** After a while, and again for as long as the catalog fails. */
  listLater(): void;
  /** Ends what is under way, within a limit; the rest is left to the next start. */
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
    running = undefined;
    if (!isClosed && deps.journal.unlisted().length > 0) pending.listLater();
  }

  async function listAll(): Promise<void> {
    const { journal, catalog } = deps;
    let faults = 0;
    for (const hash of behind(lastTried, journal.unlisted())) {
      if (isClosed || faults === MAX_FAULTS_IN_A_ROW) return;
      const due = journal.dueListing(hash);
      if (due === undefined) continue;
      const { listing, ...facts } = due;
      lastTried = hash;
      const outcome = await catalog.submit({ ...readListingText(listing), ...facts });
      faults = outcome === null ? faults + 1 : 0;
      if (outcome !== null) journal.listed(hash);
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

/** All hashes in turn: those behind `hash` first. */
function behind(hash: string, hashes: readonly string[]): string[] {
  const at = hashes.indexOf(hash) + 1;
  return [...hashes.slice(at), ...hashes.slice(0, at)];
}
