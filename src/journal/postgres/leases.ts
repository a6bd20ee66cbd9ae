import type { LeaseEvents, Sharing } from '../../scheme/index.ts';
import type { Database, Row } from '../../store/postgres.ts';
import { SCHEMA } from '../../store/postgresSchema.ts';
import { entryOf } from '../rows.ts';
import { createFairShare } from './fairShare.ts';
import type { SharedLimits } from './limits.ts';
import { createSettledElsewhere } from './settledElsewhere.ts';
import * as statements from './statements.ts';

export interface LeasesDeps {
  db: Database;
  /** Names this process among the instances. */
  instance: string;
  /** The addresses of all channel accounts. */
  accounts: readonly string[];
  log: { warn(fields: object, message: string): void };
  limits: SharedLimits;
}

/**
 * Leases channel accounts from the database. An instance keeps an account until another one needs it more. If an
 * instance is gone, its leases run out, and another one takes them over, with what was sent from them.
 */
export function createLeases({ db, instance, accounts, log, limits }: LeasesDeps): Sharing {
  const held = new Set<string>();
  /** Accounts that are being given up: the database may still show them as this instance's. */
  const leaving = new Set<string>();
  const share = createFairShare({ accounts: accounts.length, neededForMs: limits.neededForMs });
  let events: LeaseEvents;
  let timer: NodeJS.Timeout | undefined;
  let renewal: Promise<void> | undefined;
  let isClosed = false;
  let asking: NodeJS.Timeout | undefined;
  let asksAgainAtMs = -Infinity;
  /** Entries that this instance has begun to follow, although no settlement of its own waits for them. */
  let adopted = new Set<string>();
  /** When leasing began to fail; undefined while it works. */
  let failsSinceMs: number | undefined;
  /** One round at a time: an answer that comes late must not undo a later one. */
  let rounds: Promise<void> = Promise.resolve();

  function inTurn(round: () => Promise<void>): Promise<void> {
    rounds = rounds
      .then(round)
      .then(() => (failsSinceMs = undefined))
      .catch(failed);
    return rounds;
  }

  function failed(err: unknown): void {
    if (failsSinceMs === undefined) log.warn({ err }, 'channel accounts cannot be leased');
    failsSinceMs ??= performance.now();
    asksAgainAtMs = performance.now() + limits.askEveryMs;
    if (performance.now() - failsSinceMs >= limits.openWithinMs) events.unavailable();
  }

  async function take(statement: string, count: readonly number[] = []): Promise<number> {
    const rows = await db.query(statement, [instance, limits.leaseMs, accounts, ...count]);
    return welcome(rows.map(addressOf).filter((address) => !held.has(address)));
  }

  /** Reads what earlier holders sent only now: they cannot send any more. */
  async function welcome(gained: readonly string[]): Promise<number> {
    if (gained.length === 0) return 0;
    follow(await db.query(statements.LEFT, [gained, 0]));
    for (const address of gained) {
      held.add(address);
      events.gained(address);
    }
    return gained.length;
  }

  function follow(rows: readonly Row[]): void {
    const entries = rows
      .map((row) => entryOf(row, Number(row['age_ms'])))
      .filter(({ hash }) => !adopted.has(hash));
    for (const { hash } of entries) adopted.add(hash);
    if (entries.length > 0) events.left(entries);
  }

  async function leaseWhatIsNeeded(): Promise<void> {
    const needed = Math.min(events.waiting(), accounts.length - held.size);
    if (needed === 0) return;
    const missing = needed - (await take(statements.LEASE, [needed]));
    if (missing === 0) return;
    asksAgainAtMs = performance.now() + limits.askEveryMs;
    await db.query(statements.ASK, [instance, missing]);
  }

  async function takeFree(): Promise<void> {
    await leaseWhatIsNeeded();
    await take(statements.ADOPT);
  }

  /** Renews the leases, and takes over what a dead instance left. */
  async function renew(): Promise<void> {
    const leased = (await db.query(statements.RENEW, [instance, limits.leaseMs, accounts])).map(addressOf);
    for (const address of held) if (!leased.includes(address)) lose(address);
    await welcome(leased.filter((address) => !held.has(address) && !leaving.has(address)));
    await takeFree();
    const forgotten = await db.query(statements.LEFT, [[...held], limits.forgottenAfterMs]);
    adopted = new Set(forgotten.map(({ hash }) => String(hash)).filter((hash) => adopted.has(hash)));
    follow(forgotten);
  }

  function lose(address: string): void {
    held.delete(address);
    log.warn({ submitter: address }, 'another instance may have taken over a channel account');
    events.lost(address);
  }

  function giveUp(addresses: readonly string[]): void {
    if (addresses.length === 0) return;
    for (const address of addresses) {
      held.delete(address);
      leaving.add(address);
    }
    void inTurn(async () => {
      for (const address of addresses) leaving.delete(address);
      await db.query(statements.GIVE_UP, [instance, addresses]);
    });
  }

  /** Gives up accounts that no payment has, as long as others need them more. */
  function giveWay(): void {
    const idle: string[] = [];
    for (const address of held) {
      if (!share.owes(held.size - idle.length, events.waiting())) break;
      if (!events.takeBack(address)) continue;
      share.paid();
      idle.push(address);
    }
    giveUp(idle);
  }

  /** Hears that another instance needs accounts, or that some have become free. */
  function hear(payload: string | undefined): void {
    const [other, count = '0'] = payload?.split(' ') ?? [];
    if (isClosed || other === instance) return;
    if (other === undefined || count === '0') return void inTurn(takeFree);
    share.note(other, Number(count));
    giveWay();
  }

  return {
    settledElsewhere: createSettledElsewhere(db, limits),
    async open(to) {
      events = to;
      db.listener.on(CHANNEL, hear);
      await inTurn(renew);
      timer = setInterval(() => {
        // While the database hangs, renewals must not pile up.
        renewal ??= inTurn(renew).finally(() => (renewal = undefined));
      }, limits.renewEveryMs).unref();
    },
    need() {
      asking ??= setTimeout(
        () => {
          asking = undefined;
          void inTurn(leaseWhatIsNeeded);
        },
        Math.max(0, asksAgainAtMs - performance.now()),
      ).unref();
    },
    giveUp(address) {
      if (!held.has(address) || !share.owes(held.size, events.waiting())) return false;
      share.paid();
      giveUp([address]);
      return true;
    },
    noteLoss: lose,
    drain() {
      share.owesAll();
      giveWay();
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      clearTimeout(asking);
      giveUp([...held]);
      await rounds;
    },
  };
}

const CHANNEL = `${SCHEMA}_accounts`;

const addressOf = ({ address }: Row): string => String(address);
