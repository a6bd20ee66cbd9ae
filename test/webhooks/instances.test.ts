import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeRoomForEvents } from '../../src/journal/events/postgres.ts';
import { openSharedJournal, type Journal } from '../../src/journal/index.ts';
import { JOURNAL_LIMITS } from '../../src/journal/limits.ts';
import { createSharedJournal } from '../../src/journal/postgres/journal.ts';
import { SHARED_LIMITS } from '../../src/journal/postgres/limits.ts';
import { LEASE } from '../../src/journal/postgres/statements.ts';
import { createDatabase, type Database } from '../../src/store/postgres.ts';
import { createWebhooks, type Webhooks } from '../../src/webhooks/index.ts';
import { entry, hashOf, included, SUBMITTER } from '../journal/stores.ts';
import { binaries } from '../postgres/server.ts';
import { postgres } from '../postgres/shared.ts';
import { NETWORK } from '../support/playedNetwork.ts';
import { silent } from '../support/service.ts';
import {
  openWebhookReceiver,
  WEBHOOK_SECRET,
  type Answer,
  type WebhookReceiver,
} from '../world/webhookReceiver.ts';

if (binaries === undefined)
  console.log('skipped: webhooks of several instances, as this machine has no PostgreSQL');

const SHOPS = 5;
const LIMITS = { pollIntervalMs: 10, firstRetryMs: 5, maxRetryMs: 20, leaseMs: 700, closeWithinMs: 50 };

interface Instance {
  db: Database;
  journal: Journal;
  webhooks: Webhooks;
  receiver: WebhookReceiver;
}

describe.skipIf(binaries === undefined)('several instances', () => {
  /** Each has a receiver of its own, so that the test sees who tells what. */
  async function open(url: string): Promise<Instance> {
    const db = createDatabase({ url, log: silent });
    const options = { db, network: NETWORK, accounts: [SUBMITTER], log: silent, eventsDb: db };
    const { journal } = await openSharedJournal(options);
    const receiver = await openWebhookReceiver();
    const events = journal.events!;
    const deps = { url: receiver.url, secret: WEBHOOK_SECRET, events, log: silent, limits: LIMITS };
    const webhooks = createWebhooks(deps);
    onTestFinished(async () => {
      await webhooks.close();
      await receiver.close();
      await journal.end();
      await db.close().catch(() => {});
    });
    return { db, journal, webhooks, receiver };
  }

  /** Settles payments to some shops in turn, by an instance that has the account. */
  async function settle(url: string, from: number, to: number): Promise<void> {
    const db = createDatabase({ url, log: silent });
    const instance = randomUUID();
    await db.query(LEASE, [instance, 600_000, [SUBMITTER], 1]);
    const journal = createSharedJournal({
      db,
      instance,
      log: silent,
      limits: SHARED_LIMITS,
      eventsDb: db,
    });
    for (let nth = from; nth < to; nth += 1) {
      const payTo = `GSHOP${nth % SHOPS}`;
      expect(await journal.open(entry(nth, { payTo }), () => true)).toBe('open');
      journal.close(hashOf(nth), included(71));
    }
    await journal.end();
    await db.close();
  }

  test('tell each recipient’s outcomes in order and never two at a time, whoever does it', async () => {
    const url = await postgres.database();
    const instances = [await open(url), await open(url), await open(url)];
    const order = new Map<string, string[]>();
    const underWay = new Map<string, number>();
    let overlaps = 0;
    for (const [nth, { receiver }] of instances.entries())
      receiver.answer = ({ id, content }): Answer => {
        const shop = String(content.data['payTo']);
        const count = (underWay.get(shop) ?? 0) + 1;
        underWay.set(shop, count);
        if (count > 1) overlaps += 1;
        const delayMs = (receiver.arrivals.length * 7 + nth * 3) % 20;
        setTimeout(() => void underWay.set(shop, underWay.get(shop)! - 1), delayMs);
        const fails = receiver.arrivals.length % 4 === 3;
        if (!fails) order.set(shop, [...(order.get(shop) ?? []), id]);
        return { status: fails ? 500 : 200, delayMs };
      };
    for (const { webhooks } of instances) webhooks.start();
    await settle(url, 0, 100);
    await expect.poll(async () => (await instances[0]!.webhooks.state()).pending).toBe(0);
    expect(overlaps).toBe(0);
    for (let shop = 0; shop < SHOPS; shop += 1) {
      const all = Array.from({ length: 100 }, (_, nth) => nth).filter((nth) => nth % SHOPS === shop);
      expect(order.get(`GSHOP${shop}`)).toEqual(all.map((nth) => `settled_${hashOf(nth)}`));
    }
    // Everybody had a part in it.
    for (const { receiver } of instances) expect(receiver.arrivals.length).toBeGreaterThan(0);
  });

  test('tell what one of them had claimed and did not tell, once its claim has lapsed', async () => {
    const url = await postgres.database();
    const [dead, alive] = [await open(url), await open(url)];
    dead.receiver.answer = () => 'silence';
    await settle(url, 0, 2 * SHOPS);
    dead.webhooks.start();
    await expect.poll(() => dead.receiver.arrivals.length).toBe(SHOPS);
    await dead.db.close();
    alive.webhooks.start();
    await sleep(100);
    expect(alive.receiver.arrivals).toEqual([]);
    await expect.poll(async () => (await alive.webhooks.state()).pending).toBe(0);
    expect(alive.receiver.taken().size).toBe(2 * SHOPS);
  });

  test('do not give up an event because it waited for a week', async () => {
    const url = await postgres.database();
    const { db, webhooks, receiver } = await open(url);
    receiver.answer = () => ({ status: receiver.arrivals.length === 0 ? 500 : 200 });
    await settle(url, 0, 1);
    await db.query(`UPDATE facilitator.event SET queued_at = queued_at - interval '7 days'`);
    webhooks.start();
    await expect.poll(() => receiver.arrivals.length).toBe(2);
    expect(await webhooks.state()).toMatchObject({ dead: 0 });
  });

  test('keep no more events than they may: the oldest become dead letters, and then go', async () => {
    const url = await postgres.database();
    const { db, journal } = await open(url);
    await settle(url, 0, 20);
    const limits = { ...JOURNAL_LIMITS, eventsKept: 8, deadEventsKept: 5 };
    expect(await makeRoomForEvents(db, limits)).toBe(12);
    expect(await makeRoomForEvents(db, limits)).toBe(0);
    expect(await journal.events!.state()).toMatchObject({ pending: 8, dead: 5 });
    const claimed = await journal.events!.claim(100, 60_000);
    const oldest = [12, 13, 14, 15, 16].map((nth) => `settled_${hashOf(nth)}`);
    expect(claimed.map(({ id }) => id).toSorted()).toEqual(oldest);
  });
});
