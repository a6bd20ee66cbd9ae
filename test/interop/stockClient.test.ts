import { decodePaymentResponseHeader, decodePaymentRequiredHeader } from '@x402/core/http';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { SettleError, VerifyError } from '@x402/core/types';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createBuyer } from '../../demo/buyer.ts';
import { openSeller } from '../../demo/seller.ts';
import type { FacilitatorRequest } from '../../src/contract/index.ts';
import {
  AMOUNT,
  MAX_TIMEOUT_SECONDS,
  MARKET,
  NETWORK,
  OTHER_NETWORK,
  requestFor,
  requirementsFor,
  signTransfer,
} from '../support/payments.ts';
import { contractClientTransfer, stockTransfer } from '../support/paymentsStock.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openFacilitator, type Facilitator } from '../support/service.ts';
import { holdAnswersOf } from './stockAnswers.ts';

let sandbox: TestSandbox;
let facilitator: Facilitator;
let client: HTTPFacilitatorClient;
let submitter: string;
beforeAll(async () => {
  sandbox = await openSandbox();
  const key = sandbox.submitter();
  submitter = key.publicKey();
  facilitator = await openFacilitator({ rpcUrl: sandbox.url, submitters: [key, sandbox.submitter()] });
  client = new HTTPFacilitatorClient({ url: facilitator.url });
});
afterAll(async () => {
  await facilitator.close();
  await sandbox.close();
});

holdAnswersOf(() => facilitator.url);

async function stockPayment(): Promise<FacilitatorRequest & { payer: string }> {
  const payer = sandbox.account();
  const requirements = requirementsFor(sandbox.account(0n).publicKey());
  const transaction = await stockTransfer(payer, requirements, sandbox.httpsUrl);
  return { ...requestFor(requirements, transaction), payer: payer.publicKey() };
}

const verify = (request: FacilitatorRequest) =>
  client.verify(request.paymentPayload as never, request.paymentRequirements as never);
const settle = (request: FacilitatorRequest) =>
  client.settle(request.paymentPayload as never, request.paymentRequirements as never);

describe('the stock HTTPFacilitatorClient', () => {
  test('reads what is supported', async () => {
    const supported = await client.getSupported();
    expect(supported.kinds).toEqual([
      { x402Version: 2, scheme: 'exact', network: NETWORK, extra: { areFeesSponsored: true } },
    ]);
    expect(supported.signers['stellar:*']).toContain(submitter);
  });

  test("verifies and settles the stock client's payment", async () => {
    const payment = await stockPayment();
    expect(await verify(payment)).toEqual({ isValid: true, payer: payment.payer });
    expect(await settle(payment)).toMatchObject({
      success: true,
      transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
      network: NETWORK,
      payer: payment.payer,
    });
    expect(sandbox.usdc(payment.paymentRequirements.payTo)).toBe(AMOUNT);
  });

  test('reads the code and the message of a refusal', async () => {
    const payment = await stockPayment();
    payment.paymentRequirements.amount = '1';
    const code = 'invalid_exact_stellar_payload_wrong_amount';
    expect(await verify(payment)).toMatchObject({
      isValid: false,
      invalidReason: code,
      invalidMessage: expect.stringContaining('amount'),
      payer: payment.payer,
    });
    expect(await settle(payment)).toMatchObject({
      success: false,
      errorReason: code,
      errorMessage: expect.stringContaining('amount'),
      transaction: '',
    });
  });

  test('reads a kind that is not served as a refusal', async () => {
    const payment = await stockPayment();
    payment.paymentRequirements.network = OTHER_NETWORK;
    expect(await verify(payment)).toMatchObject({ isValid: false, invalidReason: 'svc_unsupported_kind' });
    expect(await settle(payment)).toMatchObject({
      errorReason: 'svc_unsupported_kind',
      network: OTHER_NETWORK,
    });
  });

  test('reads the code of a request that cannot be interpreted', async () => {
    const { paymentRequirements } = await stockPayment();
    const request = { x402Version: 1, paymentRequirements, paymentPayload: { x402Version: 1 } } as never;
    const [refusedVerify, refusedSettle] = await Promise.all([
      verify(request).catch((error: unknown) => error),
      settle(request).catch((error: unknown) => error),
    ]);
    expect(refusedVerify).toBeInstanceOf(VerifyError);
    expect(refusedVerify).toMatchObject({ statusCode: 400, invalidReason: 'svc_unsupported_x402_version' });
    expect(refusedSettle).toBeInstanceOf(SettleError);
    expect(refusedSettle).toMatchObject({ statusCode: 400, errorReason: 'svc_unsupported_x402_version' });
  });
});

describe('a payment is verified and settled', () => {
  const clients: [string, () => Promise<{ request: FacilitatorRequest; payer: string }>][] = [
    [
      'by the stock x402 client (stellar-sdk 14)',
      async () => {
        const { payer, ...request } = await stockPayment();
        return { request, payer };
      },
    ],
    ...[true, false].map(
      (useUpgradedAuth) =>
        [
          `by the contract client of stellar-sdk 17 with ${useUpgradedAuth ? 'V2' : 'V1'} credentials`,
          async () => {
            const payer = sandbox.account();
            const requirements = requirementsFor(sandbox.account(0n).publicKey());
            const { httpsUrl } = sandbox;
            const expiration = sandbox.expirationIn(MAX_TIMEOUT_SECONDS);
            const terms = { httpsUrl, expiration, useUpgradedAuth };
            const transaction = await contractClientTransfer(payer, requirements, terms);
            return { request: requestFor(requirements, transaction), payer: payer.publicKey() };
          },
        ] as [string, () => Promise<{ request: FacilitatorRequest; payer: string }>],
    ),
    [
      'by a client for a contract account',
      async () => {
        const { address: from, key } = sandbox.contractPayer();
        const requirements = requirementsFor(sandbox.account(0n).publicKey());
        const expiration = sandbox.expirationIn(MAX_TIMEOUT_SECONDS);
        const transaction = signTransfer({ key, from, requirements, expiration, nonce: sandbox.nonce() });
        return { request: requestFor(requirements, transaction), payer: from };
      },
    ],
  ];

  test.each(clients)('%s', async (_client, make) => {
    const { request, payer } = await make();
    expect(await verify(request)).toEqual({ isValid: true, payer });
    expect(await settle(request)).toMatchObject({ success: true, payer });
    expect(sandbox.usdc(request.paymentRequirements.payTo)).toBe(AMOUNT);
  });
});

describe('a stock buyer and a stock seller', () => {
  async function openShop() {
    const payTo = sandbox.account(0n).publicKey();
    const seller = await openSeller(facilitator.url, payTo, NETWORK);
    onTestFinished(() => seller.close());
    return { payTo, url: seller.url };
  }

  test('trade: 402, payment, resource and receipt', async () => {
    const { payTo, url } = await openShop();
    const key = sandbox.account();
    const unpaid = await fetch(url);
    expect(unpaid.status).toBe(402);
    const [terms] = decodePaymentRequiredHeader(unpaid.headers.get('payment-required')!).accepts;
    expect(terms).toMatchObject({ payTo, extra: { areFeesSponsored: true } });

    const paid = await createBuyer(key.secret(), sandbox.httpsUrl, MARKET).fetch(url);
    expect({ status: paid.status, body: await paid.json() }).toMatchObject({
      status: 200,
      body: { weather: expect.any(String) },
    });
    const receipt = decodePaymentResponseHeader(paid.headers.get('payment-response')!);
    expect(receipt).toMatchObject({ success: true, network: NETWORK, payer: key.publicKey() });
    const found = sandbox.network.rpc('getTransaction', { hash: receipt.transaction });
    expect(found).toMatchObject({ result: { status: 'SUCCESS' } });
    expect(sandbox.usdc(payTo)).toBe(BigInt(terms!.amount));
  });

  test('several buyers trade at the same time', async () => {
    const { payTo, url } = await openShop();
    const buyers = Array.from({ length: 4 }, () =>
      createBuyer(sandbox.account().secret(), sandbox.httpsUrl, MARKET),
    );
    const statuses = await Promise.all(buyers.map(async (buyer) => (await buyer.fetch(url)).status));
    expect(statuses).toEqual([200, 200, 200, 200]);
    expect(sandbox.usdc(payTo)).toBe(4n * AMOUNT);
  });

  test('a payment that is shown twice buys once', async () => {
    const { payTo, url } = await openShop();
    const { client: buyer } = createBuyer(sandbox.account().secret(), sandbox.httpsUrl, MARKET);
    const unpaid = await fetch(url);
    const required = decodePaymentRequiredHeader(unpaid.headers.get('payment-required')!);
    const payload = await buyer.createPaymentPayload(required);
    const header = Buffer.from(JSON.stringify(payload)).toString('base64');
    const pay = () => fetch(url, { headers: { 'payment-signature': header } });
    expect((await pay()).status).toBe(200);
    const replayed = await pay();
    expect(replayed.status).toBe(402);
    expect(decodePaymentRequiredHeader(replayed.headers.get('payment-required')!).error).toBe(
      'invalid_exact_stellar_payload_simulation_failed',
    );
    expect(sandbox.usdc(payTo)).toBe(AMOUNT);
  });
});
