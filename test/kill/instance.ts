/** One service on one set of files, killed and started again, with sellers who go on asking it. */
import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../sandbox/faults.ts';
import { journalPathOf } from '../../src/config/databasePath.ts';
import type { DiscoveryResource } from '../../src/contract/index.ts';
import type { Random } from '../catalog/random.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { chooseMoment, type Happening, type Moment } from './moments.ts';
import { openNode } from '../world/httpNode.ts';
import { createObserver } from '../world/observer.ts';
import type { Facts } from '../world/oracle/facts.ts';
import { clockOffBy, startService, type ServiceProcess } from './process.ts';
import { readListings } from './readers.ts';
import { openSellers } from './sellers.ts';

const SUBMITTERS = 16;
/** Askings at a time. */
const SELLERS = 5;
/** What is wrong with the clocks of the processes, one after the other: they go backwards, too. */
const CLOCKS_OFF_BY_MS = [0, 600_000, 0, -600_000, -86_400_000];
/** A moment that has not come so long after the process listens is passed over: it is killed anyway. */
const LATEST_KILL_MS = 1_500;
const FIRST_START_MS = 1_000;
/** Of the submissions, those that reach the network late, maybe long after the process is dead: in every third process. */
const SHARE_LATE = 0.6;
const LATEST_ARRIVAL_MS = 5_000;
/** Another program that locks the catalog's file, in some processes' lives. */
const SHARE_LOCKED = 0.4;
const LATEST_LOCK_MS = 300;
const LOCKED_MS = 200;
/** Between two askings of a seller whose service has been killed. */
const RETRY_MS = 5;
const MAX_WAIT_FOR_ENDS_MS = 60_000;
const POLL_MS = 100;

/** What may go wrong around one call; none is added in half of the rounds. */
const FAULTS: readonly Fault[] = [
  { kind: 'lostAnswer', methods: ['sendTransaction'] },
  { kind: 'lostAnswer', methods: ['sendTransaction'] },
  { kind: 'delay', ms: 150, methods: ['sendTransaction'] },
  { kind: 'delay', ms: 40, methods: ['sendTransaction'] },
  { kind: 'wrongJson', methods: ['sendTransaction'] },
  { kind: 'httpStatus', status: 502, methods: ['sendTransaction'] },
  { kind: 'sendStatus', status: 'TRY_AGAIN_LATER' },
  { kind: 'sendStatus', status: 'ERROR', result: 'txBadSeq' },
  { kind: 'repeat', methods: ['sendTransaction'] },
  { kind: 'lostAnswer', methods: ['getTransaction'] },
  { kind: 'notFound' },
  { kind: 'delay', ms: 80, methods: ['getTransaction'] },
  { kind: 'lostAnswer', methods: ['simulateTransaction'] },
];
const MOST_FAULTS = 4;

export interface Kill {
  readonly moment: Moment;
  readonly wasListening: boolean;
  /** Transactions whose end the process did not know, and listings that it had not made. */
  readonly open: number;
  readonly due: number;
}

export interface Instance {
  /** Starts it, kills it at a random moment, and shows what is left. */
  kill(): Promise<{ kill: Kill; facts: Facts }>;
  /** Starts it for the last time, lets all come to its end, and stops it. */
  finish(): Promise<{ facts: Facts; listings: DiscoveryResource[] }>;
  /** A ledger has closed. */
  onLedger(): void;
}

export async function openInstance(deps: {
  sandbox: TestSandbox;
  random: Random;
  /** Names the service's files, and its sellers' resources. */
  dbPath: string;
}): Promise<Instance> {
  const { sandbox, random, dbPath } = deps;
  const { network } = sandbox;
  let happens: (what: Happening) => void = () => {};
  const node = await openNode(network);
  node.onCall = async (method) => {
    happens(`call ${method}`);
    if (method === 'sendTransaction' && starts % 3 === 0 && random.next() < SHARE_LATE)
      await sleep(random.next() * LATEST_ARRIVAL_MS);
  };
  node.onEffect = (method) => happens(`effect ${method}`);
  const watcher = watch(dirname(dbPath), (_event, file) => {
    if (file === `${basename(journalPathOf(dbPath))}-wal`) happens('journal written');
    if (file === `${basename(dbPath)}-wal`) happens('catalog written');
  });
  const sellers = openSellers({ sandbox, random, host: basename(dbPath), onAnswer: () => happens('answer') });
  const submitters = Array.from({ length: SUBMITTERS }, () => sandbox.submitter());
  const feeBump = sandbox.submitter();
  const { payments, payers, payees } = sellers;
  const observer = createObserver({ network, payments, journalPath: journalPathOf(dbPath) });
  observer.watch('payer', ...payers);
  observer.watch('payee', ...payees);
  observer.watch('submitter', ...submitters.map((key) => key.publicKey()));
  observer.watch('fee-bump account', feeBump.publicKey());
  let startMs = FIRST_START_MS;
  let starts = 0;

  /** Every other process has an account that pays the fees; every other one of each kind meets faults. */
  function start(): ServiceProcess {
    starts += 1;
    const SUBMITTER_SECRET = submitters.map((key) => key.secret()).join();
    const fees = starts % 2 === 0 ? { FEE_BUMP_SECRET: feeBump.secret() } : {};
    node.faults.clear();
    for (let count = starts % 4 < 2 ? 0 : 1 + random.below(MOST_FAULTS); count > 0; count -= 1)
      node.faults.add({ ...random.pick(FAULTS), times: 1 + random.below(2) });
    const clock = clockOffBy(CLOCKS_OFF_BY_MS[starts % CLOCKS_OFF_BY_MS.length]!);
    return startService({ ...clock, DB_PATH: dbPath, RPC_URL: node.url, SUBMITTER_SECRET, ...fees });
  }

  /** As another program that writes to it for a moment: listings fail meanwhile, and are due. */
  function lockCatalog(): void {
    const other = new DatabaseSync(dbPath);
    try {
      other.exec('BEGIN IMMEDIATE');
    } catch {
      // The service is writing; another time.
    }
    setTimeout(() => other.close(), LOCKED_MS);
  }

  /** Kills it at the moment, or when that has not come for long. */
  async function killAt({ since, after, nth, delayMs }: Moment, service: ServiceProcess): Promise<void> {
    const { promise: isTime, resolve } = Promise.withResolvers<void>();
    const timers: NodeJS.Timeout[] = [];
    const resolveAfter = (ms: number): void => void timers.push(setTimeout(resolve, ms));
    let [isCounting, times] = [false, 0];
    happens = (what) => {
      isCounting ||= what === since;
      if (what === 'listening') resolveAfter(LATEST_KILL_MS);
      if (!isCounting || what !== after || (times += 1) !== nth) return;
      // At once: before the answer to a call leaves.
      if (delayMs === 0) service.kill('SIGKILL');
      resolveAfter(delayMs);
    };
    happens('start');
    await isTime;
    timers.forEach(clearTimeout);
    happens = () => {};
    service.kill('SIGKILL');
  }

  /** Sellers ask from when it listens until it is dead. */
  async function askUntilDead(service: ServiceProcess): Promise<void> {
    let isDead = false;
    void service.ended.then(() => (isDead = true));
    const url = await service.url.catch(() => undefined);
    if (url === undefined) return;
    const askOn = async (): Promise<void> => {
      await sellers.askAgain(url);
      while (!isDead) {
        await sellers.askNext(url);
        await sleep(RETRY_MS);
      }
    };
    await Promise.all(Array.from({ length: SELLERS }, askOn));
  }

  return {
    onLedger: () => happens('ledger'),

    async kill() {
      const moment = chooseMoment(random, startMs);
      const startedAtMs = performance.now();
      const service = start();
      let wasListening = false;
      service.url.then(
        () => {
          wasListening = true;
          startMs = performance.now() - startedAtMs;
          happens('listening');
          if (random.next() < SHARE_LOCKED) setTimeout(lockCatalog, random.next() * LATEST_LOCK_MS);
        },
        () => {},
      );
      const [{ signal, stderr }] = await Promise.all([
        service.ended,
        askUntilDead(service),
        killAt(moment, service),
      ]);
      if (signal !== 'SIGKILL' || stderr !== '') throw new Error(`it ended by itself: ${signal} ${stderr}`);
      refuseFaults(service);
      const facts = observer.facts();
      const open = facts.journal.filter(({ status }) => status === null).length;
      const due = facts.journal.filter(({ isListingDue }) => isListingDue).length;
      return { kill: { moment, wasListening, open, due }, facts };
    },

    async finish() {
      const service = start();
      node.faults.clear();
      const url = await service.url;
      await sellers.askUnanswered(url);
      const deadlineMs = performance.now() + MAX_WAIT_FOR_ENDS_MS;
      const isOver = (): boolean =>
        observer.facts().journal.every(({ status, isListingDue }) => status !== null && !isListingDue);
      while (!isOver() && performance.now() < deadlineMs) await sleep(POLL_MS);
      const listings = await readListings(url);
      service.kill('SIGTERM');
      const { code, stderr } = await service.ended;
      if (code !== 0 || stderr !== '') throw new Error(`it did not stop as it should: ${code} ${stderr}`);
      refuseFaults(service);
      watcher.close();
      await node.down();
      return { facts: observer.facts(), listings };
    },
  };
}

const OWN_FAULTS = /^(the journal failed|cataloging failed|fault$|server error|start failed)/;

/** Whatever happens around it, the service logs no fault of its own; the catalog was locked by another. */
function refuseFaults(service: ServiceProcess): void {
  const faults = service
    .logged()
    .filter(
      ({ msg, err }) => OWN_FAULTS.test(String(msg)) && !String(JSON.stringify(err)).includes('is locked'),
    );
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
}
