// Instances that share a catalog in PostgreSQL, for tests that ask and wait without giving up their thread.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { workerData, type MessagePort } from 'node:worker_threads';
import pg from 'pg';
import { CATALOG_LIMITS } from '../../../src/catalog/limits.ts';
import { createSharedLog, type SharedLog } from '../../../src/catalog/shared/log.ts';
import { createSharedWrites } from '../../../src/catalog/shared/writes.ts';
import { openDatabase } from '../../../src/catalog/sqlite/database.ts';
import { adopt } from '../../../src/catalog/sqlite/replicaState.ts';
import { createSqliteStore } from '../../../src/catalog/sqlite/store.ts';
import type { PutResult, Settlement, Store } from '../../../src/catalog/store.ts';
import { createDatabase } from '../../../src/store/postgres.ts';
import { migrate } from '../../../src/store/postgresMigrations.ts';
import { SCHEMA } from '../../../src/store/postgresSchema.ts';
import type { InstanceRequest } from '../sharedStore.ts';

const { port, signal } = workerData as { port: MessagePort; signal: Int32Array };

const refusals: Partial<Record<string, PutResult>> = {
  bazaar_listing_owned_by_other_payee: 'owned by another',
  bazaar_too_many_new_listings: 'too many new',
  bazaar_listing_blocked: 'blocked',
};

interface Instance {
  readonly store: Store;
  put(settlement: Settlement): Promise<PutResult>;
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

const template = await startServer();
const instances = new Map<string, Instance>();

async function startServer(): Promise<string> {
  const server = spawn(process.execPath, [new URL('postgresServer.ts', import.meta.url).pathname], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface(server.stdout), 'line')) as [string];
  const db = createDatabase({ url, log: { warn() {} } });
  await migrate(db);
  await db.close();
  return url;
}

function urlOf(database: string): string {
  const url = new URL(template);
  url.pathname = `/${database}`;
  return url.href;
}

async function newDatabase(name: string): Promise<void> {
  const client = new pg.Client(urlOf('postgres'));
  await client.connect();
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${new URL(template).pathname.slice(1)}`);
  await client.end();
  const db = createDatabase({ url: urlOf(name), log: { warn() {} } });
  await db.query(`UPDATE ${SCHEMA}.catalog SET cursor_key = $1`, [randomBytes(32)]);
  await db.close();
}

async function openInstance(path: string, database: string, newPerHour: number): Promise<Instance> {
  const db = createDatabase({ url: urlOf(database), log: { warn() {} }, limits: { maxConnections: 1 } });
  const shared: SharedLog = createSharedLog(db, newPerHour, CATALOG_LIMITS);
  const file = openDatabase(path);
  adopt(file, await shared.key());
  const store = createSqliteStore(file);
  async function catchUp(): Promise<void> {
    for (let { filling } = store.standing(); filling !== undefined; { filling } = store.standing()) {
      if (filling.isFull) store.writeFill();
      else store.fill(store.prepare(await shared.readListings(filling.filledTo)));
    }
    for (let isAtEnd = false; !isAtEnd;) {
      const batch = await shared.read(store.standing().position);
      isAtEnd = batch.end !== undefined;
      if (store.apply(batch).hasDiverged) throw new Error('the index is not what the log says');
    }
  }
  return {
    store,
    catchUp,
    async put(settlement) {
      let isNew = false;
      const writer = {
        ask: (_: string, { current }: { current: undefined }) => {
          const proposal = store.propose(settlement, current);
          if (proposal === 'owned by another')
            return Promise.resolve({ code: 'bazaar_listing_owned_by_other_payee', message: '' });
          isNew = proposal.knownPosition === 0;
          return Promise.resolve(proposal);
        },
      };
      const follower = { written: catchUp };
      const deps = { shared, follower, writer: writer as never, limits: CATALOG_LIMITS };
      const refusal = await createSharedWrites(deps).submit({} as never, {});
      await catchUp();
      return refusal === undefined ? (isNew ? 'listed' : 'refreshed') : refusals[refusal.code]!;
    },
    async close() {
      store.close();
      await db.close();
    },
  };
}

async function carryOut(request: InstanceRequest): Promise<unknown> {
  if (request.what === 'database') return newDatabase(request.database);
  if (request.what === 'open') {
    const { path, database, newPerHour } = request;
    instances.set(path, await openInstance(path, database, newPerHour));
    return undefined;
  }
  const instance = instances.get(request.path)!;
  if (request.what === 'put') {
    const results: PutResult[] = [];
    for (const settlement of request.settlements) results.push(await instance.put(settlement));
    return results;
  }
  return request.what === 'close' ? instance.close() : instance.catchUp();
}

port.on('message', (request: InstanceRequest) => {
  void carryOut(request)
    .then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    .then((answer) => {
      port.postMessage(answer);
      Atomics.add(signal, 0, 1);
      Atomics.notify(signal, 0);
    });
});
