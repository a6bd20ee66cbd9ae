import { availableParallelism } from 'node:os';
import { IN_MEMORY } from '../store/sqliteFile.ts';
import type { CatalogLimits } from './limits.ts';
import { createPool, type Pool } from './pool.ts';
import type { ThreadOptions } from './protocol.ts';
import type { HybridProgress } from './store.ts';
import { openThread } from './thread.ts';

/** The catalog's threads: one that writes, and at least one that answers lists and searches. */
export interface Pools {
  readonly writer: Pool;
  /** The same as `writer` if the catalog is in memory: only one thread can use that. */
  readonly readers: Pool;
  /** Answers searches: the same as `readers`, or a thread of its own that has the hybrid ranking's index. */
  readonly rankers: Pool;
  state(): ReturnType<Pool['state']>;
  close(): Promise<void>;
}

/** Rejects with UnusableFile if the file cannot be used. */
export async function openPools(
  { model, ...options }: Omit<ThreadOptions, 'writes' | 'atATime'>,
  limits: CatalogLimits,
  onProgress: (progress: HybridProgress) => void,
): Promise<Pools> {
  const opened: Pool[] = [];
  const closeAll = async (): Promise<void> => {
    // Close the writer last: the last connection that may write leaves everything in the one file.
    for (const pool of opened.toReversed()) await pool.close();
  };
  async function open(
    count: number,
    own: Pick<ThreadOptions, 'writes' | 'atATime' | 'model'>,
  ): Promise<Pool> {
    const threads = Array.from({ length: count }, () =>
      openThread({ ...options, ...own }, limits, onProgress),
    );
    const pool = createPool(await Promise.all(threads), limits);
    opened.push(pool);
    return pool;
  }

  const isInMemory = options.dbPath === IN_MEMORY;
  const reads = { writes: false, atATime: limits.questionsAtATime };
  try {
    const writer = await open(1, { writes: true, atATime: 1, model: isInMemory ? model : undefined });
    const readers = isInMemory ? writer : await open(readersFor(limits), reads);
    const rankers = isInMemory || model === undefined ? readers : await open(1, { ...reads, model });
    return { writer, readers, rankers, state: () => stateOf(opened), close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function readersFor({ maxReaders }: CatalogLimits): number {
  return Math.max(1, Math.min(maxReaders, availableParallelism() - 1));
}

function stateOf(pools: readonly Pool[]): ReturnType<Pool['state']> {
  const states = pools.map((pool) => pool.state());
  return {
    waiting: states.reduce((sum, { waiting }) => sum + waiting, 0),
    areThreadsUp: states.every(({ areThreadsUp }) => areThreadsUp),
  };
}
