import type { Keypair } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listedAt, newPayment, settle, type SitePayment } from '../kill/site.ts';
import { JSON_TYPE, post, type Answer } from '../http/support.ts';
import { AMOUNT } from '../support/payments.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openFacilitator, type Facilitator } from '../support/service.ts';
import { outcomeIn } from '../world/payment.ts';
import { binaries, openPostgres, type PostgresServer } from './server.ts';

/** However busy the machine is. */
const WITHIN = { timeout: 20_000 };

if (binaries === undefined)
  console.log('skipped: services on one database, as this machine has no PostgreSQL');

describe.skipIf(binaries === undefined)('services on one database', () => {
  let postgres: PostgresServer;
  let sandbox: TestSandbox;
  let databaseUrl: string;
  let submitters: Keypair[];

  beforeAll(async () => {
    postgres = await openPostgres();
    sandbox = await openSandbox();
    databaseUrl = await postgres.database();
    submitters = [sandbox.submitter(), sandbox.submitter()];
  });
  afterAll(async () => {
    await sandbox?.close();
    await postgres?.close();
  });

  async function open(): Promise<Facilitator> {
    const service = await openFacilitator({ rpcUrl: sandbox.url, submitters, databaseUrl });
    onTestFinished(() => service.close());
    return service;
  }

  const search = async ({ url }: Facilitator): Promise<unknown> =>
    (await fetch(`${url}/discovery/search?query=forecast&limit=1`)).json();

  test('list and find what each of them sold, in the same order and by the same cursors', async () => {
    const services = [await open(), await open()];
    const urls: string[] = [];
    for (const { url } of [...services, ...services]) {
      const payment = newPayment(sandbox, { description: `Forecast ${urls.length}` });
      const { body, headers } = await settle(url, payment);
      expect(body).toMatchObject({ success: true });
      expect(outcomeIn(headers['extension-responses'])).toEqual({ status: 'success' });
      urls.push(payment.url);
    }
    const [one, other] = services as [Facilitator, Facilitator];
    for (const { url } of services) await expect.poll(() => listedAt(url)).toEqual(urls);
    expect(await search(other)).toEqual(await search(one));
  });

  const settleUnder = (key: string, { url }: Facilitator, { request }: SitePayment): Promise<Answer> =>
    post(`${url}/settle`, JSON.stringify(request), { ...JSON_TYPE, 'idempotency-key': key });

  test('settle a payment once that both are asked for under one key, and answer the same', async () => {
    const services = [await open(), await open()];
    const payment = newPayment(sandbox);
    const askBoth = () => Promise.all(services.map((service) => settleUnder('one', service, payment)));
    for (const { status, body } of await askBoth())
      if (status !== 409) expect(body).toMatchObject({ success: true });
    const texts = async (): Promise<string[]> =>
      (await askBoth()).map(({ status, body, headers }) =>
        JSON.stringify([status, body, headers['extension-responses']]),
      );
    await expect.poll(async () => new Set(await texts()).size, WITHIN).toBe(1);
    const [answered] = await askBoth();
    expect(answered).toMatchObject({ status: 200, body: { success: true } });
    expect(sandbox.usdc(payment.payTo)).toBe(AMOUNT);
  });

  test('do nothing for a payment under a key while the database is down', async () => {
    const service = await open();
    const payment = newPayment(sandbox);
    postgres.pause();
    onTestFinished(() => postgres.resume());
    sandbox.calls.reset();
    const { body } = await settleUnder('two', service, payment);
    expect(body).toMatchObject({ errorReason: 'svc_database_unavailable' });
    expect(sandbox.calls.counts()).not.toHaveProperty('sendTransaction');
    postgres.resume();
    await expect
      .poll(async () => (await settleUnder('two', service, payment)).body, WITHIN)
      .toMatchObject({ success: true });
  });

  test('know the status of what each of them settled, and say so if the database is down', async () => {
    const [one, other] = [await open(), await open()];
    const payment = newPayment(sandbox, { description: 'Forecast' });
    const { body } = await settle(one.url, payment);
    expect(body).toMatchObject({ success: true });
    const { transaction } = body as { transaction: string };
    const ask = (question: unknown) => post(`${other.url}/settlements/status`, JSON.stringify(question));
    for (const question of [payment.request, { transaction }]) {
      await expect
        .poll(() => ask(question))
        .toMatchObject({ status: 200, body: { status: 'settled', transaction, ledger: expect.any(Number) } });
    }
    postgres.pause();
    onTestFinished(() => postgres.resume());
    expect(await ask({ transaction })).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { error: { code: 'svc_database_unavailable' } },
    });
  });
});
