import { describe, expect, onTestFinished, test } from 'vitest';
import { openJournalFile } from '../../src/journal/file.ts';
import { SETTLED_BY, spentFacts } from '../../src/journal/rows.ts';
import type { SpentPayment } from '../../src/scheme/index.ts';
import { postgres } from '../postgres/shared.ts';
import { entry, hashOf, included, openStoreOn, stores } from './stores.ts';

const PAYMENT = entry(1);

describe.each(stores)('the transaction that settled a payment, in %s,', (_store, isShared) => {
  async function openStore() {
    const store = await openStoreOn(isShared ? postgres : undefined);
    onTestFinished(() => store.close());
    return store;
  }

  test('is known once a ledger has it', async () => {
    const { journal, settled } = await openStore();
    expect(await journal.settledBy(PAYMENT)).toBeUndefined();
    await journal.open(PAYMENT, () => true);
    expect(await journal.settledBy(PAYMENT)).toBeUndefined();
    journal.close(hashOf(1), included(71));
    await settled();
    expect(await journal.settledBy(PAYMENT)).toBe(hashOf(1));
  });

  test('is none that failed on the ledger', async () => {
    const { journal, settled } = await openStore();
    await journal.open(PAYMENT, () => true);
    journal.close(hashOf(1), included(71, 'failed'));
    await settled();
    expect(await journal.settledBy(PAYMENT)).toBeUndefined();
  });

  test.each<[string, Partial<SpentPayment>]>([
    ['authorization', { authorization: 'GPAYER:2' }],
    ['recipient', { payTo: 'GOTHER' }],
    ['amount', { amount: PAYMENT.amount + 1n }],
    ['asset', { asset: 'COTHER' }],
  ])('is none of another %s', async (_what, other) => {
    const { journal, settled } = await openStore();
    await journal.open(PAYMENT, () => true);
    journal.close(hashOf(1), included(71));
    await settled();
    expect(await journal.settledBy({ ...PAYMENT, ...other })).toBeUndefined();
  });
});

test('the transaction that settled a payment is found in a file without reading all others', () => {
  const db = openJournalFile(':memory:');
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${SETTLED_BY}`).all(...spentFacts(PAYMENT));
  expect(plan.map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^SEARCH entry USING INDEX entry_authorization \(authorization=\?\)/),
  ]);
  db.close();
});
