/** One service on one set of files, killed and started again, with sellers who go on asking it. */
import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { journalPathOf } from '../../src/config/databasePath.ts';
import type { DiscoveryResource } from '../../src/contract/index.ts';
import type { Random } from '../catalog/random.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { firstInLine, readJournal } from '../world/journal.ts';
import { createObserver } from '../world/observer.ts';
import type { Facts } from '../world/oracle/facts.ts';
import { moody, openWebhookReceiver, WEBHOOK_SECRET } from '../world/webhookReceiver.ts';
import type { Moment } from './moments.ts';
import type { ServiceProcess } from './process.ts';
import { readListings } from './readers.ts';
import { openSellers } from './sellers.ts';
import { openVictim, refuseFaults } from './victim.ts';

const SUBMITTERS = 16;
/** Askings at a time. */
const SELLERS = 5;
/** Another program that locks the catalog's file, in some processes' lives. */
const SHARE_LOCKED = 0.4;
const LATEST_LOCK_MS = 300;
const LOCKED_MS = 200;
/** Between two askings of a seller whose service has been killed. */
const RETRY_MS = 5;
const MAX_WAIT_FOR_ENDS_MS = 60_000;
const POLL_MS = 100;

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
  const victim = await openVictim({ network, random });
  const { happens } = victim;
  const watcher = watch(dirname(dbPath), (_event, file) => {
    if (file === `${basename(journalPathOf(dbPath))}-wal`) happens('journal written');
    if (file === `${basename(dbPath)}-wal`) happens('catalog written');
  });
  const sellers = openSellers({ sandbox, random, host: basename(dbPath), onAnswer: () => happens('answer') });
  const submitters = Array.from({ length: SUBMITTERS }, () => sandbox.submitter());
  const feeBump = sandbox.submitter();
  const receiver = await openWebhookReceiver();
  receiver.answer = moody(random);
  receiver.lookAtLine = (id) => firstInLine(journalPathOf(dbPath), id);
  const { payments, payers, payees } = sellers;
  const observer = createObserver({
    network,
    payments,
    journal: () => readJournal(journalPathOf(dbPath)),
    arrivals: () => receiver.arrivals,
  });
  observer.watch('payer', ...payers);
  observer.watch('payee', ...payees);
  observer.watch('submitter', ...submitters.map((key) => key.publicKey()));
  observer.watch('fee-bump account', feeBump.publicKey());

  /** Every other process has an account that pays the fees. */
  function start(): ServiceProcess {
    const SUBMITTER_SECRET = submitters.map((key) => key.secret()).join();
    const fees = victim.starts() % 2 === 1 ? { FEE_BUMP_SECRET: feeBump.secret() } : {};
    const webhooks = { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET };
    return victim.start({ DB_PATH: dbPath, SUBMITTER_SECRET, ...fees, ...webhooks });
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

  /** Sellers ask from when it listens until it is dead. */
  async function askUntilDead(service: ServiceProcess): Promise<void> {
    let isDead = false;
    void service.ended.then(() => (isDead = true));
    const url = await service.url.catch(() => undefined);
    if (url === undefined) return;
    const askOn = async (): Promise<void> => {
      await sellers.askAgain(() => url);
      while (!isDead) {
        await sellers.askNext(() => url);
        await sleep(RETRY_MS);
      }
    };
    await Promise.all(Array.from({ length: SELLERS }, askOn));
  }

  return {
    onLedger: () => happens('ledger'),

    async kill() {
      const moment = victim.nextMoment();
      const service = start();
      let wasListening = false;
      service.url.then(
        () => {
          wasListening = true;
          if (random.next() < SHARE_LOCKED) setTimeout(lockCatalog, random.next() * LATEST_LOCK_MS);
        },
        () => {},
      );
      const [{ signal, stderr }] = await Promise.all([
        service.ended,
        askUntilDead(service),
        victim.at(moment, () => service.kill('SIGKILL')),
      ]);
      if (signal !== 'SIGKILL' || stderr !== '') throw new Error(`it ended by itself: ${signal} ${stderr}`);
      refuseFaults(service, isLocked);
      const facts = observer.facts();
      const open = facts.journal.filter(({ status }) => status === null).length;
      const due = facts.journal.filter(({ isListingDue }) => isListingDue).length;
      return { kill: { moment, wasListening, open, due }, facts };
    },

    async finish() {
      const service = start();
      victim.calm();
      receiver.answer = () => ({ status: 200 });
      const url = await service.url;
      await sellers.askUnanswered(() => url);
      const deadlineMs = performance.now() + MAX_WAIT_FOR_ENDS_MS;
      const isOver = (): boolean =>
        observer
          .facts()
          .journal.every(
            ({ status, isListingDue, hasEvent }) => status !== null && !isListingDue && !hasEvent,
          );
      while (!isOver() && performance.now() < deadlineMs) await sleep(POLL_MS);
      const listings = await readListings(url);
      service.kill('SIGTERM');
      const { code, stderr } = await service.ended;
      if (code !== 0 || stderr !== '') throw new Error(`it did not stop as it should: ${code} ${stderr}`);
      refuseFaults(service, isLocked);
      watcher.close();
      await victim.close();
      await receiver.close();
      return { facts: observer.facts(), listings };
    },
  };
}

/** The catalog was locked by another. */
const isLocked = (err: unknown): boolean => JSON.stringify(err)?.includes('is locked') === true;
