import { expect, test } from 'vitest';
import { post } from '../http/support.ts';
import { AMOUNT } from '../support/payments.ts';
import { openSandbox } from '../support/sandbox.ts';
import { eventually, expectStopped, newPayment, openSite, settle } from './site.ts';

test('a seller whose answer was lost in a kill learns from the next process that it was paid', async ({
  onTestFinished,
}) => {
  const sandbox = await openSandbox({ ledgerMs: 200 });
  onTestFinished(() => sandbox.close());
  const site = await openSite(sandbox);
  const service = site.start();
  const url = await service.url;
  const payment = newPayment(sandbox);
  // The ledger takes the payment, and nobody can tell.
  sandbox.faults.add({ kind: 'httpStatus', status: 502, methods: ['getTransaction'] });
  const lost = expect(settle(url, payment)).rejects.toThrow();
  await eventually(() => sandbox.usdc(payment.payTo)).toBe(AMOUNT);
  service.kill('SIGKILL');
  await lost;
  sandbox.faults.clear();

  const next = site.start();
  const nextUrl = await next.url;
  const ask = async (): Promise<unknown> =>
    (await post(`${nextUrl}/settlements/status`, JSON.stringify(payment.request))).body;
  await eventually(ask).toMatchObject({ status: 'settled', transaction: expect.any(String) });
  next.kill('SIGTERM');
  await expectStopped(next);
});
