import { answered, type Pool } from '../pool.ts';
import type { ListingBatch } from '../store.ts';
import type { SharedLog } from './log.ts';

interface Ahead {
  readonly after: number;
  readonly batch: Promise<ListingBatch>;
  readonly prepared: Promise<Uint8Array>;
}

/**
 * Returns a function that reads what follows a listing, and has a reading thread prepare it for the index. While that is
 * being done and written, it already reads and prepares what comes next. So it has at most two batches in memory.
 */
export function createListings({ shared, readers }: { shared: SharedLog; readers: Pick<Pool, 'ask'> }) {
  let ahead: Ahead | undefined;

  function begin(after: number): Ahead {
    const batch = shared.readListings(after);
    const prepared = batch.then((read) => answered(readers.ask('prepare', read, {})));
    // If it fails, it does so for the step that needs it.
    prepared.catch(() => {});
    return { after, batch, prepared };
  }

  return async (after: number): Promise<Uint8Array> => {
    const { batch, prepared } = ahead?.after === after ? ahead : begin(after);
    ahead = undefined;
    const { to, isLast } = await batch;
    if (!isLast) ahead = begin(to);
    return prepared;
  };
}
