import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openJournal } from '../../src/journal/index.ts';
import { SETTLE_LIMITS } from '../../src/scheme/limits.ts';
import { auditCatalog } from '../catalog/auditedCatalog.ts';
import { post, type Answer } from '../http/support.ts';
import { AMOUNT } from '../support/payments.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openFacilitator, silent } from '../support/service.ts';
import { readJournal } from '../world/journal.ts';
import {
  eventually,
  expectStopped,
  newPayment,
  openSite,
  settle,
  type Site,
  type SitePayment,
} from './site.ts';
import { NOT_SENT, notKnownYet, openStuckSite } from './stuck.ts';

const LEDGER_MS = 500;
/** A stop that waits is longer than any other test. */
const TIMEOUT_MS = 90_000;

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ ledgerMs: LEDGER_MS });
});
afterAll(() => sandbox.close());

const paid = ({ payTo }: SitePayment): bigint => sandbox.usdc(payTo);

afterEach(() => sandbox.faults.clear());

describe('SIGTERM', () => {
  test('lets what is under way end: a settlement listed and journaled, a verdict found, and nobody else is let in', async () => {
    const site = await openSite(sandbox);
    const service = site.start();
    const url = await service.url;
    const payment = newPayment(sandbox);
    sandbox.stopLedgers();
    const answer = settle(url, payment);
    await site.called('sendTransaction');
    const { verdict, letGo } = await heldVerdict(site, url);
    service.kill('SIGTERM');
    await service.line(/"msg":"stopping"/);
    await expect(fetch(`${url}/health`)).rejects.toThrow();
    letGo();
    sandbox.faults.clear();
    expect((await verdict).body).toMatchObject({ isValid: true });
    const { body, headers } = await answer;
    expect(body).toMatchObject({ success: true });
    expect(headers).toMatchObject({ connection: 'close' });
    expect(paid(payment)).toBe(AMOUNT);
    await expectStopped(service);
    expect(readJournal(site.journalPath)).toMatchObject([{ status: 'success', isListingDue: false }]);
    const catalog = auditCatalog(site.dbPath);
    expect([...catalog.items.values()]).toMatchObject([{ resource: payment.url }]);
    catalog.close();
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
  test('a stop ends in its time: sellers learn what was sent and what was not', async () => {
    const journal = openJournal({ path: ':memory:', log: silent });
    const { settle, close, log } = await openFacilitator({
      rpcUrl: sandbox.url,
      submitters: [sandbox.submitter()],
      journal,
      parts: { limits: { drainMs: 500 } },
    });
    const [sent, waiting] = [newPayment(sandbox), newPayment(sandbox)];
    const calls = (method: string) => sandbox.calls.counts()[method] ?? 0;
    sandbox.stopLedgers();
    sandbox.calls.reset();
    const first = settle(sent.request);
    await eventually(() => calls('sendTransaction')).toBe(1);
    sandbox.calls.reset();
    const second = settle(waiting.request);
    await eventually(() => calls('simulateTransaction')).toBe(1);
    const [{ hash } = { hash: '' }] = journal.unended();
    await close();
    expect(await first).toMatchObject(notKnownYet(hash));
    expect(await second).toMatchObject(NOT_SENT);
    expect(log.filter(({ level }) => level === 'error')).toEqual([]);
    sandbox.faults.clear();
    await eventually(() => [paid(sent), paid(waiting)]).toEqual([AMOUNT, 0n]);
  });

  test(
    'a second signal ends it at once, and no stop waits for the ends of what an earlier process sent',
    { timeout: TIMEOUT_MS },
    async () => {
      const { site, service, answers, expectLearned } = await openStuckSite(sandbox);
      service.kill('SIGTERM');
      await service.line(/"msg":"stopping"/);
      service.kill('SIGTERM');
      expect(await service.ended).toMatchObject({ code: 143, signal: null, stderr: '' });
      expect(await answers).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);

      const next = site.start();
      await next.url;
      next.kill('SIGTERM');
      const isEnded = next.ended.then(() => true);
      expect(await Promise.race([isEnded, sleep(SETTLE_LIMITS.drainMs - 1_000)])).toBe(true);
      await expectStopped(next);

      const last = await expectLearned();
      const { verdict } = await heldVerdict(site, await last.url);
      const isLost = expect(verdict).rejects.toThrow();
      last.kill('SIGTERM');
      await last.line(/"msg":"stopping"/);
      last.kill('SIGINT');
      expect(await last.ended).toMatchObject({ code: 130, signal: null, stderr: '' });
      await isLost;
    },
  );
});

/** A verdict under way: the RPC holds it back until it is let go. */
async function heldVerdict(
  site: Site,
  url: string,
): Promise<{ verdict: Promise<Answer>; letGo: () => void }> {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: goOn, resolve: letGo } = Promise.withResolvers<void>();
  site.hold = async (method) => {
    if (method !== 'simulateTransaction') return;
    ask();
    await goOn;
  };
  const verdict = post(`${url}/verify`, JSON.stringify(newPayment(sandbox).request));
  await asked;
  return { verdict, letGo };
}
