import { expect } from 'vitest';
import { type Answer } from '../http/support.ts';
import { AMOUNT } from '../support/payments.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { readJournal } from '../world/journal.ts';
import type { ServiceProcess } from './process.ts';
import { eventually, listedAt, newPayment, openSite, settle, type Site } from './site.ts';

/** A service with two settlements that cannot end: one was sent, the other waits for the only submitter. */
export interface StuckSite {
  site: Site;
  service: ServiceProcess;
  /** Of the one that was sent, and the one that waits. */
  answers: Promise<PromiseSettledResult<Answer>[]>;
  /** Starts the next service, which learns what was sent and lists it. What waited was never sent. */
  expectLearned(): Promise<ServiceProcess>;
}

/** No ledger closes from here on until `expectLearned`. */
export async function openStuckSite(sandbox: TestSandbox): Promise<StuckSite> {
  const site = await openSite(sandbox);
  const service = site.start();
  const url = await service.url;
  sandbox.stopLedgers();
  const [sent, waiting] = [newPayment(sandbox), newPayment(sandbox)];
  const first = settle(url, sent);
  await site.called('sendTransaction');
  site.forget();
  const second = settle(url, waiting);
  await site.called('simulateTransaction');
  return {
    site,
    service,
    answers: Promise.allSettled([first, second]),
    async expectLearned() {
      expect(readJournal(site.journalPath)).toMatchObject([{ status: null }]);
      // Before its time is over, however slow the machine is.
      sandbox.network.closeLedger();
      const next = site.start();
      const nextUrl = await next.url;
      const again = settle(nextUrl, sent);
      sandbox.faults.clear();
      expect((await again).body).toMatchObject({
        errorReason: 'invalid_exact_stellar_payload_simulation_failed',
      });
      expect([sent, waiting].map(({ payTo }) => sandbox.usdc(payTo))).toEqual([AMOUNT, 0n]);
      await eventually(() => listedAt(nextUrl)).toEqual([sent.url]);
      expect(readJournal(site.journalPath)).toMatchObject([{ status: 'success' }]);
      return next;
    },
  };
}

/** What the seller of a transaction is told that was sent, and whose ledger has not closed yet. */
export const notKnownYet = (hash: string) => ({
  errorReason: 'settle_exact_stellar_transaction_failed',
  errorMessage: expect.stringMatching(`^Transaction ${hash} was sent; .* is not known yet`),
});

/** What the seller of a payment is told that was never sent. */
export const NOT_SENT = {
  errorReason: 'unexpected_settle_error',
  errorMessage: expect.stringContaining('nothing was sent'),
};
