import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SETTLE_LIMITS } from '../../src/scheme/limits.ts';
import { post, type Answer } from '../http/support.ts';
import { AMOUNT } from '../support/payments.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import type { ServiceProcess } from './process.ts';
import { readJournal } from '../world/journal.ts';
import {
  eventually,
  expectStopped,
  listedAt,
  newPayment,
  openSite,
  settle,
  type Site,
  type SitePayment,
} from './site.ts';

const LEDGER_MS = 500;
/** Some wait as long as the service does. */
const TIMEOUT_MS = 90_000;

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ ledgerMs: LEDGER_MS });
});
afterAll(() => sandbox.close());

const paid = ({ payTo }: SitePayment): bigint => sandbox.usdc(payTo);

afterEach(() => sandbox.faults.clear());

describe('SIGTERM', () => {
  test('lets a settlement under way end: answered, listed, journaled, and nobody else is let in', async () => {
    const site = await openSite(sandbox);
    const service = site.start();
    const url = await service.url;
    const payment = newPayment(sandbox);
    sandbox.stopLedgers();
    const answer = settle(url, payment);
    await site.called('sendTransaction');
    service.kill('SIGTERM');
    await service.line(/"msg":"stopping"/);
    await expect(fetch(`${url}/health`)).rejects.toThrow();
    sandbox.faults.clear();
    const { body, headers } = await answer;
    expect(body).toMatchObject({ success: true });
    expect(headers).toMatchObject({ connection: 'close' });
    expect(paid(payment)).toBe(AMOUNT);
    await expectStopped(service);
    expect(readJournal(site.journalPath)).toMatchObject([{ status: 'success' }]);

    const next = site.start();
    const nextUrl = await next.url;
    await eventually(() => listedAt(nextUrl)).toEqual([payment.url]);
    next.kill('SIGTERM');
    await expectStopped(next);
  });

  test('lets a verdict under way be found', async () => {
    const site = await openSite(sandbox);
    const service = site.start();
    const url = await service.url;
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: goOn, resolve: letGo } = Promise.withResolvers<void>();
    site.hold = async (method) => {
      if (method !== 'simulateTransaction') return;
      ask();
      await goOn;
    };
    const verdict = post(`${url}/verify`, JSON.stringify(newPayment(sandbox).request));
    await asked;
    service.kill('SIGTERM');
    await service.line(/"msg":"stopping"/);
    letGo();
    expect((await verdict).body).toMatchObject({ isValid: true });
    await expectStopped(service);
  });

  test('while it starts ends it before it listens', async () => {
    const site = await openSite(sandbox);
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    site.hold = () => {
      ask();
      return new Promise(() => {});
    };
    const service = site.start();
    await asked;
    service.kill('SIGTERM');
    await expectStopped(service);
    expect(service.logged().map(({ msg }) => msg)).toEqual(['stopping', 'stopped']);
  });
});

describe('while no ledger closes', () => {
  let site: Site;
  let service: ServiceProcess;
  let url: string;
  let sent: SitePayment;
  let waiting: SitePayment;
  let answers: Promise<PromiseSettledResult<Answer>[]>;

  // A settlement that was sent, and one that waits for the only submitter.
  beforeEach(async () => {
    site = await openSite(sandbox);
    service = site.start();
    url = await service.url;
    sandbox.stopLedgers();
    [sent, waiting] = [newPayment(sandbox), newPayment(sandbox)];
    const first = settle(url, sent);
    await site.called('sendTransaction');
    site.forget();
    const second = settle(url, waiting);
    await site.called('simulateTransaction');
    answers = Promise.allSettled([first, second]);
  });
  /** What is left: the next start learns it, lists it, and the waiting one was never sent. */
  async function expectLearned(): Promise<void> {
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
    expect([paid(sent), paid(waiting)]).toEqual([AMOUNT, 0n]);
    await eventually(() => listedAt(nextUrl)).toEqual([sent.url]);
    next.kill('SIGTERM');
    await expectStopped(next);
    expect(readJournal(site.journalPath)).toMatchObject([{ status: 'success' }]);
  }

  test(
    'SIGTERM ends it in its time: sellers learn what was sent and what was not',
    { timeout: TIMEOUT_MS },
    async () => {
      const stoppedAt = performance.now();
      service.kill('SIGTERM');
      const [first, second] = await answers;
      expect(performance.now() - stoppedAt).toBeGreaterThan(SETTLE_LIMITS.drainMs - 1_000);
      const [row] = readJournal(site.journalPath);
      const isNotKnown = {
        errorReason: 'settle_exact_stellar_transaction_failed',
        errorMessage: expect.stringMatching(`^Transaction ${row!.hash} was sent; .* is not known yet`),
      };
      const isNotSent = {
        errorReason: 'unexpected_settle_error',
        errorMessage: expect.stringContaining('nothing was sent'),
      };
      expect(first).toMatchObject({ status: 'fulfilled', value: { body: isNotKnown } });
      expect(second).toMatchObject({ status: 'fulfilled', value: { body: isNotSent } });
      await expectStopped(service);
      expect(service.logged().filter(({ level }) => level === 'error')).toEqual([]);
      await expectLearned();
    },
  );

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('a second signal ends it at once: %s', { timeout: TIMEOUT_MS }, async (signal, code) => {
    service.kill('SIGTERM');
    await service.line(/"msg":"stopping"/);
    service.kill(signal);
    expect(await service.ended).toMatchObject({ code, signal: null, stderr: '' });
    expect(await answers).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    await expectLearned();
  });

  test(
    'SIGTERM does not wait for the ends of what an earlier process sent',
    { timeout: TIMEOUT_MS },
    async () => {
      service.kill('SIGKILL');
      expect(await answers).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
      const next = site.start();
      await next.url;
      next.kill('SIGTERM');
      const isEnded = next.ended.then(() => true);
      expect(await Promise.race([isEnded, sleep(SETTLE_LIMITS.drainMs - 1_000)])).toBe(true);
      await expectStopped(next);
      await expectLearned();
    },
  );
});
