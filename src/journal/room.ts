import type { DatabaseSync } from 'node:sqlite';
import type { JournalLimits } from './limits.ts';

/** Keeps the journal's file within its limits. */
export interface Room {
  /** Counts settlements that finished and listings that were taken in. Makes room when there are enough of them. */
  count(grown: { ended?: number; listingBytes?: number }): void;
}

/**
 * Makes room at once, too: a process that restarts often may never count enough. `keepOthers` keeps events and answers
 * within their limits.
 */
export function createRoom(
  db: DatabaseSync,
  limits: JournalLimits,
  onGivenUp: (listings: number) => void,
  keepOthers: () => void = () => {},
): Room {
  const prune = db.prepare(
    `DELETE FROM entry WHERE id <= (SELECT max(id) FROM entry) - ? AND status IS NOT NULL
       AND NOT (status = 'success' AND listing IS NOT NULL)`,
  );
  // SQLite knows the size of a text without reading it.
  const selectUnlisted = db.prepare(
    `SELECT id, octet_length(listing) AS bytes FROM entry
     WHERE status = 'success' AND listing IS NOT NULL ORDER BY id DESC`,
  );
  const giveUp = db.prepare(
    `UPDATE entry SET listing = NULL, listing_status = 'given up', listed_at = unixepoch() * 1000
     WHERE id <= ? AND status = 'success' AND listing IS NOT NULL`,
  );
  const forgetDays = db.prepare("DELETE FROM fee_total WHERE day < date('now', ?)");
  let ended = 0;
  let listingBytes = 0;

  function makeRoom(): void {
    ended = 0;
    listingBytes = 0;
    const last = newestBeyond(selectUnlisted.iterate() as Iterable<unknown>, limits);
    if (last !== undefined) onGivenUp(Number(giveUp.run(last).changes));
    prune.run(limits.entriesKept);
    forgetDays.run(`-${limits.feeDaysKept} days`);
    keepOthers();
  }

  makeRoom();
  return {
    count(grown) {
      ended += grown.ended ?? 0;
      listingBytes += grown.listingBytes ?? 0;
      if (ended >= limits.pruneEvery || listingBytes >= limits.pruneEveryBytes) makeRoom();
    },
  };
}

/** Returns the id of the newest listing beyond the limits; undefined if there is none. */
function newestBeyond(
  newestFirst: Iterable<unknown>,
  { unlistedKept, unlistedBytes }: JournalLimits,
): number | undefined {
  let kept = 0;
  let keptBytes = 0;
  for (const { id, bytes } of newestFirst as Iterable<{ id: number; bytes: number }>) {
    kept += 1;
    keptBytes += bytes;
    if (kept > unlistedKept || keptBytes > unlistedBytes) return id;
  }
  return undefined;
}
