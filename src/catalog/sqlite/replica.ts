import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../store/sqliteFile.ts';
import type { FillLimits } from '../limits.ts';
import type { LogBatch, Standing } from '../store.ts';
import { createFillSteps } from './fillSteps.ts';
import { createListingWriter, type ListingWriter } from './listingWriter.ts';
import { createLogEntries, type LogEntries } from './logEntries.ts';
import type { PreparedListings } from './preparedListings.ts';
import { createReplicaState, empty, type Replica, type ReplicaState } from './replicaState.ts';

/** Brings the index in step with the shared log. What it holds follows from the log alone. */
export function createReplica(db: DatabaseSync, fillLimits: FillLimits) {
  const writer = createListingWriter(db);
  const entries = createLogEntries(db, writer);
  const replica = createReplicaState(db);
  const filling = createFillSteps({ db, writer, replica, limits: fillLimits });

  function standing(): Standing {
    const { position, state } = replica.read();
    const isNew = state === 'new';
    return { position, isWhole: state === 'whole', filling: isNew ? filling.progress() : undefined };
  }

  function startAgain(): void {
    writer.discard();
    filling.end();
    empty(db);
  }

  /** Starts again if the index holds something else than the log, or what is in memory is no longer what the file has. */
  function change(work: () => Standing): Standing {
    try {
      return work();
    } catch (error) {
      writer.discard();
      if (!isConstraint(error) && !filling.isUnderWay) throw error;
      if (db.isTransaction) db.exec('ROLLBACK');
      transaction(db, 'BEGIN IMMEDIATE', startAgain);
      if (!isConstraint(error)) throw error;
      return { ...standing(), hasDiverged: true };
    }
  }

  /** Takes a step of the fill, if that is not over. */
  function step(work: () => void): Standing {
    return change(() => {
      if (replica.read().state === 'new') work();
      return standing();
    });
  }

  function applied(batch: LogBatch): Standing {
    const before = replica.read();
    if (before.state === 'new' || before.position !== batch.after) return standing();
    const isSame = batch.position >= before.position && enterAll({ writer, entries, replica }, batch, before);
    if (isSame) return standing();
    if (before.state !== 'filled' || batch.position < before.position) startAgain();
    return { ...standing(), hasDiverged: true };
  }

  return {
    standing,
    fill: (listings: PreparedListings): Standing => step(() => filling.enter(listings)),
    writeFill: (): Standing => step(filling.write),
    apply(batch: LogBatch): Standing {
      if (filling.isUnderWay) return standing();
      return change(() => transaction(db, 'BEGIN IMMEDIATE', () => applied(batch)));
    },
  };
}

/** Enters a batch, and how far the index is then. Returns false if the index is not what the log says. */
function enterAll(
  { writer, entries, replica }: { writer: ListingWriter; entries: LogEntries; replica: Replica },
  batch: LogBatch,
  before: ReplicaState,
): boolean {
  const { position, end } = batch;
  const state = writer.state();
  const checksum = String(BigInt(before.checksum) ^ entries.enter(batch, state));
  // The log no longer has the wordings of listings that were removed, and with them the clock's latest steps.
  const isSame =
    end === undefined ||
    (checksum === end.checksum && state.listings === end.listings && state.clock <= end.clock);
  // If it was just filled from empty, nothing but the log can be wrong: a further try would end the same.
  if (!isSame && before.state !== 'filled') return false;
  writer.flush({ ...state, ...(end && { listings: end.listings, clock: end.clock }) });
  const unfinished = before.state === 'filled' ? 'filled' : 'behind';
  replica.write({
    position,
    state: end === undefined ? unfinished : 'whole',
    checksum: end?.checksum ?? checksum,
  });
  return isSame;
}

const CONSTRAINT = 19;

/** Two listings with one id or one name: the index holds something else than the log. */
function isConstraint(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && (errcode & 0xff) === CONSTRAINT;
}
