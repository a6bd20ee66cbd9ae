import type { Database } from '../../store/postgres.ts';
import type { CatalogLimits } from '../limits.ts';
import type { CatalogLog } from '../log.ts';
import { answered, type Pool } from '../pool.ts';
import type { LogBatch, Standing } from '../store.ts';
import { createListings } from './listings.ts';
import { CHANNEL, type SharedLog } from './log.ts';

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

const DIVERGED = 'the index of the catalog is not what the database says: it is built again';

/** Reads on after each notice of a write, and from time to time: a notice may be missed. */
export async function createFollower(deps: FollowerDeps): Promise<Follower> {
  const { listener, writer, log, limits } = deps;
  let standing = await answered<Standing>(writer.ask('standing', undefined, {}));
  let wake = Promise.withResolvers<void>();
  let isClosed = false;
  const waiting = new Set<() => void>();

  function setStanding(now: Standing): void {
    standing = now;
    if (now.hasDiverged === true) log.error({ position: now.position }, DIVERGED);
    for (const look of [...waiting]) look();
  }

  async function follow(): Promise<void> {
    const catchUp = createCatchUp(deps, () => standing, setStanding);
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
    setStanding(await answered<Standing>(writer.ask('apply', batch, {})));
  }

  const lookNow = (): void => wake.resolve();
  listener.on(CHANNEL, (position) => {
    if (position === undefined) return lookNow();
    // Other writes may follow, and a write of this instance is applied without being read.
    const look = (): void => (Number(position) > standing.position ? lookNow() : undefined);
    setTimeout(look, limits.noticeWaitMs).unref();
  });
  const following = follow();

  async function reached(position: number, withinMs: number): Promise<void> {
    const isThere = (): boolean => standing.isWhole && standing.position >= position;
    if (isThere()) return;
    lookNow();
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => (isThere() ? resolve() : undefined);
    const timer = setTimeout(resolve, withinMs);
    waiting.add(look);
    await promise;
    clearTimeout(timer);
    waiting.delete(look);
  }

  return {
    get standing() {
      return standing;
    },
    reached,
    async written(batch, withinMs) {
      if (!standing.isWhole) return;
      if (standing.position === batch.after) await apply(batch).catch(() => {});
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
function createCatchUp(deps: FollowerDeps, standing: () => Standing, setStanding: (now: Standing) => void) {
  const { shared, writer, log, limits } = deps;
  const listings = createListings(deps);
  let isFailing = false;

  /** Takes one step towards the end of the log. Returns true if it was reached when it was read. */
  async function step({ filling, position, isWhole }: Standing): Promise<boolean> {
    if (filling !== undefined) {
      const filled = filling.isFull
        ? writer.ask('writeFill', undefined, {})
        : writer.ask('fill', await listings(filling.filledTo), {});
      setStanding(await answered<Standing>(filled));
      return false;
    }
    const batch = await shared.read(position);
    if (batch.position === position && isWhole) return true;
    setStanding(await answered<Standing>(writer.ask('apply', batch, {})));
    return batch.end !== undefined && standing().position >= batch.position;
  }

  return async (isClosed: () => boolean): Promise<number> => {
    try {
      for (let isAtEnd = false; !isAtEnd && !isClosed();) isAtEnd = await step(standing());
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
