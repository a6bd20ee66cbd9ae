import { answered, type Pool } from '../pool.ts';
import type { PreparedListings } from '../sqlite/preparedListings.ts';
import type { ListingBatch } from '../store.ts';
import type { SharedLog } from './log.ts';

interface Ahead {
  readonly after: number;
  readonly prepared: Promise<PreparedListings>;
  /** Undefined until it is read. */
  batch?: ListingBatch;
}

/** One is prepared while the next is read. */
const BATCHES_AHEAD = 2;

/**
 * Returns a function that reads what follows a listing, and has a reading thread prepare it for the index. While that is
 * written, it already reads and prepares what comes next: it has at most three batches in memory.
 */
export function createListings({ shared, readers }: { shared: SharedLog; readers: Pick<Pool, 'ask'> }) {
  let ahead: Ahead[] = [];

  function begin(after: number): Ahead {
    const prepared = shared.readListings(after).then((batch) => {
      begun.batch = batch;
      goAhead();
      return answered(readers.ask('prepare', batch, {}));
    });
    // If it fails, it does so for the step that needs it.
    prepared.catch(() => {});
    const begun: Ahead = { after, prepared };
    return begun;
  }

  function goAhead(): void {
    const batch = ahead.at(-1)?.batch;
    if (batch !== undefined && !batch.isLast && ahead.length < BATCHES_AHEAD) ahead.push(begin(batch.to));
  }

  return async (after: number): Promise<PreparedListings> => {
    if (ahead[0]?.after !== after) ahead = [begin(after)];
    const next = ahead[0]!;
    try {
      return await next.prepared;
    } finally {
      // Whatever failed is asked for again.
      if (ahead[0] === next) ahead.shift();
      goAhead();
    }
  };
}
