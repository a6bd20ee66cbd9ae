import { VERSION } from '../../src/process/version.ts';
import { describe, expect, test } from 'vitest';
import {
  settleCodes,
  verifyCodes,
  type SettleResponse,
  type VerifyResponse,
} from '../../src/contract/index.ts';
import { ask, config, PAYER, payment, post, startService, SUBMITTER, TRANSACTION } from './support.ts';

const text = JSON.stringify(payment);

test('GET /supported advertises the kind, the signers and bazaar', async () => {
  const { url } = await startService();
  expect((await ask(`${url}/supported`)).body).toEqual({
    kinds: [
      { x402Version: 2, scheme: 'exact', network: 'stellar:testnet', extra: { areFeesSponsored: true } },
    ],
    extensions: ['bazaar', 'payment-identifier'],
    signers: { 'stellar:*': [SUBMITTER] },
  });
});

describe('GET /health', () => {
  test('shows the configuration, the bound port, and of the RPC URL only its origin', async () => {
    const { url, port } = await startService();
    expect(port).toBeGreaterThan(0);
    expect((await ask(`${url}/health`)).body).toEqual({
      status: 'ok',
      x402Version: 2,
      network: config.network,
      rpcUrl: 'https://rpc.example',
      submitters: [SUBMITTER],
      feeBumpAddress: null,
      port,
      feeMode: 'free',
      dbPath: ':memory:',
      maxTransactionFeeStroops: 50_000,
      version: VERSION,
    });
  });

  test('shows the address of the fee-bump account where there is one', async () => {
    const { url } = await startService({ feeBumpAddress: PAYER });
    expect((await ask(`${url}/health`)).body).toMatchObject({ feeBumpAddress: PAYER });
  });
});

test("verify and settle pass the scheme's answer on as it is", async () => {
  const verdict: VerifyResponse = { isValid: true, payer: PAYER, extra: { ledger: 7 } };
  const receipt: SettleResponse = {
    success: true,
    transaction: TRANSACTION,
    network: 'stellar:testnet',
    payer: PAYER,
  };
  const { url } = await startService({ verify: async () => verdict, settle: async () => receipt });
  expect(await post(`${url}/verify`, text)).toMatchObject({ status: 200, body: verdict });
  expect(await post(`${url}/settle`, text)).toMatchObject({ status: 200, body: receipt });
});

describe('every refusal of the scheme leaves with a text', () => {
  test.each(verifyCodes)('verify: %s', async (invalidReason) => {
    const { url } = await startService({
      verify: async () => ({ isValid: false, invalidReason, payer: PAYER }),
    });
    expect(await post(`${url}/verify`, text)).toMatchObject({
      status: 200,
      body: {
        isValid: false,
        invalidReason,
        invalidMessage: expect.stringMatching(/^\w.{10,}\.$/),
        payer: PAYER,
      },
    });
  });

  test.each([...verifyCodes, ...settleCodes])('settle: %s', async (errorReason) => {
    const refusal = {
      success: false,
      transaction: '',
      network: 'stellar:testnet',
      errorReason,
      errorMessage: '',
    };
    const { url } = await startService({ settle: async () => refusal });
    expect(await post(`${url}/settle`, text)).toMatchObject({
      status: 200,
      body: { ...refusal, errorMessage: expect.stringMatching(/^\w.{10,}\.$/) },
    });
  });

  test("the scheme's own text goes before the general one", async () => {
    const verdict: VerifyResponse = {
      isValid: false,
      invalidReason: 'network_mismatch',
      invalidMessage: 'testnet, not pubnet',
    };
    const { url } = await startService({ verify: async () => verdict });
    expect((await post(`${url}/verify`, text)).body).toEqual(verdict);
  });
});
