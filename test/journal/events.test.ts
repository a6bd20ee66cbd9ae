import { Account, Keypair, MuxedAccount } from '@stellar/stellar-sdk';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Event, Events } from '../../src/journal/index.ts';
import type { JournalEntry, Outcome } from '../../src/scheme/index.ts';
import { binaries } from '../postgres/server.ts';
import { postgres } from '../postgres/shared.ts';
import { entry, hashOf, included, openStoreOn, stores, type Store } from './stores.ts';

if (binaries === undefined) console.log('skipped: events in a database, as this machine has no PostgreSQL');

const LEASE_MS = 60_000;
const [SHOP, OTHER_SHOP] = [1, 2].map((n) => Keypair.fromRawEd25519Seed(Buffer.alloc(32, n)).publicKey()) as [
  string,
  string,
];
const muxed = (id: string): string => new MuxedAccount(new Account(SHOP, '0'), id).accountId();

const idsOf = (events: readonly Event[]): string[] => events.map(({ id }) => id).toSorted();
const settledId = (nth: number): string => `settled_${hashOf(nth)}`;

describe.each(stores)('events in %s', (_name, isShared) => {
  async function open(hasEvents = true): Promise<Store & { events: Events }> {
    const store = await openStoreOn(isShared ? postgres : undefined, { hasEvents });
    onTestFinished(() => store.close());
    return { ...store, events: store.journal.events! };
  }

  async function end(
    { journal, settled }: Store,
    nth: number,
    outcome: Outcome,
    changes: Partial<JournalEntry> = {},
  ): Promise<void> {
    expect(await journal.open(entry(nth, changes), () => true)).toBe('open');
    journal.close(hashOf(nth), outcome);
    await settled();
  }

  /** Settles payments to these recipients, one after the other, numbered from 1. */
  async function settle(store: Store, ...recipients: string[]): Promise<void> {
    for (const [index, payTo] of recipients.entries())
      await end(store, index + 1, included(71), { payTo, authorization: `GPAYER:${index}` });
  }

  test('are the outcomes that a ledger decided, once each', async () => {
    const store = await open();
    const others = ['GA', 'GB', 'GC', 'GD', 'GE'].map((payTo) => ({ payTo: `${payTo}${payTo}` }));
    await end(store, 1, included(71), others[0]);
    await end(store, 2, included(71, 'failed'), others[1]);
    await end(store, 3, { state: 'rejected', reason: 'txBadSeq' }, others[2]);
    await end(store, 4, { state: 'expired' }, others[3]);
    await end(store, 5, { state: 'forgotten' }, others[4]);
    for (const nth of [1, 2])
      store.journal.close(hashOf(nth), included(71, nth === 1 ? 'applied' : 'failed'));
    await store.settled();
    const claimed = await store.events.claim(10, LEASE_MS);
    expect(idsOf(claimed)).toEqual([`failed_${hashOf(2)}`, settledId(1)]);
    expect(await store.events.state()).toMatchObject({ pending: 2, dead: 0, lastFailure: undefined });
  });

  test('of a process without webhooks are not written', async () => {
    const store = await open(false);
    await end(store, 1, included(71));
    expect(store.journal.events).toBeUndefined();
  });

  test('tell what the record tells', async () => {
    const store = await open();
    await end(store, 1, included(71, 'failed'));
    const [event] = await store.events.claim(1, LEASE_MS);
    const record = await store.journal.records.withHash(hashOf(1));
    expect(event!.record).toEqual(record);
  });

  test('of a recipient are due one after the other, by whatever address it was paid; others do not wait', async () => {
    const store = await open();
    const { events } = store;
    await settle(store, SHOP, muxed('7'), OTHER_SHOP, muxed('8'));
    for (const expected of [[1, 3], [2], [4], []]) {
      const claimed = await events.claim(10, LEASE_MS);
      expect(idsOf(claimed)).toEqual(expected.map(settledId));
      expect(await events.claim(10, LEASE_MS)).toEqual([]);
      for (const event of claimed) await events.delivered(event);
    }
    expect(await events.state()).toMatchObject({ pending: 0, oldestAt: undefined });
  });

  test('whose claimant says nothing are due again after the lease, and what it says then changes nothing', async () => {
    const store = await open();
    const { events } = store;
    await settle(store, SHOP);
    const [first] = await events.claim(1, 0);
    const [second] = await events.claim(1, LEASE_MS);
    expect([first!.attempts, second!.attempts]).toEqual([1, 2]);
    await events.putOff(first!, 'late', 0);
    await events.giveUp(first!, 'late');
    expect(await events.claim(1, LEASE_MS)).toEqual([]);
    expect(await events.state()).toMatchObject({ pending: 1, dead: 0 });
    await events.delivered(first!);
    expect(await events.state()).toMatchObject({ pending: 0 });
  });

  test('that are put off hold up only their recipient', async () => {
    const store = await open();
    const { events } = store;
    await settle(store, SHOP, SHOP, OTHER_SHOP);
    const [first] = await events.claim(1, LEASE_MS);
    await events.putOff(first!, 'HTTP status 500', LEASE_MS);
    expect(idsOf(await events.claim(10, LEASE_MS))).toEqual([settledId(3)]);
    expect(await events.state()).toMatchObject({
      pending: 3,
      lastFailure: { id: settledId(1), text: 'HTTP status 500' },
    });
    await events.putOff({ ...first! }, 'HTTP status 500', 0);
    await sleep(5);
    expect(idsOf(await events.claim(10, LEASE_MS))).toEqual([settledId(1)]);
  });

  test('that are given up are dead letters, the next one is due, and a letter that is sent again comes last', async () => {
    const store = await open();
    const { events } = store;
    await settle(store, SHOP, SHOP, SHOP, SHOP);
    for (const nth of [1, 2]) {
      const [event] = await events.claim(1, LEASE_MS);
      expect(event!.id).toBe(settledId(nth));
      await events.giveUp(event!, 'HTTP status 400');
    }
    const page = (await events.deadLetters(1))!;
    expect(page.letters).toMatchObject([{ id: settledId(2), failure: 'HTTP status 400', attempts: 1 }]);
    const last = (await events.deadLetters(1, page.next))!;
    expect(last).toMatchObject({ letters: [{ id: settledId(1), record: { payTo: SHOP } }], next: undefined });
    expect(await events.deadLetters(1, 'x')).toBeUndefined();

    expect(await events.retry(settledId(1))).toBe(true);
    expect(await events.retry(settledId(1))).toBe(false);
    expect(await events.retry(settledId(9))).toBe(false);
    for (const nth of [3, 4, 1]) {
      const [event, ...others] = await events.claim(10, LEASE_MS);
      expect([event!.id, event!.attempts, others]).toEqual([settledId(nth), 1, []]);
      await events.delivered(event!);
    }
    expect(await events.state()).toMatchObject({ pending: 0, dead: 1 });
    expect(await events.retry(settledId(2))).toBe(true);
    expect(idsOf(await events.claim(10, LEASE_MS))).toEqual([settledId(2)]);
  });

  test('that fail can be given up by hand, whoever has claimed them; the next one is then due', async () => {
    const store = await open();
    const { events } = store;
    await settle(store, SHOP, SHOP, OTHER_SHOP);
    const [first] = await events.claim(1, LEASE_MS);
    expect(await events.failing(10)).toEqual([]);
    expect(await events.giveUpFailing(settledId(1))).toBe(false);
    await events.putOff(first!, 'HTTP status 400', 0);
    await sleep(5);
    const again = (await events.claim(10, LEASE_MS)).find(({ id }) => id === settledId(1))!;
    expect(await events.failing(10)).toMatchObject([
      { id: settledId(1), record: { payTo: SHOP }, failure: 'HTTP status 400', attempts: 2 },
    ]);
    for (const nth of [2, 3, 9]) expect(await events.giveUpFailing(settledId(nth))).toBe(false);
    expect(await events.giveUpFailing(settledId(1))).toBe(true);
    expect(await events.giveUpFailing(settledId(1))).toBe(false);
    await events.putOff(again, 'late', 0);
    expect(await events.failing(10)).toEqual([]);
    expect(await events.deadLetters(10)).toMatchObject({
      letters: [{ id: settledId(1), failure: 'HTTP status 400' }],
    });
    expect(idsOf(await events.claim(10, LEASE_MS))).toEqual([settledId(2)]);
  });

  test('that were given up fail no longer once they are sent again, and can be discarded for good', async () => {
    const store = await open();
    const { events } = store;
    await settle(store, SHOP);
    const [event] = await events.claim(1, LEASE_MS);
    expect(await events.discard(settledId(1))).toBe(false);
    await events.giveUp(event!, 'HTTP status 400');
    await events.retry(settledId(1));
    expect(await events.failing(10)).toEqual([]);
    const [again] = await events.claim(1, LEASE_MS);
    await events.giveUp(again!, 'HTTP status 400');
    expect(await events.discard(settledId(1))).toBe(true);
    expect(await events.discard(settledId(1))).toBe(false);
    expect(await events.state()).toMatchObject({ pending: 0, dead: 0 });
    expect(await events.ofSettlement(hashOf(1))).toBeUndefined();
  });

  test('tell of a settlement how far they are', async () => {
    const store = await open();
    const { events } = store;
    await settle(store, SHOP, SHOP);
    expect(await events.ofSettlement(hashOf(9))).toBeUndefined();
    expect(await events.ofSettlement(hashOf(2))).toEqual({
      state: 'pending',
      attempts: 0,
      failure: undefined,
      dueAt: undefined,
    });
    const [first] = await events.claim(1, LEASE_MS);
    await events.putOff(first!, 'HTTP status 500', 0);
    expect(await events.ofSettlement(hashOf(1))).toMatchObject({
      state: 'pending',
      attempts: 1,
      failure: 'HTTP status 500',
      dueAt: expect.any(Date),
    });
    await events.delivered(first!);
    expect(await events.ofSettlement(hashOf(1))).toEqual({ state: 'delivered', at: expect.any(Date) });
    const [second] = await events.claim(1, LEASE_MS);
    await events.giveUp(second!, 'no answer in time');
    expect(await events.ofSettlement(hashOf(2))).toMatchObject({
      state: 'dead',
      failure: 'no answer in time',
    });
  });
});
