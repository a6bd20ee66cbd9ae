import type { CatalogLog } from '../log.ts';
import type { Standing } from '../store.ts';

/** Tells how far the index is, and wakes those that wait for it. */
export interface Progress {
  readonly standing: Standing;
  set(now: Standing): void;
  /** True if the index is whole and has come this far. */
  isAt(position: number): boolean;
  /** Resolves once the index is whole and has come this far, at the latest after `withinMs`. */
  reached(position: number, withinMs: number): Promise<void>;
}

const DIVERGED = 'the index of the catalog is not what the database says: it is built again';

export function createProgress(first: Standing, log: Pick<CatalogLog, 'error'>): Progress {
  let standing = first;
  const waiting = new Set<() => void>();
  const isAt = (position: number): boolean => standing.isWhole && standing.position >= position;

  return {
    get standing() {
      return standing;
    },
    set(now) {
      standing = now;
      if (now.hasDiverged === true) log.error({ position: now.position }, DIVERGED);
      for (const look of [...waiting]) look();
    },
    isAt,
    async reached(position, withinMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => (isAt(position) ? resolve() : undefined);
      const timer = setTimeout(resolve, withinMs);
      waiting.add(look);
      await promise;
      clearTimeout(timer);
      waiting.delete(look);
    },
  };
}
