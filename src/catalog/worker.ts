// Runs a thread of the catalog: opens the database and carries out one operation after the other.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { HYBRID_FOLLOW_MS, READER_NICENESS, TRAITS_FILL } from './limits.ts';
import { readDeclaration } from './declaration/read.ts';
import { createOperations, type Operations } from './operations.ts';
import { openDatabase, openReadOnly } from './sqlite/database.ts';
import { adopt } from './sqlite/replicaState.ts';
import { createSqliteStore } from './sqlite/store.ts';
import { loadModel, UnusableModel } from './meaning/index.ts';
import type { HybridStore, Store } from './store.ts';
import {
  buffersOf,
  type Answer,
  type Message,
  type Question,
  type Report,
  type ThreadOptions,
} from './protocol.ts';
import type { PreparedListings } from './sqlite/preparedListings.ts';
import { compactHeap } from '../process/startMemory.ts';
import { UnusableFile } from '../store/sqliteFile.ts';

const port = parentPort;
if (port === null) throw new Error('this file is a thread of the catalog; it is not run by itself');

const { dbPath, writes, logKey, newListingsPerHour, allowsPrivateAddresses, model } =
  workerData as ThreadOptions;
const post = (report: Report, handedOver: ArrayBuffer[] = []): void => port.postMessage(report, handedOver);

const store = await open();
if (store !== undefined) {
  const operations = createOperations(store, { allowsPrivateAddresses });
  port.on('message', (message: Message) => {
    if (message.operation === 'close') {
      store.close();
      port.close();
      return;
    }
    const answer = answerTo(operations, message);
    const isPrepared = message.operation === 'prepare' && 'value' in answer;
    post(answer, isPrepared ? buffersOf(answer.value as PreparedListings) : []);
    if (writes) tidy(store);
  });
  if (writes) warmUp();
  else standBack();
  if (writes) fillTraits(store);
  post({ ready: true });
  compactHeap();
  if (store.hybrid !== undefined) fillHybrid(store.hybrid);
}

async function open(): Promise<Store | undefined> {
  try {
    const db = writes ? openDatabase(dbPath) : openReadOnly(dbPath);
    if (writes) adopt(db, logKey);
    return createSqliteStore(db, { newListingsPerHour, model: model && (await loadModel(model)) });
  } catch (error) {
    if (error instanceof UnusableFile) post({ unusable: error.message, file: 'catalog' });
    else if (error instanceof UnusableModel) post({ unusable: error.message, file: 'model' });
    else throw error;
    return undefined;
  }
}

/**
 * Enters the listings into the index in memory, step by step: requests are answered in between. Then follows what is
 * written, so that few changes are left when a search comes.
 */
function fillHybrid(hybrid: HybridStore): void {
  let pause = true;
  try {
    post({ progress: hybrid.step() });
    pause = !hybrid.isBusy;
  } catch {
    // The next search reports what is wrong with the file.
  }
  if (pause) setTimeout(() => fillHybrid(hybrid), HYBRID_FOLLOW_MS).unref();
  else setImmediate(() => fillHybrid(hybrid));
}

/** Puts payments and listings before searches if processors are short. On Linux each thread has its own priority. */
function standBack(): void {
  if (process.platform === 'linux') setPriority(READER_NICENESS);
}

/** Reads a declaration now: a thread's first one takes ten times as long as others, and no settlement waits yet. */
function warmUp(): void {
  const input = { type: 'http', method: 'GET', queryParams: { name: 'value' } };
  const schema = { type: 'object', properties: { input: { type: 'object' } }, required: ['input'] };
  try {
    readDeclaration({ info: { input }, schema }, { url: 'https://example.com/' });
  } catch {
    // The machine has no time for this now, so the first declaration will take longer.
  }
}

/** Gives a file of an older version what it lacks, beside all else. */
function fillTraits({ traitsFill }: Pick<Store, 'traitsFill'>): void {
  const { listingsPerStep, pauseMs } = TRAITS_FILL;
  try {
    if (!traitsFill.isUnderWay()) return;
    traitsFill.step(listingsPerStep);
  } catch {
    // Another process writes, or the disk is full: a later step may succeed.
  }
  setTimeout(fillTraits, pauseMs, { traitsFill }).unref();
}

/** Does housekeeping after the answer: no settlement waits for it, and its failure is not the settlement's. */
function tidy({ tidy }: Store): void {
  try {
    tidy();
  } catch {
    // The next write reports what is wrong with the file.
  }
}

function answerTo(operations: Operations, { id, operation, request }: Question): Answer {
  try {
    // The request fits the operation: both come from one call of `ask`.
    return { id, value: operations[operation](request as never) };
  } catch (error) {
    return { id, error };
  }
}
