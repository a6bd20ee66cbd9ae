import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FacilitatorRequest, ReceiptKeys, SettleResponse } from '../../src/contract/index.ts';
import { verifyReceipt } from '../../src/receipts/index.ts';
import { ask } from '../http/support.ts';
import { AMOUNT, NETWORK, requestFor, requirementsFor, USDC } from '../support/payments.ts';
import { stockTransfer } from '../support/paymentsStock.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openFacilitator, type Facilitator } from '../support/service.ts';

const SEED = Buffer.alloc(32, 7).toString('base64');

let sandbox: TestSandbox;
let withReceipts: Facilitator;
let without: Facilitator;
beforeAll(async () => {
  sandbox = await openSandbox();
  const open = (receiptSeeds?: string[]) =>
    openFacilitator({
      rpcUrl: sandbox.url,
      submitters: [sandbox.submitter()],
      callers: { discoveryNeedsKey: true },
      ...(receiptSeeds && { receiptSeeds }),
    });
  [withReceipts, without] = [await open([SEED]), await open()];
});
afterAll(async () => {
  await Promise.all([withReceipts.close(), without.close()]);
  await sandbox.close();
});

async function payment(): Promise<FacilitatorRequest & { payer: string }> {
  const payer = sandbox.account();
  const requirements = requirementsFor(sandbox.account(0n).publicKey());
  const transaction = await stockTransfer(payer, requirements, sandbox.httpsUrl);
  return { ...requestFor(requirements, transaction), payer: payer.publicKey() };
}

const keys = async (): Promise<ReceiptKeys> =>
  (await ask(`${withReceipts.url}/.well-known/jwks.json`)).body as ReceiptKeys;

/** What the receipt of an answer states, by the keys that the service publishes. */
async function statedBy({ extensions }: SettleResponse) {
  const { jws } = extensions!['settlement-receipt'] as { jws: string };
  const result = verifyReceipt(jws, await keys());
  if ('problem' in result) throw new Error(result.problem);
  return result.statement;
}

test('a settled payment has a receipt that says what the ledger says', async () => {
  const { payer, ...request } = await payment();
  const answer = await withReceipts.settle(request);
  const found = sandbox.network.rpc('getTransaction', { hash: answer.transaction }) as {
    result: { ledger: number; createdAt: string };
  };
  expect(await statedBy(answer)).toEqual({
    network: NETWORK,
    transaction: answer.transaction,
    ledger: found.result.ledger,
    amount: String(AMOUNT),
    asset: USDC,
    payer,
    payTo: request.paymentRequirements.payTo,
    resource: 'https://seller.test/weather',
    time: new Date(Number(found.result.createdAt) * 1_000).toISOString().replace('.000Z', 'Z'),
  });
});

test('a payment that is settled again, or fails, has no receipt', async () => {
  const { payer: _, ...request } = await payment();
  const { transaction } = await withReceipts.settle(request);
  const again = await withReceipts.settle(request);
  expect(again).toMatchObject({ success: false, extra: { transaction } });
  expect(again).not.toHaveProperty('extensions');
  const { payer: __, ...unsettled } = await payment();
  sandbox.faults.add({ kind: 'sendStatus', status: 'ERROR', result: 'txSorobanInvalid' });
  const failed = await withReceipts.settle(unsettled);
  sandbox.faults.clear();
  expect(failed.success).toBe(false);
  expect(failed).not.toHaveProperty('extensions');
});

test('the keys are there for everybody, also where the rest of the service needs a key', async () => {
  expect(await ask(`${withReceipts.url}/supported`)).toMatchObject({ status: 401 });
  expect((await keys()).keys).toHaveLength(1);
});

test('without a key there are neither receipts nor keys', async () => {
  const { payer: _, ...request } = await payment();
  expect(Object.keys(await without.settle(request))).toEqual(['success', 'transaction', 'network', 'payer']);
  expect(await ask(`${without.url}/.well-known/jwks.json`)).toMatchObject({ status: 404 });
});

test('that there are receipts is advertised', async () => {
  const open = await openFacilitator({
    rpcUrl: sandbox.url,
    submitters: [sandbox.submitter()],
    receiptSeeds: [SEED],
  });
  expect((await open.supported()).extensions).toEqual(['bazaar', 'payment-identifier', 'settlement-receipt']);
  await open.close();
});
