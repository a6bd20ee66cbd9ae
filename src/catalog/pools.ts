import { availableParallelism } from 'node:os';
import { IN_MEMORY } from '../store/sqliteFile.ts';
import type { CatalogLimits } from './limits.ts';
import { createPool, type Pool } from './pool.ts';
import type { ThreadOptions } from './protocol.ts';
import { openThread } from './thread.ts';

/** The catalog's threads: one that writes, and at least one that answers lists and searches. */
export interface Pools {
  readonly writer: Pool;
  /** The same as `writer` if the catalog is in memory: only one thread can use that. */
  readonly readers: Pool;
  state(): ReturnType<Pool['state']>;
  close(): Promise<void>;
}

/** Rejects with UnusableFile if the file cannot be used. */
export async function openPools(
  options: Omit<ThreadOptions, 'writes' | 'atATime'>,
  limits: CatalogLimits,
): Promise<Pools> {
  const { dbPath } = options;
  const thread = await openThread({ ...options, writes: true, atATime: 1 }, limits);
  const writer = createPool([thread], limits);
  const readers =
    dbPath === IN_MEMORY
      ? writer
      : await openReaders(dbPath, limits).catch(async (error: unknown) => {
          await writer.close();
          throw error;
        });

  return {
    writer,
    readers,
    state() {
      const [write, read] = [writer.state(), readers.state()];
      return {
        waiting: readers === writer ? write.waiting : write.waiting + read.waiting,
        areThreadsUp: write.areThreadsUp && read.areThreadsUp,
      };
    },
    async close() {
      // Close the writer last: the last connection that may write leaves everything in the one file.
      if (readers !== writer) await readers.close();
      await writer.close();
    },
  };
}

async function openReaders(dbPath: string, limits: CatalogLimits): Promise<Pool> {
  const count = Math.max(1, Math.min(limits.maxReaders, availableParallelism() - 1));
  const options = { dbPath, writes: false, atATime: limits.questionsAtATime };
  const threads = Array.from({ length: count }, () => openThread(options, limits));
  return createPool(await Promise.all(threads), limits);
}
