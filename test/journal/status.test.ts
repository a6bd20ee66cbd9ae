import { describe, expect, onTestFinished, test } from 'vitest';
import { openJournalFile } from '../../src/journal/file.ts';
import { findSettlement, type KnownSettlement } from '../../src/journal/records/status.ts';
import { selectOfPayment } from '../../src/journal/records/select.ts';
import { SQLITE_RECORDS } from '../../src/journal/records/sqlite.ts';
import { spentFacts } from '../../src/journal/rows.ts';
import { SETTLE_LIMITS, type Outcome, type SpentPayment } from '../../src/scheme/index.ts';
import { postgres } from '../postgres/shared.ts';
import { entry, hashOf, included, openStoreOn, stores, type Store } from './stores.ts';

const PAYMENT = entry(1);
const REJECTED: Outcome = { state: 'rejected', reason: 'txBadSeq' };

describe.each(stores)('the status of a settlement, in %s,', (_store, isShared) => {
  async function openStore(): Promise<Store> {
    const store = await openStoreOn(isShared ? postgres : undefined);
    onTestFinished(() => store.close());
    return store;
  }

  /** Sends the nth transaction for the payment, with this outcome if there is one yet. */
  async function send({ journal, settled }: Store, nth: number, outcome?: Outcome): Promise<void> {
    await journal.open({ ...entry(nth), authorization: PAYMENT.authorization }, () => true);
    if (outcome === undefined) return;
    journal.close(hashOf(nth), outcome);
    await settled();
  }

  /** Asks by the payment, unless told; `laterMs` after the fact. */
  const ask = (
    { journal: { records } }: Store,
    asked: SpentPayment | string = PAYMENT,
    { isUnderWay = false, laterMs = 0 } = {},
  ): Promise<KnownSettlement> =>
    findSettlement(asked, { records, isUnderWay: () => isUnderWay, now: () => Date.now() + laterMs });

  const named = (status: string, nth: number) => ({ status, record: { hash: hashOf(nth) } });

  test('is unknown if nothing was sent, and pending while this process settles it', async () => {
    const store = await openStore();
    expect(await ask(store)).toEqual({ status: 'unknown', record: undefined });
    expect(await ask(store, PAYMENT, { isUnderWay: true })).toEqual({ status: 'pending', record: undefined });
    expect(await ask(store, hashOf(1))).toEqual({ status: 'unknown', record: undefined });
  });

  test('is pending from the sending to the outcome', async () => {
    const store = await openStore();
    await send(store, 1);
    expect(await ask(store)).toMatchObject(named('pending', 1));
    expect(await ask(store, hashOf(1))).toMatchObject(named('pending', 1));
  });

  test('is settled for good, whatever was sent before or after', async () => {
    const store = await openStore();
    await send(store, 1, { state: 'expired' });
    await send(store, 2, included(71));
    await send(store, 3, REJECTED);
    expect(await ask(store)).toMatchObject(named('settled', 2));
    expect(await ask(store, PAYMENT, { isUnderWay: true })).toMatchObject(named('settled', 2));
  });

  test('is that of the payment also for the hash of an earlier transaction', async () => {
    const store = await openStore();
    await send(store, 1, { state: 'expired' });
    await send(store, 2, included(71));
    expect(await ask(store, hashOf(1))).toMatchObject(named('settled', 2));
  });

  test.each<[string, Outcome]>([
    ['failed on the ledger', included(71, 'failed')],
    ['was rejected', REJECTED],
  ])('is refused if the last transaction %s', async (_what, outcome) => {
    const store = await openStore();
    await send(store, 1, { state: 'expired' });
    await send(store, 2, outcome);
    expect(await ask(store)).toMatchObject(named('refused', 2));
    expect(await ask(store, PAYMENT, { isUnderWay: true })).toMatchObject(named('pending', 2));
  });

  test('is refused after an expiry only once nobody sends another transaction', async () => {
    const store = await openStore();
    await send(store, 1, { state: 'expired' });
    expect(await ask(store)).toMatchObject(named('pending', 1));
    const laterMs = SETTLE_LIMITS.answerWithinMs;
    expect(await ask(store, PAYMENT, { laterMs })).toMatchObject(named('refused', 1));
  });

  test('is unknown, with its hash, if the network has forgotten a transaction that may have paid', async () => {
    const store = await openStore();
    await send(store, 1, { state: 'forgotten' });
    await send(store, 2, REJECTED);
    expect(await ask(store)).toMatchObject(named('unknown', 1));
  });

  test.each<[string, Partial<SpentPayment>]>([
    ['authorization', { authorization: 'GPAYER:2' }],
    ['recipient', { payTo: 'GOTHER' }],
    ['amount', { amount: PAYMENT.amount + 1n }],
    ['asset', { asset: 'COTHER' }],
  ])('is unknown for another %s', async (_what, other) => {
    const store = await openStore();
    await send(store, 1, included(71));
    expect(await ask(store, { ...PAYMENT, ...other })).toEqual({ status: 'unknown', record: undefined });
  });
});

test('the transactions of a payment are found in a file without reading all others', () => {
  const db = openJournalFile(':memory:');
  const plan = db
    .prepare(`EXPLAIN QUERY PLAN ${selectOfPayment(SQLITE_RECORDS.dialect)}`)
    .all(...spentFacts(PAYMENT));
  expect(plan[0]).toMatchObject({
    detail: expect.stringMatching(/^SEARCH entry USING INDEX entry_authorization \(authorization=\?\)/),
  });
  db.close();
});
