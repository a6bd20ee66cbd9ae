import { expect, onTestFinished, test } from 'vitest';
import { FILL_LIMITS } from '../../../src/catalog/limits.ts';
import { BLOCK_SIZE } from '../../../src/catalog/sqlite/blocks.ts';
import { openDatabase } from '../../../src/catalog/sqlite/database.ts';
import { adopt } from '../../../src/catalog/sqlite/replicaState.ts';
import { createSqliteStore, type StoreOptions } from '../../../src/catalog/sqlite/store.ts';
import type { ListingBatch, LogBatch, Store } from '../../../src/catalog/store.ts';
import { IN_MEMORY } from '../../../src/store/sqliteFile.ts';
import { settlementOf, type Draft } from '../drafts.ts';
import { indexContent } from './indexContent.ts';

const LOG_KEY = new Uint8Array(32).fill(7);
const WORDS = ['sun', 'rain', 'wind', 'fog', 'hail', 'snow', 'dew'];
/** Enough for a facet that is kept as a bitmap. */
const LISTINGS = 700;
/** Of the first listing: they are in two blocks. */
const FIRST_ID = BLOCK_SIZE - 300;

/** Every listing once, and then every seventh again, in other words and for other terms. */
const drafts: readonly Draft[] = Array.from({ length: LISTINGS + LISTINGS / 7 }, (_, nth) => {
  const listing = nth < LISTINGS ? nth : (nth - LISTINGS) * 7;
  return {
    name: `l${listing}`,
    description: `${WORDS[nth % 7]} ${WORDS[nth % 5]} only${nth}`,
    terms: { payTo: `G${listing % 50}`, network: nth < LISTINGS ? 'n1' : 'n2' },
  };
});

function openReplica(fillLimits?: StoreOptions['fillLimits']) {
  const db = openDatabase(IN_MEMORY);
  adopt(db, LOG_KEY);
  const store = createSqliteStore(db, { fillLimits });
  onTestFinished(() => store.close());
  return { db, store };
}

type Replica = ReturnType<typeof openReplica>;

type Entry = Omit<LogBatch['entries'][number], 'position'>;

/** What instances share, without the database: the latest entry of each listing, and what they said before. */
function createLog() {
  const ids = new Map<string, number>();
  const entries = new Map<number, LogBatch['entries'][number]>();
  const earlierWordings: LogBatch['earlierWordings'][number][] = [];
  let position = 0;

  function enter(entry: Entry, wordings: LogBatch['earlierWordings']): LogBatch {
    const after = position++;
    entries.set(entry.listing, { ...entry, position });
    const told = { entries: [entries.get(entry.listing)!], earlierWordings: wordings, blocks: [] };
    return { after, ...told, position, end: undefined };
  }

  return {
    /** Writes a settlement through an instance, and returns the batch that tells of it. */
    write(store: Store, draft: Draft): LogBatch {
      const proposal = store.propose(settlementOf(draft), undefined);
      if (typeof proposal === 'string') throw new Error(proposal);
      const { key, earlier, owner, item, ledger, closedAt } = proposal;
      const listing = ids.get(key) ?? FIRST_ID + ids.size;
      ids.set(key, listing);
      const reworded = earlierWordings.length + 1;
      const wordings = earlier === undefined ? [] : [{ reworded, listing, ...earlier }];
      earlierWordings.push(...wordings);
      return enter({ listing, owner, item, ledger, closedAt, payers: null, hidden: false }, wordings);
    },
    /** Changes what the log says of a listing. */
    change(listing: number, change: (entry: LogBatch['entries'][number]) => Partial<Entry>): LogBatch {
      const entry = entries.get(listing)!;
      return enter({ ...entry, ...change(entry) }, []);
    },
    listingsAfter(after: number, limit: number): ListingBatch {
      const from = Math.max(after, FIRST_ID - 1);
      const to = ids.size === 0 ? after : Math.min(from + limit, FIRST_ID + ids.size - 1);
      const isIn = ({ listing }: { listing: number }): boolean => listing > after && listing <= to;
      const inOrder = [...entries.values()].sort((a, b) => a.listing - b.listing);
      return {
        after,
        to,
        isLast: to === after,
        position,
        entries: inOrder
          .filter(isIn)
          .map((entry) => JSON.stringify(entry))
          .join('\n'),
        earlierWordings: JSON.stringify(earlierWordings.filter(isIn)),
        blocks: [],
      };
    },
    /** The batch at the end of the log. `checksum` is that of an instance that read every write. */
    end(checksum: string): LogBatch {
      const end = { listings: FIRST_ID + ids.size - 1, clock: earlierWordings.length, checksum };
      return { after: position, entries: [], earlierWordings: [], blocks: [], position, end };
    },
  };
}

type Log = ReturnType<typeof createLog>;

function fill({ store }: Replica, log: Log, limit: number): void {
  for (let { filling } = store.standing(); filling !== undefined; { filling } = store.standing()) {
    if (filling.isFull) store.writeFill();
    else store.fill(store.prepare(log.listingsAfter(filling.filledTo, limit)));
  }
}

const checksumOf = ({ db }: Replica): string =>
  (db.prepare('SELECT checksum FROM replica').get() as { checksum: string }).checksum;

function contentOf({ db }: Replica) {
  return {
    listings: db.prepare('SELECT * FROM listing ORDER BY id').all(),
    earlierWordings: db.prepare('SELECT * FROM earlier_wording ORDER BY reworded').all(),
    index: indexContent(db),
    hidden: db.prepare('SELECT * FROM hidden ORDER BY block').all(),
    state: db.prepare('SELECT * FROM state').get(),
    replica: db.prepare('SELECT * FROM replica').get(),
  };
}

/** An instance that read every write, and the log. */
function written() {
  const log = createLog();
  const one = openReplica();
  fill(one, log, 1);
  for (const draft of drafts) one.store.apply(log.write(one.store, draft));
  one.store.apply(log.end(checksumOf(one)));
  return { log, one };
}

test.each([
  ['in one batch', 10_000, undefined],
  ['in batches', 64, undefined],
  [
    'in batches that are written block by block, in steps of a row',
    100,
    { ...FILL_LIMITS, bytes: 1, rowsPerStep: 1 },
  ],
])('an index that is filled %s is the same as one that read every write', (_, limit, fillLimits) => {
  const { log, one } = written();
  const other = openReplica(fillLimits);
  fill(other, log, limit);
  expect(other.store.apply(log.end(checksumOf(one)))).toMatchObject({ isWhole: true });
  expect(contentOf(other)).toEqual(contentOf(one));
});

test('an index that is filled shows, hides and has forgotten the same listings as one that read every write', () => {
  const { log, one } = written();
  const verified = { by: 'well-known', at: '2026-01-01T00:00:00.000Z', until: '2026-02-01T00:00:00.000Z' };
  const batches = [
    log.change(FIRST_ID + 1, () => ({ hidden: true })),
    log.change(FIRST_ID + 2, () => ({ owner: '', item: '', ledger: null, closedAt: null, hidden: true })),
    log.change(FIRST_ID + 3, ({ item }) => ({
      item: JSON.stringify({ ...(JSON.parse(item) as object), verified }),
    })),
    log.change(FIRST_ID + 4, () => ({ payers: '[]' })),
  ];
  for (const batch of batches) one.store.apply(batch);
  one.store.apply(log.end(checksumOf(one)));
  const other = openReplica();
  fill(other, log, 300);
  expect(other.store.apply(log.end(checksumOf(one)))).toMatchObject({ isWhole: true });
  expect(contentOf(other)).toEqual(contentOf(one));
});

test('an index that is being filled takes up what is written meanwhile', () => {
  const { log, one } = written();
  const other = openReplica();
  other.store.fill(other.store.prepare(log.listingsAfter(0, 100)));
  const batches = ['l0', 'l50', 'l650', 'new'].map((name) => {
    const batch = log.write(one.store, { name, description: 'changed', terms: { payTo: 'G0' } });
    one.store.apply(batch);
    return batch;
  });
  fill(other, log, 100);
  for (const batch of batches) other.store.apply(batch);
  for (const { store } of [one, other]) store.apply(log.end(checksumOf(one)));
  expect(contentOf(other)).toEqual(contentOf(one));
});

test('an index whose fill was cut off begins again', () => {
  const { log, one } = written();
  const other = openReplica({ ...FILL_LIMITS, bytes: 1, rowsPerStep: 10, stepsPerCommit: 1 });
  other.store.fill(other.store.prepare(log.listingsAfter(0, 300)));
  other.store.writeFill();
  adopt(other.db, LOG_KEY);
  const again = { db: other.db, store: createSqliteStore(other.db) };
  fill(again, log, 300);
  again.store.apply(log.end(checksumOf(one)));
  expect(contentOf(again)).toEqual(contentOf(one));
});

test('a batch that does not follow the last one is not entered', () => {
  const { log } = written();
  const { store } = openReplica();
  store.fill(store.prepare(log.listingsAfter(0, 100)));
  expect(store.fill(store.prepare(log.listingsAfter(FIRST_ID + 50, 100))).filling).toMatchObject({
    filledTo: FIRST_ID + 99,
  });
  expect(store.apply(log.end('0'))).toMatchObject({ position: 0, isWhole: false });
});
