/** The journal in each of its stores. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { openJournal, type Journal } from '../../src/journal/index.ts';
import { createSharedJournal } from '../../src/journal/postgres/journal.ts';
import { SHARED_LIMITS } from '../../src/journal/postgres/limits.ts';
import { KNOW, LEASE } from '../../src/journal/postgres/statements.ts';
import { UNLIMITED_BUDGET, type JournalEntry, type Outcome } from '../../src/scheme/index.ts';
import { createDatabase } from '../../src/store/postgres.ts';
import { migrate } from '../../src/store/postgresMigrations.ts';
import { binaries, type Databases } from '../postgres/server.ts';
import { silent } from '../support/service.ts';
import { ASKED } from './entries.ts';

export const SUBMITTER = 'GSUBMITTER';
export const hashOf = (nth: number): string => nth.toString(16).padStart(64, '0');

export function entry(nth: number, changes: Partial<JournalEntry> = {}): JournalEntry {
  return {
    ...ASKED,
    hash: hashOf(nth),
    listing: undefined,
    isStellarAsset: true,
    payer: 'GPAYER',
    party: 'GPAYER',
    authorization: `GPAYER:${nth}`,
    submitter: SUBMITTER,
    sequence: BigInt(nth),
    bid: { inclusionStroops: 200, totalStroops: 23_200 },
    budget: UNLIMITED_BUDGET,
    sent: { validity: { maxTimeSeconds: 1_780_000_000, lastLedger: 77 }, sentInLedger: 70 },
    ...changes,
  };
}

export const included = (ledger: number, state: 'applied' | 'failed' = 'applied'): Outcome => ({
  state,
  ledger,
  closedAtSeconds: 1_780_000_000 + ledger,
  feeChargedStroops: 22_000,
  result: state === 'applied' ? 'txSuccess' : 'txFailed',
});

export interface Store {
  journal: Journal;
  /** Waits until what was written can be read. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface StoreOptions {
  hasEvents?: boolean;
  /** The clock of a file. A database has its own. */
  now?: () => number;
}

/** The stores of this machine, by name; true for the database. */
export const stores: [string, boolean][] = [
  ['a file', false],
  ...(binaries === undefined ? [] : ([['a database', true]] satisfies [string, boolean][])),
];

/** Opens a store in memory, or in a database of the server. */
export const openStoreOn = (server: Databases | undefined, options: StoreOptions = {}): Promise<Store> =>
  server === undefined ? openFile(options) : openShared(server, options);

function openFile(options: StoreOptions): Promise<Store> {
  const journal = openJournal({ path: ':memory:', log: silent, ...options });
  return Promise.resolve({
    journal,
    settled: async () => {},
    close: async () => journal.end(),
  });
}

async function openShared(server: Databases, { hasEvents }: StoreOptions): Promise<Store> {
  const db = createDatabase({ url: await server.database(), log: silent });
  const instance = randomUUID();
  await migrate(db);
  await db.query(KNOW, [[SUBMITTER]]);
  await db.query(LEASE, [instance, 600_000, [SUBMITTER], 1]);
  const journal = createSharedJournal({
    db,
    instance,
    log: silent,
    limits: SHARED_LIMITS,
    eventsDb: hasEvents ? db : undefined,
  });
  const isOpen = async (): Promise<boolean> =>
    (await db.query('SELECT FROM facilitator.in_flight')).length > 0;
  return {
    journal,
    // Each outcome frees its authorization.
    settled: async () => void (await expect.poll(isOpen, { timeout: 5_000 }).toBe(false)),
    async close() {
      await journal.end();
      await db.close();
    },
  };
}
