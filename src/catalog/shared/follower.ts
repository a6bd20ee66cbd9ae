import type { Database } from '../../store/postgres.ts';
import type { CatalogLimits } from '../limits.ts';
import type { CatalogLog } from '../log.ts';
import { answered, type Pool } from '../pool.ts';
import type { Standing } from '../store.ts';
import { createListings } from './listings.ts';

import { CHANNEL, type SharedLog } from './log.ts';

/** Keeps the index of this instance in step with the shared log. */
export interface Follower {
  readonly standing: Standing;
  /** Resolves once the index is whole and has come this far, at the latest after `withinMs`. */
  reached(position: number, withinMs: number): Promise<void>;
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
  const { listener, writer } = deps;
  let standing = await answered<Standing>(writer.ask('standing', undefined, {}));
  let wake = Promise.withResolvers<void>();
  let isClosed = false;
  const waiting = new Set<() => void>();

  function setStanding(now: Standing): void {
    standing = now;
    for (const look of [...waiting]) look();
  }

  async function follow(): Promise<void> {
    const catchUp = createCatchUp(deps, setStanding);
    while (!isClosed) {
      wake = Promise.withResolvers();
      const woken = wake.promise;
      const pauseMs = await catchUp(standing, () => isClosed);
      const timer = setTimeout(lookNow, pauseMs).unref();
      await woken;
      clearTimeout(timer);
    }
  }

  const lookNow = (): void => wake.resolve();
  listener.on(CHANNEL, (position) => {
    if (position === undefined || Number(position) > standing.position) lookNow();
  });
  const following = follow();

  return {
    get standing() {
      return standing;
    },
    async reached(position, withinMs) {
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
    },
    async close() {
      isClosed = true;
      lookNow();
      await following;
    },
  };
}

/** Returns a function that applies batches up to the end of the log. It returns how long to wait before the next look. */
function createCatchUp(deps: FollowerDeps, setStanding: (standing: Standing) => void) {
  const { shared, writer, log, limits } = deps;
  const listings = createListings(deps);
  let isFailing = false;

  /** Takes one step towards the end of the log. `isAtEnd` if nothing was left to do when it was read. */
  async function step({ filling, position, isWhole }: Standing): Promise<Standing & { isAtEnd?: boolean }> {
    if (filling?.isFull === true) return answered(writer.ask('writeFill', undefined, {}));
    if (filling !== undefined) return answered(writer.ask('fill', await listings(filling.filledTo), {}));
    const batch = await shared.read(position);
    if (batch.position === position && isWhole) return { position, isWhole, isAtEnd: true };
    const standing = await answered<Standing>(writer.ask('apply', batch, {}));
    return { ...standing, isAtEnd: batch.end !== undefined && standing.position === batch.position };
  }

  return async (from: Standing, isClosed: () => boolean): Promise<number> => {
    try {
      for (let [standing, isAtEnd] = [from, false]; !isAtEnd && !isClosed();) {
        ({ isAtEnd = false, ...standing } = await step(standing));
        setStanding(standing);
        if (standing.hasDiverged === true)
          log.error(
            { position: standing.position },
            'the index of the catalog is not what the database says: it is built again',
          );
      }
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
