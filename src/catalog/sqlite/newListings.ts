import type { DatabaseSync } from 'node:sqlite';

/** Counts each owner's new listings within an hour. The count is in the database, for all processes that use it. */
export interface NewListings {
  /** True if the owner has made as many listings as it may in the hour before `settledAt`. */
  isFull(owner: string, settledAt: Date): boolean;
  add(listing: number, owner: string, settledAt: Date): void;
}

const HOUR_SECONDS = 3_600;

export function createNewListings(db: DatabaseSync, perHour: number): NewListings {
  const count = db.prepare('SELECT count(*) AS n FROM new_listing WHERE owner = ? AND made_at > ?');
  const insert = db.prepare('INSERT INTO new_listing (id, owner, made_at) VALUES (?, ?, ?)');
  // Entries in the future come from a wrong clock. They would count for too long.
  const forget = db.prepare('DELETE FROM new_listing WHERE made_at <= ? OR made_at > ?');
  const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1000);

  return {
    isFull(owner, settledAt) {
      if (perHour === Infinity) return false;
      const { n } = count.get(owner, secondsOf(settledAt) - HOUR_SECONDS) as { n: number };
      return n >= perHour;
    },
    add(listing, owner, settledAt) {
      if (perHour === Infinity) return;
      const seconds = secondsOf(settledAt);
      // Use this machine's clock if it is later: a listing that comes late must not put others in the future.
      const present = Math.max(seconds, secondsOf(new Date()));
      forget.run(seconds - HOUR_SECONDS, present + HOUR_SECONDS);
      insert.run(listing, owner, seconds);
    },
  };
}
