import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../store/databaseErrors.ts';
import type { Database } from '../../store/postgres.ts';
import type { JournalLog } from '../guard.ts';
import type { SharedLimits } from './limits.ts';

/** Writes that nobody waits for. They are made in order, and again until the database takes them. */
export interface Outbox {
  add(statement: string, values: readonly unknown[]): void;
  /** Makes the writes that are left, within a limit. Logs how many are lost. */
  close(): Promise<void>;
}

interface OutboxDeps {
  db: Pick<Database, 'query'>;
  log: JournalLog;
  limits: Pick<SharedLimits, 'retryAfterMs' | 'flushWithinMs' | 'outboxKept'>;
}

/**
 * Keeps at most `outboxKept` writes. Any other is lost, which costs time only: an entry that stays open is followed again
 * (`forgottenAfterMs`), and a listing that stays due is written again.
 */
export function createOutbox({ db, log, limits }: OutboxDeps): Outbox {
  const left: { statement: string; values: readonly unknown[] }[] = [];
  let writing: Promise<void> | undefined;
  let givesUpAtMs = Infinity;

  async function write(): Promise<void> {
    let isFailing = false;
    for (let next = left[0]; next !== undefined && performance.now() < givesUpAtMs; next = left[0]) {
      try {
        await db.query(next.statement, next.values);
        left.shift();
        isFailing = false;
      } catch (err) {
        if (isRefused(err)) {
          left.shift();
          log.error({ err }, 'the journal failed: the database refuses a write');
          continue;
        }
        if (!isFailing)
          log.error({ err, left: left.length }, 'the journal failed: outcomes wait to be recorded');
        isFailing = true;
        await sleep(limits.retryAfterMs);
      }
    }
    writing = undefined;
  }

  return {
    add(statement, values) {
      if (left.length < limits.outboxKept) left.push({ statement, values });
      writing ??= write();
    },
    async close() {
      givesUpAtMs = performance.now() + limits.flushWithinMs;
      await writing;
      if (left.length > 0)
        log.error({ left: left.length }, 'outcomes are not recorded: another instance learns them');
    },
  };
}

/** Classes of SQLSTATE: values that no later try would make better. All else may pass, such as a lock or a restore. */
const REFUSED = /^2[23]/;

function isRefused(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return false;
  const { code } = error as { code?: string };
  return code === undefined || REFUSED.test(code);
}
