import type { Keypair } from '@stellar/stellar-sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { FacilitatorRequest } from '../../src/contract/index.ts';
import { OPEN } from '../../src/journal/postgres/statements.ts';
import type { Scheme } from '../../src/scheme/index.ts';
import {
  AMOUNT,
  MAX_TIMEOUT_SECONDS,
  requestFor,
  requirementsFor,
  signTransfer,
} from '../support/payments.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openInstance, type Instance, type InstanceOptions } from './instances.ts';
import { binaries, openPostgres, rowsOf, type PostgresServer } from './server.ts';

if (binaries === undefined) console.log('skipped: several instances, as this machine has no PostgreSQL');

describe.skipIf(binaries === undefined)('several instances on one database', () => {
  let postgres: PostgresServer;
  let sandbox: TestSandbox;
  let url: string;

  beforeAll(async () => {
    postgres = await openPostgres();
    sandbox = await openSandbox();
  });
  beforeEach(async () => {
    url = await postgres.database();
    sandbox.calls.reset();
  });
  afterEach(() => sandbox.faults.clear());
  afterAll(async () => {
    await sandbox?.close();
    await postgres?.close();
  });

  const submitters = (count: number): Keypair[] => Array.from({ length: count }, () => sandbox.submitter());

  async function open(options: Omit<InstanceOptions, 'url' | 'rpcUrl'>): Promise<Instance> {
    const instance = await openInstance({ url, rpcUrl: sandbox.url, ...options });
    onTestFinished(async () => {
      sandbox.faults.clear();
      await instance.close();
    });
    return instance;
  }

  function newPayment(): FacilitatorRequest {
    const requirements = requirementsFor(sandbox.account(0n).publicKey());
    const expiration = sandbox.expirationIn(MAX_TIMEOUT_SECONDS);
    const terms = { key: sandbox.account(), requirements, expiration, nonce: sandbox.nonce() };
    return requestFor(requirements, signTransfer(terms));
  }

  const settle = (scheme: Scheme, payment: FacilitatorRequest) =>
    scheme.settle({ ...payment, listing: undefined, sender: 'test' });
  const paid = ({ paymentRequirements: { payTo } }: FacilitatorRequest): bigint => sandbox.usdc(payTo);
  const sends = (): number => sandbox.calls.counts()['sendTransaction'] ?? 0;

  const rows = (statement: string) => rowsOf(url, statement);
  /** The transactions that were signed, however often each was sent. */
  const signed = async (): Promise<number> => (await rows('SELECT FROM facilitator.entry')).length;
  const openEntries = () => rows('SELECT hash FROM facilitator.entry WHERE status IS NULL');

  test('each settles payments, on accounts that no two have at a time', async () => {
    const keys = submitters(3);
    const instances = await Promise.all([1, 2, 3].map(() => open({ submitters: keys })));
    const payments = Array.from({ length: 12 }, newPayment);
    const answers = await Promise.all(payments.map((payment, nth) => settle(instances[nth % 3]!, payment)));
    expect(answers.map(({ success }) => success)).toEqual(payments.map(() => true));
    expect(payments.map(paid)).toEqual(payments.map(() => AMOUNT));
    expect(await signed()).toBe(12);
    await expect.poll(openEntries).toEqual([]);
  });

  test('one that has many payments gets all accounts, and gives some up when another has payments, too', async () => {
    const keys = submitters(4);
    const [busy, other] = await Promise.all([open({ submitters: keys }), open({ submitters: keys })]);
    const [first, second] = [newPayment(), newPayment()];
    await Promise.all([settle(other, first), settle(other, second)]);
    sandbox.stopLedgers();
    const many = Array.from({ length: 6 }, () => settle(busy, newPayment()));
    await expect.poll(sends).toBe(2 + 4);
    const one = settle(other, newPayment());
    sandbox.faults.clear();
    for (const answer of await Promise.all([...many, one])) expect(answer).toMatchObject({ success: true });
  });

  test('with fewer accounts than instances, the payments of all take turns', async () => {
    const keys = submitters(1);
    const [one, other] = await Promise.all([open({ submitters: keys }), open({ submitters: keys })]);
    const order: string[] = [];
    const settleAt = async (instance: Instance, name: string): Promise<void> => {
      expect(await settle(instance, newPayment())).toMatchObject({ success: true });
      order.push(name);
    };
    await Promise.all(
      Array.from({ length: 5 }, () => [settleAt(one, 'one'), settleAt(other, 'other')]).flat(),
    );
    expect(new Set(order.slice(0, 4))).toEqual(new Set(['one', 'other']));
  });

  test('the same payment at two: one settles it, the other answers as to a replay', async () => {
    const keys = submitters(2);
    const [one, other] = await Promise.all([open({ submitters: keys }), open({ submitters: keys })]);
    const payment = newPayment();
    sandbox.stopLedgers();
    const answers = Promise.all([settle(one, payment), settle(other, payment)]);
    await expect.poll(sends).toBe(1);
    sandbox.faults.clear();
    expect((await answers).map(({ errorReason }) => errorReason).sort()).toEqual([
      'invalid_exact_stellar_payload_simulation_failed',
      undefined,
    ]);
    expect([paid(payment), await signed()]).toEqual([AMOUNT, 1]);
  });

  test('what another settled after it was verified here is not sent again', async () => {
    const keys = submitters(2);
    const { promise: isSettled, resolve: settled } = Promise.withResolvers<void>();
    const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
    const slow = await open({
      submitters: keys,
      query:
        (query) =>
        async (...statement) => {
          if (statement[0] === OPEN) {
            held();
            await isSettled;
          }
          return query(...statement);
        },
    });
    const other = await open({ submitters: keys });
    const payment = newPayment();
    const answer = settle(slow, payment);
    await isHeld;
    expect(await settle(other, payment)).toMatchObject({ success: true });
    await expect.poll(openEntries).toEqual([]);
    settled();
    expect(await answer).toMatchObject({ errorReason: 'invalid_exact_stellar_payload_simulation_failed' });
    expect([paid(payment), await signed(), sends()]).toEqual([AMOUNT, 1, 1]);
    expect(await rows('SELECT FROM facilitator.in_flight')).toEqual([]);
  });

  test('one that drains hands its accounts over at once, with what is under way on them', async () => {
    const keys = submitters(1);
    const limits = { leaseMs: 600_000 };
    const [one, other] = [
      await open({ submitters: keys, limits, parts: { limits: { drainMs: 0 } } }),
      await open({ submitters: keys, limits }),
    ];
    sandbox.stopLedgers();
    const payment = newPayment();
    void settle(one, payment);
    await expect.poll(sends).toBe(1);
    await one.close();
    const next = settle(other, newPayment());
    sandbox.faults.clear();
    expect(await next).toMatchObject({ success: true });
    expect(paid(payment)).toBe(AMOUNT);
    await expect.poll(openEntries).toEqual([]);
  });

  test('what one that vanished has sent is followed by another, which then uses its account', async () => {
    const keys = submitters(1);
    let late = 0;
    const [one, other] = [
      await open({ submitters: keys, parts: { limits: { drainMs: 0 } } }),
      await open({ submitters: keys, parts: { onLateSettlement: () => void (late += 1) } }),
    ];
    sandbox.stopLedgers();
    const payment = newPayment();
    void settle(one, payment);
    await expect.poll(sends).toBe(1);
    await one.vanish();
    const [again, next] = [settle(other, payment), settle(other, newPayment())];
    await expect
      .poll(() => rows('SELECT FROM facilitator.channel_account WHERE expires_at > now()'))
      .toHaveLength(1);
    sandbox.faults.clear();
    expect(await again).toMatchObject({ errorReason: 'invalid_exact_stellar_payload_simulation_failed' });
    expect(await next).toMatchObject({ success: true });
    expect([paid(payment), late, await signed()]).toEqual([AMOUNT, 1, 2]);
  });

  const terminate = () =>
    postgres.administer(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${new URL(url).pathname.slice(1)}'`,
    );
  /** Changes the database, also for those that are connected. */
  const alter = async (change: string): Promise<void> => {
    await postgres.administer(`ALTER DATABASE ${new URL(url).pathname.slice(1)} ${change}`);
    await terminate();
  };

  test.each<[string, () => unknown, () => unknown]>([
    ['hangs', () => postgres.pause(), () => postgres.resume()],
    [
      'only reads',
      () => alter('SET default_transaction_read_only = on'),
      () => alter('SET default_transaction_read_only = off'),
    ],
    ['takes no connections', () => alter('ALLOW_CONNECTIONS false'), () => alter('ALLOW_CONNECTIONS true')],
  ])('while the database %s nothing is sent, and all goes on afterwards', async (_what, spoil, mend) => {
    const instance = await open({ submitters: submitters(1), databaseLimits: { answerWithinMs: 500 } });
    expect(await settle(instance, newPayment())).toMatchObject({ success: true });
    await spoil();
    const payment = newPayment();
    expect(await instance.verify(newPayment())).toMatchObject({ isValid: true });
    expect(await settle(instance, payment)).toMatchObject({ errorReason: 'svc_database_unavailable' });
    expect(sends()).toBe(1);
    await mend();
    await expect.poll(async () => (await settle(instance, newPayment())).success).toBe(true);
    expect(await settle(instance, payment)).toMatchObject({ success: true });
    await expect.poll(openEntries).toEqual([]);
  });

  test('when its statements are killed, payments settle all the same', async () => {
    const instance = await open({ submitters: submitters(2) });
    let seen = 0;
    // So often as the payments go on: however slow the machine is, each of them has moments without a kill.
    const killing = setInterval(() => {
      const calls = sandbox.calls.counts();
      const now = (calls['simulateTransaction'] ?? 0) + (calls['sendTransaction'] ?? 0);
      if (now > seen) void terminate();
      seen = now;
    }, 20);
    const payments = Array.from({ length: 8 }, newPayment);
    const answers = await Promise.all(payments.map((payment) => settle(instance, payment)));
    clearInterval(killing);
    expect(answers.map(({ success }) => success)).toEqual(payments.map(() => true));
    expect([payments.map(paid), await signed()]).toEqual([payments.map(() => AMOUNT), 8]);
    await expect.poll(openEntries).toEqual([]);
  });

  test('while the database is down nothing is sent, what is under way ends, and all goes on when it is back', async () => {
    const instance = await open({ submitters: submitters(2) });
    sandbox.stopLedgers();
    const underWay = settle(instance, newPayment());
    await expect.poll(sends).toBe(1);
    await postgres.kill();
    const refused = await settle(instance, newPayment());
    expect(refused).toMatchObject({
      errorReason: 'svc_database_unavailable',
      errorMessage: expect.stringContaining('nothing was sent'),
      transaction: '',
    });
    sandbox.faults.clear();
    expect(await underWay).toMatchObject({ success: true });
    expect(sends()).toBe(1);
    await postgres.start();
    await expect.poll(openEntries).toEqual([]);
    await expect.poll(async () => (await settle(instance, newPayment())).success).toBe(true);
  });
});
