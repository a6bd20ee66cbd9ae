import { randomUUID } from 'node:crypto';
import { openJournal, type Journal } from '../../../src/journal/index.ts';
import { createSharedJournal } from '../../../src/journal/postgres/journal.ts';
import { createLeases } from '../../../src/journal/postgres/leases.ts';
import { SHARED_LIMITS } from '../../../src/journal/postgres/limits.ts';
import type { Sharing } from '../../../src/scheme/index.ts';
import type { SchemeLog } from '../../../src/stellar/log.ts';
import type { ProcessDeps } from './serviceProcess.ts';

interface Stores {
  readonly journal: Journal;
  readonly sharing?: Sharing;
  /** The process is killed. */
  cut(): void;
  /** The process has ended. */
  end(): void;
  unended(): string[];
}

/** Opens a journal on the disk, or the one that instances share. */
export function openStores(
  { disk, way }: Pick<ProcessDeps, 'disk' | 'way'>,
  log: SchemeLog,
  wallClock: () => number,
  accounts: readonly string[],
): Stores {
  if (way !== undefined) {
    const shared = { db: way.db, instance: randomUUID(), accounts, log, limits: SHARED_LIMITS };
    return {
      journal: createSharedJournal(shared),
      sharing: createLeases(shared),
      cut: way.cut,
      end: way.cut,
      unended: () => [],
    };
  }
  const journal = openJournal({ path: disk.journalPath(), log, now: wallClock });
  return {
    journal,
    cut() {
      disk.freeze();
      void journal.end();
    },
    end: () => void journal.end(),
    unended: () => journal.unended().map(({ hash }) => hash),
  };
}

/** A shared journal answers later: then the process begins without. */
export function rememberedBy(journal: Journal): Awaited<ReturnType<Journal['latestClose']>> {
  const close = journal.latestClose();
  return close instanceof Promise ? undefined : close;
}
