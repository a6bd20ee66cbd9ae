import type { Database } from '../../store/postgres.ts';
import type { CatalogLimits } from '../limits.ts';
import type { CatalogLog } from '../log.ts';
import { answered, type Pool } from '../pool.ts';
import type { LogBatch, Standing } from '../store.ts';
import { createListings } from './listings.ts';
import { CHANNEL, type SharedLog } from './log.ts';
import { createProgress, type Progress } from './progress.ts';

/** Keeps the index of this instance in step with the shared log. */
export interface Follower {
  readonly standing: Standing;
  /** Resolves once the index is whole and has come this far, at the latest after `withinMs`. */
  reached(position: number, withinMs: number): Promise<void>;
  /** Applies a write of this instance, or reads on until it is there. Waits at most `withinMs`. */
  written(batch: LogBatch, withinMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface FollowerDeps {
  shared: SharedLog;
  listener: Database['listener'];
  writer: Pick<Pool, 'ask'>;
  readers: Pick<Pool, 'ask'>;
  log: CatalogLog;
  limits: CatalogLimits;
}

/** Reads on after each notice of a write, and from time to time: a notice may be missed. */
export async function createFollower(deps: FollowerDeps): Promise<Follower> {
  const { listener, writer, log, limits } = deps;
  const progress = createProgress(await answered<Standing>(writer.ask('standing', undefined, {})), log);
  let wake = Promise.withResolvers<void>();
  let isClosed = false;

  async function follow(): Promise<void> {
    const catchUp = createCatchUp(deps, progress);
    while (!isClosed) {
      wake = Promise.withResolvers();
      const woken = wake.promise;
      const pauseMs = await catchUp(() => isClosed);
      const timer = setTimeout(lookNow, pauseMs).unref();
      await woken;
      clearTimeout(timer);
    }
  }

  /** The other loop may have applied it meanwhile: then it changes nothing. */
  async function apply(batch: LogBatch): Promise<void> {
    progress.set(await answered<Standing>(writer.ask('apply', batch, {})));
  }

  const lookNow = (): void => wake.resolve();
  listener.on(CHANNEL, (position) => {
    if (position === undefined) return lookNow();
    // Other writes may follow, and a write of this instance is applied without being read.
    const look = (): void => (Number(position) > progress.standing.position ? lookNow() : undefined);
    setTimeout(look, limits.noticeWaitMs).unref();
  });
  const following = follow();

  async function reached(position: number, withinMs: number): Promise<void> {
    if (progress.isAt(position)) return;
    lookNow();
    await progress.reached(position, withinMs);
  }

  return {
    get standing() {
      return progress.standing;
    },
    reached,
    async written(batch, withinMs) {
      if (!progress.standing.isWhole) return;
      if (progress.standing.position === batch.after) await apply(batch).catch(() => {});
      await reached(batch.position, withinMs);
    },
    async close() {
      isClosed = true;
      lookNow();
      await following;
    },
  };
}

/** Returns a function that applies batches up to the end of the log. It returns how long to wait before the next look. */
function createCatchUp(deps: FollowerDeps, progress: Progress) {
  const { shared, writer, log, limits } = deps;
  const listings = createListings(deps);
  let isFailing = false;

  /** Takes one step towards the end of the log. Returns true if it was reached when it was read. */
  async function step({ filling, position, isWhole }: Standing): Promise<boolean> {
    if (filling !== undefined) {
      const filled = filling.isFull
        ? writer.ask('writeFill', undefined, {})
        : writer.ask('fill', await listings(filling.filledTo), {});
      progress.set(await answered<Standing>(filled));
      return false;
    }
    const batch = await shared.read(position);
    if (batch.position === position && isWhole) return true;
    progress.set(await answered<Standing>(writer.ask('apply', batch, {})));
    return batch.end !== undefined && progress.standing.position >= batch.position;
  }

  return async (isClosed: () => boolean): Promise<number> => {
    try {
      for (let isAtEnd = false; !isAtEnd && !isClosed();) isAtEnd = await step(progress.standing);
      isFailing = false;
      return limits.logPollMs;
    } catch (err) {
      if (!isFailing)
        log.warn({ err }, 'the index of the catalog falls behind: the database does not answer');
      isFailing = true;
      return limits.logRetryMs;
    }
  };
}
