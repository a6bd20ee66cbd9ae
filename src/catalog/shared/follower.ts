import type { Database } from '../../store/postgres.ts';
import type { CatalogLimits } from '../limits.ts';
import type { CatalogLog } from '../log.ts';
import type { Pool } from '../pool.ts';
import type { Overloaded } from '../queue.ts';
import type { Standing } from '../store.ts';
import { CHANNEL, type SharedLog } from './log.ts';

/** Keeps the index of this instance in step with the shared log. */
export interface Follower {
  readonly standing: Standing;
  /** Resolves once the index has come this far, at the latest after `withinMs`. */
  reached(position: number, withinMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface FollowerDeps {
  shared: SharedLog;
  listener: Database['listener'];
  writer: Pick<Pool, 'ask'>;
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
      if (standing.position >= position) return;
      lookNow();
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => (standing.position >= position ? resolve() : undefined);
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
function createCatchUp(
  { shared, writer, log, limits }: FollowerDeps,
  setStanding: (standing: Standing) => void,
) {
  let isFailing = false;

  return async (from: Standing, isClosed: () => boolean): Promise<number> => {
    let standing = from;
    try {
      for (let isAtEnd = false; !isAtEnd && !isClosed();) {
        const batch = await shared.read(standing.position);
        isAtEnd = batch.end !== undefined;
        if (batch.position === standing.position && standing.isWhole) break;
        standing = await answered<Standing>(writer.ask('apply', batch, {}));
        setStanding(standing);
        if (standing.position !== batch.position) isAtEnd = false;
        if (standing.hasDiverged === true)
          log.error(
            { position: batch.position },
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

/** Throws if the thread had no time. */
async function answered<T extends object>(asked: Promise<T | Overloaded>): Promise<T> {
  const answer = await asked;
  if ('code' in answer) throw new Error('the catalog is overloaded');
  return answer;
}
