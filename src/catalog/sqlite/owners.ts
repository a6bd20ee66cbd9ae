import type { DatabaseSync } from 'node:sqlite';
import { beginningsOf, recipientKey } from '../keeper/target.ts';

const LAST_CHARACTER = '\u{10ffff}';

/** Returns a function that returns the owners of listings that are this recipient, by its address or a muxed form of it. */
export function createOwnersOf(db: DatabaseSync): (recipient: string) => string[] {
  const selectOwners = db.prepare('SELECT DISTINCT owner FROM listing WHERE owner >= ? AND owner < ?');
  return (recipient) => {
    const key = recipientKey(recipient);
    return beginningsOf(key)
      .flatMap((beginning) => selectOwners.all(beginning, beginning + LAST_CHARACTER))
      .map(({ owner }) => String(owner))
      .filter((owner) => recipientKey(owner) === key);
  };
}
