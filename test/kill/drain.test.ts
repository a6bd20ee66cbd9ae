import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { journalPathOf } from '../../src/databasePath.ts';
import { SETTLE_LIMITS } from '../../src/scheme/limits.ts';
import { bazaar } from '../catalog/settledPayments.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { post } from '../http/support.ts';
import type { Answer } from '../http/support.ts';
import { AMOUNT } from '../support/payments.ts';
import { openSandbox } from '../support/sandbox.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import type { Payment } from '../support/serviceSettlements.ts';
import { openNode } from './node.ts';
import { startService } from './process.ts';
import type { ServiceProcess } from './process.ts';
import { readJournal, readListings } from './readers.ts';

const LEDGER_MS = 500;
/** Some wait as long as the service does. */
const TIMEOUT_MS = 90_000;

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ ledgerMs: LEDGER_MS });
});
afterAll(() => sandbox.close());

/** A service with files of its own, which can be started again, and what its node sees. */
interface Site {
  journalPath: string;
  start(): ServiceProcess;
  /** Once such a call has taken effect. */
  called(method: string): Promise<void>;
  /** The calls so far. */
  forget(): void;
  /** What the RPC does before a call takes effect. */
  hold: (method: string) => Promise<void> | void;
}

async function openSite(): Promise<Site> {
  const calls = new Set<string>();
  const dbPath = join(temporaryFolder(), 'catalog.db');
  const waiting: { method: string; resolve(): void }[] = [];
  const site: Site = {
    journalPath: journalPathOf(dbPath),
    hold: () => {},
    called(method) {
      if (calls.has(method)) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ method, resolve }));
    },
    forget: () => calls.clear(),
    start: () => startService({ DB_PATH: dbPath, RPC_URL: node.url, SUBMITTER_SECRET: secret }),
  };
  const node = await openNode(sandbox.network, {
    onCall: (method) => site.hold(method),
    onEffect(method) {
      calls.add(method);
      for (const one of waiting) if (one.method === method) one.resolve();
    },
  });
  onTestFinished(() => node.close());
  const secret = sandbox.submitter().secret();
  return site;
}

interface NamedPayment extends Payment {
  url: string;
}

/** A new payment for a resource of its own. */
function newPayment(): NamedPayment {
  const stage = { sandbox } as never;
  const payment = settlementsOn(stage).newPayment();
  const { paymentPayload, ...request } = payment.request;
  const url = `https://seller.test/${payment.payer}`;
  const extended = {
    ...paymentPayload,
    resource: { url, description: 'a resource' },
    extensions: { bazaar },
  };
  return { ...payment, url, request: { ...request, paymentPayload: extended } };
}

const settle = (url: string, { request }: Payment): Promise<Answer> =>
  post(`${url}/settle`, JSON.stringify(request));
const paid = ({ payTo }: Payment): bigint => sandbox.usdc(payTo);

const listedAt = async (url: string): Promise<string[]> =>
  (await readListings(url)).map(({ resource }) => resource);

async function expectStopped(service: ServiceProcess): Promise<void> {
  const { code, signal, stderr } = await service.ended;
  expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' });
}

afterEach(() => sandbox.faults.clear());

describe('SIGTERM', () => {
  test('lets a settlement under way end: answered, listed, journaled, and nobody else is let in', async () => {
    const site = await openSite();
    const service = site.start();
    const url = await service.url;
    const payment = newPayment();
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
    await expect.poll(() => listedAt(nextUrl)).toEqual([payment.url]);
    next.kill('SIGTERM');
    await expectStopped(next);
  });

  test('lets a verdict under way be found', async () => {
    const site = await openSite();
    const service = site.start();
    const url = await service.url;
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: goOn, resolve: letGo } = Promise.withResolvers<void>();
    site.hold = async (method) => {
      if (method !== 'simulateTransaction') return;
      ask();
      await goOn;
    };
    const verdict = post(`${url}/verify`, JSON.stringify(newPayment().request));
    await asked;
    service.kill('SIGTERM');
    await service.line(/"msg":"stopping"/);
    letGo();
    expect((await verdict).body).toMatchObject({ isValid: true });
    await expectStopped(service);
  });

  test('while it starts ends it before it listens', async () => {
    const site = await openSite();
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
  let sent: NamedPayment;
  let waiting: NamedPayment;
  let answers: Promise<PromiseSettledResult<Answer>[]>;

  // A settlement that was sent, and one that waits for the only submitter.
  beforeEach(async () => {
    site = await openSite();
    service = site.start();
    url = await service.url;
    sandbox.stopLedgers();
    [sent, waiting] = [newPayment(), newPayment()];
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
    const next = site.start();
    const nextUrl = await next.url;
    const again = settle(nextUrl, sent);
    sandbox.faults.clear();
    expect((await again).body).toMatchObject({
      errorReason: 'invalid_exact_stellar_payload_simulation_failed',
    });
    expect([paid(sent), paid(waiting)]).toEqual([AMOUNT, 0n]);
    await expect.poll(() => listedAt(nextUrl)).toEqual([sent.url]);
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
