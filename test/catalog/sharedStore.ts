import { join } from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { openReadOnly } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore, type StoreOptions } from '../../src/catalog/sqlite/store.ts';
import type { PutResult, Settlement, Store } from '../../src/catalog/store.ts';
import { temporaryFolder } from './temporaryFolder.ts';

/** What a thread does with instances, each known by the path of its index. */
export type InstanceRequest =
  | { what: 'database'; database: string }
  | { what: 'open'; database: string; path: string; newPerHour: number }
  | { what: 'put'; path: string; settlements: readonly Settlement[] }
  | { what: 'catch up' | 'close'; path: string };

type Ask = (request: InstanceRequest) => unknown;

let thread: Ask | undefined;
let databases = 0;
let opened = 0;

/** A place in PostgreSQL. Each connection is an instance with an index of its own, which is up to date when it is read. */
export function sharedPlace({
  retrievalCap,
  model,
  newListingsPerHour = Infinity,
}: StoreOptions = {}): () => Store {
  const ask = (thread ??= startThread());
  const database = `catalog${(databases += 1)}`;
  const folder = temporaryFolder();
  ask({ what: 'database', database });
  return () => {
    const path = join(folder, `${(opened += 1)}.db`);
    ask({ what: 'open', database, path, newPerHour: newListingsPerHour });
    const reader = createSqliteStore(openReadOnly(path), { retrievalCap, model });
    const upToDate =
      <Args extends unknown[], Result>(read: (...args: Args) => Result) =>
      (...args: Args): Result => {
        ask({ what: 'catch up', path });
        return read(...args);
      };
    const { hybrid } = reader;
    return {
      ...reader,
      hybrid: hybrid && {
        name: hybrid.name,
        get isBusy() {
          return hybrid.isBusy;
        },
        step: upToDate(hybrid.step),
        search: upToDate(hybrid.search),
      },
      put: (settlements) => ask({ what: 'put', path, settlements }) as PutResult[],
      list: upToDate(reader.list),
      sorted: upToDate(reader.sorted),
      search: upToDate(reader.search),
      isAhead: upToDate(reader.isAhead),
      close() {
        reader.close();
        ask({ what: 'close', path });
      },
    };
  };
}

/** The tests ask without waiting for promises, so this thread sleeps until the other has answered. */
function startThread(): Ask {
  const { port1, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('./children/sharedInstances.ts', import.meta.url), {
    workerData: { port: port2, signal },
    transferList: [port2],
    execArgv: [],
  });
  worker.unref();
  port1.unref();
  return (request) => {
    const before = Atomics.load(signal, 0);
    port1.postMessage(request);
    if (Atomics.wait(signal, 0, before, 30_000) === 'timed-out')
      throw new Error('the thread does not answer');
    const { value, error } = receiveMessageOnPort(port1)!.message as { value: unknown; error?: Error };
    if (error !== undefined) throw error;
    return value;
  };
}
