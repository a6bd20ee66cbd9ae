/** The network votes for a newer protocol while payments are in flight. */
import { afterEach, expect, test } from 'vitest';
import { AMOUNT, requirementsFor } from '../support/payments.ts';
import { encodeAttempt, goodAttempt } from '../support/paymentsAttempt.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openFacilitator } from '../support/service.ts';

const LEDGER_MS = 300;
const SUBMITTERS = 4;
const PAYMENTS_AT_A_TIME = 8;
const PAYMENTS = 24;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function paymentTo(sandbox: TestSandbox, payTo: string) {
  return encodeAttempt(
    goodAttempt({
      payer: sandbox.account(),
      requirements: requirementsFor(payTo),
      expiration: sandbox.expirationIn(60),
      nonce: sandbox.nonce(),
    }),
  );
}

test('every payment before, across and after an upgrade settles once', async () => {
  const sandbox = await openSandbox({ protocol: 29, ledgerMs: LEDGER_MS });
  closing.push(() => sandbox.close());
  const submitters = Array.from({ length: SUBMITTERS }, () => sandbox.submitter());
  const facilitator = await openFacilitator({ rpcUrl: sandbox.url, submitters });
  closing.push(facilitator.close);
  const payee = sandbox.account(0n).publicKey();

  let started = 0;
  const protocols = new Set<number>();
  const pay = async () => {
    while (started < PAYMENTS) {
      started += 1;
      if (started === PAYMENTS / 2) sandbox.network.upgrade(30);
      expect(await facilitator.settle(paymentTo(sandbox, payee))).toMatchObject({ success: true });
      protocols.add(sandbox.network.protocol);
    }
  };
  await Promise.all(Array.from({ length: PAYMENTS_AT_A_TIME }, pay));
  expect([...protocols]).toEqual([29, 30]);
  expect(sandbox.usdc(payee)).toBe(AMOUNT * BigInt(PAYMENTS));
});
