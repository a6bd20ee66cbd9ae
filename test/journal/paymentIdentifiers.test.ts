import { describe, expect, onTestFinished, test } from 'vitest';
import type { Journal } from '../../src/journal/index.ts';
import type { JournalEntry, Opened, Outcome } from '../../src/scheme/index.ts';
import { postgres } from '../postgres/shared.ts';
import { entry, hashOf, included, openStoreOn, stores } from './stores.ts';

const paymentIdentifier = 'pay_7d5d747be160e280';

describe.each(stores)('under one payment-identifier, in %s,', (_store, isShared) => {
  async function openStore(): Promise<Journal> {
    const store = await openStoreOn(isShared ? postgres : undefined);
    onTestFinished(() => store.close());
    return store.journal;
  }
  const open = async (journal: Journal, nth: number, changes: Partial<JournalEntry> = {}): Promise<Opened> =>
    journal.open(entry(nth, { paymentIdentifier, ...changes }), () => true);

  test('no other payment to the recipient is sent while one is under way', async () => {
    const journal = await openStore();
    expect(await open(journal, 1)).toBe('open');
    expect(await open(journal, 2)).toBe('identifier taken');
    expect(await open(journal, 3, { payTo: 'GOTHER' })).toBe('open');
    expect(await open(journal, 4, { paymentIdentifier: 'pay_another_identifier' })).toBe('open');
    expect(await open(journal, 5, { paymentIdentifier: undefined })).toBe('open');
    expect(await journal.records.withHash(hashOf(2))).toBeUndefined();
  });

  test('a payment is signed again', async () => {
    const journal = await openStore();
    const authorization = 'GPAYER:1';
    await open(journal, 1);
    expect(await open(journal, 2, { authorization })).toBe('open');
  });

  test.each<[string, Outcome, Opened]>([
    ['none is sent after one that settled', included(71), 'identifier taken'],
    ['none is sent after one that may have settled', { state: 'forgotten' }, 'identifier taken'],
    ['another is sent after one that failed', included(71, 'failed'), 'open'],
    ['another is sent after one that expired', { state: 'expired' }, 'open'],
  ])('%s', async (_rule, outcome, opened) => {
    const journal = await openStore();
    await open(journal, 1);
    journal.close(hashOf(1), outcome);
    await expect.poll(async () => (await journal.records.withHash(hashOf(1)))?.status).not.toBe('pending');
    expect(await open(journal, 2)).toBe(opened);
  });

  test('of two at once, one is sent', async () => {
    const journal = await openStore();
    const opened = await Promise.all([open(journal, 1), open(journal, 2)]);
    expect(opened.sort()).toEqual(['identifier taken', 'open']);
  });

  test('the record shows it', async () => {
    const journal = await openStore();
    await open(journal, 1);
    expect(await journal.records.withHash(hashOf(1))).toMatchObject({ paymentIdentifier });
  });
});
