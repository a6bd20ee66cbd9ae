import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { startService, type ServiceProcess } from '../kill/process.ts';
import { eventually, expectStopped, newPayment, settle } from '../kill/site.ts';
import { AMOUNT } from '../support/payments.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openNode } from '../world/httpNode.ts';
import { binaries, openPostgres, rowsOf, type PostgresServer } from './server.ts';

if (binaries === undefined)
  console.log('skipped: processes on one database, as this machine has no PostgreSQL');

const TIMEOUT_MS = 120_000;

// The real limits: a lease runs out after 8 s.
describe.skipIf(binaries === undefined)('processes on one database', () => {
  let postgres: PostgresServer;
  let sandbox: TestSandbox;
  beforeAll(async () => {
    postgres = await openPostgres();
    sandbox = await openSandbox({ ledgerMs: 500 });
  });
  afterAll(async () => {
    await sandbox?.close();
    await postgres?.close();
  });

  async function openSite(submitters: number) {
    const node = await openNode(sandbox.network);
    onTestFinished(() => node.down());
    const url = await postgres.database();
    const keys = Array.from({ length: submitters }, () => sandbox.submitter());
    const folder = temporaryFolder();
    let started = 0;
    const start = (): ServiceProcess =>
      startService({
        DATABASE_URL: url,
        DB_PATH: join(folder, `${(started += 1)}.db`),
        RPC_URL: node.url,
        SUBMITTER_SECRET: keys.map((key) => key.secret()).join(),
      });
    const holders = async (): Promise<number> => {
      const rows = await rowsOf(
        url,
        'SELECT count(DISTINCT holder) AS n FROM facilitator.channel_account WHERE expires_at > now()',
      );
      return Number(rows[0]!['n']);
    };
    return { node, start, holders, keys };
  }

  const spent = (address: string): bigint => 100_000_000_000n - sandbox.native(address);

  test(
    'one that is paused until its lease has moved pays nothing twice when it wakes up, and costs no second fee',
    { timeout: TIMEOUT_MS },
    async () => {
      const { node, start, keys } = await openSite(1);
      const [one, other] = [start(), start()];
      const [oneUrl, otherUrl] = [await one.url, await other.url];
      let sends = 0;
      const { promise: paused, resolve: pause } = Promise.withResolvers<void>();
      const { promise: late, resolve: arrive } = Promise.withResolvers<void>();
      node.onCall = async (method) => {
        if (method !== 'sendTransaction') return;
        sends += 1;
        if (sends > 1) return;
        pause();
        await late;
      };
      const [first, second, third] = [newPayment(sandbox), newPayment(sandbox), newPayment(sandbox)];
      const firstAnswer = settle(oneUrl, first);
      await paused;
      one.kill('SIGSTOP');
      const secondAnswer = settle(otherUrl, second);
      await other.line(/learning the outcomes of earlier settlements/);
      arrive();
      expect((await secondAnswer).body).toMatchObject({ success: true });
      one.kill('SIGCONT');
      expect((await firstAnswer).body).toMatchObject({ success: true });
      expect((await settle(oneUrl, third)).body).toMatchObject({ success: true });
      expect([first, second, third].map(({ payTo }) => sandbox.usdc(payTo))).toEqual([
        AMOUNT,
        AMOUNT,
        AMOUNT,
      ]);
      expect(sends).toBe(3);
      expect(spent(keys[0]!.publicKey())).toBeLessThan(3n * 30_000n);
      for (const service of [one, other]) {
        service.kill('SIGTERM');
        await expectStopped(service);
      }
    },
  );

  test(
    'what one that was killed has sent is followed and listed by another within 15 s of its end',
    { timeout: TIMEOUT_MS },
    async () => {
      const { node, start } = await openSite(2);
      const [one, other] = [start(), start()];
      const [oneUrl, otherUrl] = [await one.url, await other.url];
      const sent = Promise.withResolvers<void>();
      node.onEffect = (method) => {
        if (method === 'sendTransaction') sent.resolve();
      };
      const payment = newPayment(sandbox);
      const answer = settle(oneUrl, payment).catch(() => undefined);
      await sent.promise;
      one.kill('SIGKILL');
      const killedAt = performance.now();
      expect(await answer).toBeUndefined();
      expect(JSON.parse(await other.line(/earlier settlement ended/))).toMatchObject({
        ...{ status: 'success', payTo: payment.payTo, amount: String(AMOUNT), caller: 'anonymous' },
        ...{ resource: payment.url, requestId: expect.any(String), durationMs: expect.any(Number) },
      });
      expect(performance.now() - killedAt).toBeLessThan(15_000);
      await eventually(async () => {
        const list = (await (await fetch(`${otherUrl}/discovery/resources`)).json()) as {
          items: { resource: string }[];
        };
        return list.items.map(({ resource }) => resource);
      }).toEqual([payment.url]);
      expect(sandbox.usdc(payment.payTo)).toBe(AMOUNT);
      expect((await settle(otherUrl, payment)).body).toMatchObject({
        errorReason: 'invalid_exact_stellar_payload_simulation_failed',
      });
      other.kill('SIGTERM');
      await expectStopped(other);
    },
  );

  test('one that drains gives its accounts to another at once', { timeout: TIMEOUT_MS }, async () => {
    const { start, holders } = await openSite(2);
    const [one, other] = [start(), start()];
    const [oneUrl, otherUrl] = [await one.url, await other.url];
    expect((await settle(oneUrl, newPayment(sandbox))).body).toMatchObject({ success: true });
    expect(await holders()).toBe(1);
    one.kill('SIGTERM');
    await expectStopped(one);
    expect(await holders()).toBe(0);
    expect((await settle(otherUrl, newPayment(sandbox))).body).toMatchObject({ success: true });
    other.kill('SIGTERM');
    await expectStopped(other);
  });
});
