import { Webhook } from 'standardwebhooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Events } from '../../src/journal/index.ts';
import { createWebhooks, type Webhooks } from '../../src/webhooks/index.ts';
import { retryDelayMs, WEBHOOK_LIMITS, type WebhookLimits } from '../../src/webhooks/limits.ts';
import { entry, hashOf, included, openStoreOn } from '../journal/stores.ts';
import {
  openWebhookReceiver,
  WEBHOOK_SECRET,
  type Answer,
  type WebhookReceiver,
} from '../world/webhookReceiver.ts';

const QUICK: Partial<WebhookLimits> = {
  firstRetryMs: 2,
  maxRetryMs: 8,
  pollIntervalMs: 5,
  attemptTimeoutMs: 300,
  closeWithinMs: 50,
};

const said: { level: string; message: string; fields: Record<string, unknown> }[] = [];
const say = (level: string) => (fields: object, message: string) =>
  void said.push({ level, message, fields: { ...fields } });
const log = { info: say('info'), warn: say('warn'), error: say('error') };
beforeEach(() => void (said.length = 0));

interface Scene {
  receiver: WebhookReceiver;
  webhooks: Webhooks;
  counts: { delivered: number; failed: number; givenUp: number };
  /** Records that payments to these recipients settled, numbered from 1. */
  settle(...recipients: string[]): Promise<void>;
}

async function open(
  limits: Partial<WebhookLimits> = {},
  change: (events: Events) => Events = (events) => events,
  { isOff = false, now = Date.now }: { isOff?: boolean; now?: () => number } = {},
): Promise<Scene> {
  const { journal, close } = await openStoreOn(undefined, { hasEvents: true, now });
  const receiver = await openWebhookReceiver();
  const counts = { delivered: 0, failed: 0, givenUp: 0 };
  const webhooks = createWebhooks({
    url: receiver.url,
    secret: WEBHOOK_SECRET,
    events: change(journal.events!),
    log,
    observer: {
      delivered: () => void (counts.delivered += 1),
      failed: () => void (counts.failed += 1),
      givenUp: () => void (counts.givenUp += 1),
    },
    limits: { ...QUICK, ...limits },
  });
  onTestFinished(async () => {
    await webhooks.close();
    await receiver.close();
    await close();
  });
  if (!isOff) webhooks.start();
  let settled = 0;
  return {
    receiver,
    webhooks,
    counts,
    async settle(...recipients) {
      for (const payTo of recipients) {
        settled += 1;
        await journal.open(entry(settled, { payTo }), () => true);
        journal.close(hashOf(settled), included(71));
      }
    },
  };
}

const settledId = (nth: number): string => `settled_${hashOf(nth)}`;
const pending = ({ webhooks }: Scene) => expect.poll(async () => (await webhooks.state()).pending);

test('an outcome is told once, in a message that is signed', async () => {
  const scene = await open();
  const { receiver, settle, counts } = scene;
  await settle('GSHOP');
  await pending(scene).toBe(0);
  const [arrival, ...others] = receiver.arrivals;
  expect([others, counts]).toEqual([[], { delivered: 1, failed: 0, givenUp: 0 }]);
  const { id, timestamp, body, isSigned, path } = arrival!;
  expect([id, isSigned, path]).toEqual([settledId(1), true, '/hooks?key=0123456789']);
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': new Webhook(WEBHOOK_SECRET).sign(id, new Date(Number(timestamp) * 1_000), body),
  };
  expect(new Webhook(WEBHOOK_SECRET).verify(body, headers)).toEqual({
    type: 'settlement.settled',
    timestamp: expect.any(String),
    data: {
      hash: hashOf(1),
      status: 'settled',
      payer: 'GPAYER',
      payTo: 'GSHOP',
      amount: '10000',
      asset: 'CASSET',
      resource: 'https://shop.example/weather',
      caller: 'anonymous',
      requestId: 'request-1',
      feeStroops: 22_000,
      ledger: 71,
      askedAt: expect.any(String),
      verifiedAt: expect.any(String),
      sentAt: expect.any(String),
      closedAt: '2026-05-28T20:27:51.000Z',
      endedAt: arrival!.content.timestamp,
    },
  });
  expect(said).toEqual([]);
});

describe('a message is sent again, the same under the same id, after', () => {
  const failures: [what: string, answer: Answer, failure: string][] = [
    ['a fault of the receiver', { status: 500 }, 'HTTP status 500'],
    [
      'a redirect, which is not followed',
      { status: 307, headers: { location: '/elsewhere' } },
      'HTTP status 307',
    ],
    ['Gone, like any other status', { status: 410 }, 'HTTP status 410'],
    ['an answer that is lost', 'lost', 'other side closed'],
    ['silence', 'silence', 'no answer in time'],
  ];
  test.each(failures)('%s', async (_what, answer, failure) => {
    const scene = await open();
    const { receiver, settle, counts, webhooks } = scene;
    receiver.answer = () => (receiver.arrivals.length < 2 ? answer : { status: 200 });
    await settle('GSHOP');
    await pending(scene).toBe(0);
    const { arrivals } = receiver;
    expect(arrivals.map(({ id, body, path, isSigned }) => [id, body, path, isSigned])).toEqual(
      Array(3).fill([settledId(1), arrivals[0]!.body, '/hooks?key=0123456789', true]),
    );
    expect(counts).toEqual({ delivered: 1, failed: 2, givenUp: 0 });
    expect(await webhooks.ofSettlement(hashOf(1))).toMatchObject({ state: 'delivered' });
    expect(said.map(({ level, fields }) => [level, fields['receiver']])).toEqual([
      ['warn', new URL(receiver.url).origin],
      ['info', new URL(receiver.url).origin],
    ]);
    expect(said[0]!.fields).toMatchObject({ event: settledId(1), failure, failures: 1 });
  });
});

test('of an answer only the status counts: a body without end is dropped', async () => {
  const scene = await open();
  scene.receiver.answer = () => ({ status: 200, endlessBody: true });
  await scene.settle('GSHOP');
  await pending(scene).toBe(0);
  expect(scene.counts).toEqual({ delivered: 1, failed: 0, givenUp: 0 });
});

describe('Retry-After', () => {
  test.each([
    ['seconds', 429, () => '3000'],
    ['a date', 503, () => new Date(Date.now() + 3_000_000).toUTCString()],
  ])('as %s is honoured, and rests all deliveries', async (_what, status, retryAfter) => {
    const { receiver, settle, webhooks } = await open();
    receiver.answer = () => ({ status, headers: { 'retry-after': retryAfter() } });
    await settle('GSHOP');
    const dueAt = async (): Promise<number> => {
      const progress = await webhooks.ofSettlement(hashOf(1));
      return progress?.state === 'pending' && progress.failure !== undefined ? progress.dueAt!.getTime() : 0;
    };
    await expect.poll(dueAt).toBeGreaterThan(Date.now() + 2_000_000);
    await settle('GOTHER');
    await sleep(50);
    expect(receiver.arrivals).toHaveLength(1);
  });

  test('is bounded', async () => {
    const scene = await open({ maxRetryAfterMs: 20 });
    const { receiver, settle } = scene;
    const headers = { 'retry-after': '999999999' };
    receiver.answer = () => (receiver.arrivals.length === 0 ? { status: 503, headers } : { status: 200 });
    await settle('GSHOP');
    await pending(scene).toBe(0);
  });

  test('of another status counts for nothing', async () => {
    const scene = await open();
    const { receiver, settle } = scene;
    const headers = { 'retry-after': '3000' };
    receiver.answer = () => (receiver.arrivals.length === 0 ? { status: 500, headers } : { status: 200 });
    await settle('GSHOP');
    await pending(scene).toBe(0);
  });
});

test('a message is given up after its last attempt; then the next one of its recipient comes, and it can be sent again', async () => {
  const scene = await open({ maxAttempts: 3 });
  const { receiver, settle, webhooks, counts } = scene;
  receiver.answer = ({ id }) => ({ status: id === settledId(1) ? 400 : 200 });
  await settle('GSHOP', 'GSHOP');
  await pending(scene).toBe(0);
  const ids = (): string[] => receiver.arrivals.map(({ id }) => id);
  expect(ids()).toEqual([settledId(1), settledId(1), settledId(1), settledId(2)]);
  expect(counts).toEqual({ delivered: 1, failed: 3, givenUp: 1 });
  expect(said.filter(({ level }) => level === 'error')).toMatchObject([
    {
      message: expect.stringMatching(/^a webhook is given up/),
      fields: { event: settledId(1), attempts: 3 },
    },
  ]);
  expect(await webhooks.deadLetters(10)).toMatchObject({
    letters: [{ id: settledId(1), attempts: 3, failure: 'HTTP status 400' }],
  });
  receiver.answer = () => ({ status: 200 });
  expect(await webhooks.retry(settledId(1))).toBe(true);
  await expect.poll(ids).toHaveLength(5);
  await pending(scene).toBe(0);
  expect(await webhooks.deadLetters(10)).toMatchObject({ letters: [] });
});

test('a message is told as given up only once the journal has it so', async () => {
  const failing = (events: Events): Events => ({
    ...events,
    giveUp: () => Promise.reject(new Error('the disk is full')),
  });
  const { receiver, settle, counts } = await open({ maxAttempts: 1 }, failing);
  receiver.answer = () => ({ status: 400 });
  await settle('GSHOP');
  await expect
    .poll(() => said.map(({ message }) => message))
    .toContain('webhooks wait: the journal cannot be read or written');
  expect(counts).toEqual({ delivered: 0, failed: 1, givenUp: 0 });
});

test('a message that waited for a week is not given up for that', async () => {
  let behindMs = 7 * 24 * 3_600_000;
  const { receiver, settle, webhooks, counts } = await open({}, undefined, {
    now: () => Date.now() - behindMs,
    isOff: true,
  });
  receiver.answer = () => ({ status: receiver.arrivals.length === 0 ? 500 : 200 });
  await settle('GSHOP');
  behindMs = 0;
  webhooks.start();
  await expect.poll(() => counts).toEqual({ delivered: 1, failed: 1, givenUp: 0 });
});

test('a message that failed is sent again after its pause, although the clock was set back meanwhile', async () => {
  let behindMs = 0;
  const { receiver, settle, counts } = await open({ firstRetryMs: 500, maxRetryMs: 500 }, undefined, {
    now: () => Date.now() - behindMs,
  });
  receiver.answer = () => ({ status: receiver.arrivals.length === 0 ? 500 : 200 });
  await settle('GSHOP');
  await expect.poll(() => counts.failed).toBe(1);
  behindMs = 24 * 3_600_000;
  await expect.poll(() => counts).toEqual({ delivered: 1, failed: 1, givenUp: 0 });
});

test('a receiver that is silent has a bounded number of messages at a time, and the journal goes on', async () => {
  const scene = await open({ maxAtOnce: 3, attemptTimeoutMs: 60_000 });
  const { receiver, settle, webhooks } = scene;
  receiver.answer = () => 'silence';
  await settle(...Array.from({ length: 20 }, (_, nth) => `GSHOP${nth}`));
  await expect.poll(() => receiver.arrivals.length).toBe(3);
  await settle(...Array.from({ length: 20 }, (_, nth) => `GSHOP${nth}`));
  await sleep(50);
  expect(receiver.arrivals).toHaveLength(3);
  expect(await webhooks.state()).toMatchObject({ pending: 40 });
});

test('a store that fails delays what it has', async () => {
  let fails = true;
  const scene = await open({}, (events) => ({
    ...events,
    claim(limit, leaseMs) {
      if (fails) throw new Error('database is locked');
      return events.claim(limit, leaseMs);
    },
  }));
  await scene.settle('GSHOP');
  const faults = (): unknown[] => said.filter(({ level }) => level === 'error');
  await expect.poll(faults).toMatchObject([{ message: expect.stringMatching(/^webhooks wait: /) }]);
  await sleep(30);
  expect(faults()).toHaveLength(1);
  fails = false;
  await pending(scene).toBe(0);
});

test('the pause before an attempt doubles up to its maximum, and a part of it is random', () => {
  const pause = (attempts: number, random: number): number =>
    retryDelayMs(attempts, WEBHOOK_LIMITS, () => random);
  expect([1, 2, 3, 10, 11, 100].map((attempts) => pause(attempts, 0.5))).toEqual([
    1_000, 2_000, 4_000, 512_000, 900_000, 900_000,
  ]);
  expect([pause(1, 0), pause(1, 1)]).toEqual([875, 1_125]);
  const total = Array.from({ length: WEBHOOK_LIMITS.maxAttempts - 1 }, (_, nth) => pause(nth + 1, 0));
  expect(total.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(24 * 3_600_000);
});
