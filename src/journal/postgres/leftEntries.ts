import type { LeaseEvents } from '../../scheme/index.ts';
import type { Database, Row } from '../../store/postgres.ts';
import { entryOf } from '../rows.ts';
import type { SharedLimits } from './limits.ts';
import { LEFT } from './statements.ts';

/** Hands the scheme the entries that it should follow, although no settlement of its own waits for them: each once. */
export interface LeftEntries {
  /** Follows what earlier holders of these accounts sent. */
  follow(accounts: readonly string[]): Promise<void>;
  /** Follows what has been open for so long on these accounts that nobody seems to follow it. */
  followForgotten(accounts: readonly string[]): Promise<void>;
}

interface LeftEntriesDeps {
  db: Pick<Database, 'query'>;
  limits: Pick<SharedLimits, 'forgottenAfterMs'>;
  events: () => Pick<LeaseEvents, 'left'>;
}

export function createLeftEntries({ db, limits, events }: LeftEntriesDeps): LeftEntries {
  /** The hashes of the entries that this instance has begun to follow. */
  let adopted = new Set<string>();

  function follow(rows: readonly Row[]): void {
    const entries = rows
      .map((row) => entryOf(row, Number(row['age_ms'])))
      .filter(({ hash }) => !adopted.has(hash));
    for (const { hash } of entries) adopted.add(hash);
    if (entries.length > 0) events().left(entries);
  }

  return {
    follow: async (accounts) => follow(await db.query(LEFT, [accounts, 0])),
    async followForgotten(accounts) {
      const forgotten = await db.query(LEFT, [accounts, limits.forgottenAfterMs]);
      adopted = new Set(forgotten.map(({ hash }) => String(hash)).filter((hash) => adopted.has(hash)));
      follow(forgotten);
    },
  };
}
