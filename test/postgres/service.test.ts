import type { Keypair } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listedAt, newPayment, settle } from '../kill/site.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openFacilitator, type Facilitator } from '../support/service.ts';
import { outcomeIn } from '../world/payment.ts';
import { binaries, openPostgres, type PostgresServer } from './server.ts';

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
});
