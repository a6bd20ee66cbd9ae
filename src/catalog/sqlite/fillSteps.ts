import type { DatabaseSync } from 'node:sqlite';
import { PAGE_CACHE_KIB, type FillLimits } from '../limits.ts';
import type { Standing } from '../store.ts';
import type { ListingWriter } from './listingWriter.ts';
import type { PreparedListings } from './preparedListings.ts';
import { createReplicaFill, type ReplicaFill } from './replicaFill.ts';
import type { Replica } from './replicaState.ts';

/** Fills the index in steps. Several are one transaction: if a later one fails, the fill begins again anyway. */
export interface FillSteps {
  /** True from the first step to the last. */
  readonly isUnderWay: boolean;
  progress(): NonNullable<Standing['filling']>;
  /** Enters listings, if they are the next ones and there is room for them. */
  enter(listings: PreparedListings): void;
  /** Writes some of what is gathered, if that comes next. */
  write(): void;
  /** Forgets what is in memory. */
  end(): void;
}

interface FillStepsDeps {
  db: DatabaseSync;
  writer: ListingWriter;
  replica: Replica;
  limits: FillLimits;
}

export function createFillSteps({ db, writer, replica, limits }: FillStepsDeps): FillSteps {
  let fill: ReplicaFill | undefined;
  /** Steps in the transaction under way. */
  let steps = 0;

  function begin(): ReplicaFill {
    db.exec(`PRAGMA cache_size = -${limits.pageCacheKib}`);
    return createReplicaFill(db, writer, limits);
  }

  function end(): void {
    if (fill === undefined) return;
    fill = undefined;
    db.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}; PRAGMA shrink_memory`);
  }

  function step(work: (fill: ReplicaFill) => void): void {
    fill ??= begin();
    if (!db.isTransaction) {
      db.exec('BEGIN IMMEDIATE');
      steps = 0;
    }
    work(fill);
    const { isDone, position, checksum } = fill;
    if (isDone) replica.write({ position, state: 'filled', checksum: String(checksum) });
    if (isDone || (steps += 1) >= limits.stepsPerCommit) db.exec('COMMIT');
    if (!isDone) return;
    end();
    // Otherwise one of the first writes would wait for it.
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  return {
    get isUnderWay() {
      return fill !== undefined;
    },
    progress: () => ({ filledTo: fill?.to ?? 0, isFull: fill?.isFull ?? false }),
    enter: (listings) =>
      step((fill) => {
        if (listings.after === fill.to && !fill.isFull) fill.enter(listings);
      }),
    write: () =>
      step((fill) => {
        if (fill.isFull) fill.write();
      }),
    end,
  };
}
