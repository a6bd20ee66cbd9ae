import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SettleResponse } from '../../src/contract/index.ts';
import { AMOUNT } from '../support/payments.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { readJournal } from '../world/journal.ts';
import { createLedgerReader } from '../world/ledger.ts';
import { unfinished, wrongRows } from '../world/oracle/rows.ts';
import { paidTwice } from '../world/oracle/transactions.ts';
import {
  eventually,
  expectStopped,
  listedAt,
  newPayment,
  openSite,
  settle,
  type SitePayment,
} from './site.ts';

const LEDGER_MS = 500;
const AT_EACH = 2;
/** What collides is sent again after a second. */
const TIMEOUT_MS = 120_000;

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ ledgerMs: LEDGER_MS });
});
afterEach(() => sandbox.faults.clear());
afterAll(() => sandbox.close());

const paid = ({ payTo }: SitePayment): bigint => sandbox.usdc(payTo);
const refusedAsPaid = { body: { errorReason: 'invalid_exact_stellar_payload_simulation_failed' } };
const settled = { body: { success: true } };

// As in a restart that does not wait: the same files, the same submitter.
test(
  'a second process that starts before the first one has ended harms nothing',
  { timeout: TIMEOUT_MS },
  async () => {
    const readLedger = createLedgerReader(sandbox.network);
    const site = await openSite(sandbox);
    const first = site.start();
    const firstUrl = await first.url;
    sandbox.stopLedgers();
    const [underWay, next] = [newPayment(sandbox), newPayment(sandbox)];
    const answer = settle(firstUrl, underWay);
    await site.called('sendTransaction');

    // What the first has under way is the second's as well: it waits for the same end.
    const second = site.start();
    const secondUrl = await second.url;
    const again = settle(secondUrl, underWay);
    const other = settle(secondUrl, next);
    sandbox.faults.clear();
    expect(await answer).toMatchObject(settled);
    expect(await again).toMatchObject(refusedAsPaid);
    expect(await other).toMatchObject(settled);

    // Of what comes now they do not know from each other, and of one payment both are asked.
    const asked = Array.from({ length: AT_EACH }, () =>
      [firstUrl, secondUrl].map((url) => ({ url, payment: newPayment(sandbox) })),
    ).flat();
    const both = newPayment(sandbox);
    asked.push({ url: firstUrl, payment: both }, { url: secondUrl, payment: both });
    const answers = await Promise.all(
      asked.map(async ({ url, payment }) => ({ payment, answer: await settle(url, payment) })),
    );
    for (const { payment, answer } of answers) {
      const { success } = answer.body as SettleResponse;
      const isPaid = paid(payment) === AMOUNT;
      // One that is refused was not paid, or was paid by the other process.
      expect([success, isPaid]).toEqual([success, success || payment === both]);
    }
    expect(paid(both)).toBe(AMOUNT);

    const listed = [underWay, next, ...answers.map(({ payment }) => payment)].filter(
      (one) => paid(one) === AMOUNT,
    );
    await eventually(() => listedAt(secondUrl)).toEqual(expect.arrayContaining(listed.map(({ url }) => url)));
    await eventually(() => unfinished(readJournal(site.journalPath))).toEqual([]);
    for (const service of [first, second]) {
      service.kill('SIGTERM');
      await expectStopped(service);
    }

    const journal = readJournal(site.journalPath);
    const ledger = readLedger();
    expect([...wrongRows(ledger, ledger, journal), ...unfinished(journal), ...paidTwice(ledger)]).toEqual([]);
  },
);
