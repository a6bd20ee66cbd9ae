import { join } from 'node:path';
import { HTTPFacilitatorClient, x402ResourceServer, type FacilitatorClient } from '@x402/core/server';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { exactStellar } from '../../demo/seller.ts';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { createFacilitator, type Facilitator } from '../../src/inProcess/index.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { runInside } from '../support/cli.ts';
import { AMOUNT, NETWORK, requestFor, requirementsFor } from '../support/payments.ts';
import { stockTransfer } from '../support/paymentsStock.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openFacilitator } from '../support/service.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const settings = (more: Record<string, string> = {}): Record<string, string> => ({
  SUBMITTER_SECRET: sandbox.submitter().secret(),
  RPC_URL: sandbox.url,
  DB_PATH: ':memory:',
  LOG_LEVEL: 'silent',
  ...more,
});

async function open(more?: Record<string, string>): Promise<Facilitator> {
  const facilitator = await createFacilitator(settings(more));
  onTestFinished(() => facilitator.close());
  return facilitator;
}

async function payment() {
  const payer = sandbox.account();
  const requirements = requirementsFor(sandbox.account(0n).publicKey());
  const { paymentPayload } = requestFor(
    requirements,
    await stockTransfer(payer, requirements, sandbox.httpsUrl),
  );
  return { payer: payer.publicKey(), requirements, paymentPayload };
}

describe('a facilitator in this process', () => {
  test('verifies and settles what the stock client sends, and settles it once', async () => {
    const facilitator = await open();
    const { payer, requirements, paymentPayload } = await payment();
    expect(await facilitator.verify(paymentPayload, requirements)).toEqual({ isValid: true, payer });
    const settled = await facilitator.settle(paymentPayload, requirements);
    expect(settled).toEqual({
      success: true,
      transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
      network: NETWORK,
      payer,
    });
    expect(sandbox.usdc(requirements.payTo)).toBe(AMOUNT);
    expect(await facilitator.settle(paymentPayload, requirements)).toMatchObject({
      success: false,
      extra: { transaction: settled.transaction },
    });
  });

  test('answers the same under the same idempotency key, also after a new start', async () => {
    const DB_PATH = join(temporaryFolder(), 'catalog.db');
    const first = await open({ DB_PATH });
    const { requirements, paymentPayload } = await payment();
    const options = { idempotencyKey: 'one' };
    const settled = await first.settle(paymentPayload, requirements, options);
    expect(settled).toMatchObject({ success: true });
    await first.close();
    const next = await open({ DB_PATH });
    expect(await next.settle(paymentPayload, requirements, options)).toEqual(settled);
    expect(await next.settle(paymentPayload, requirements)).toMatchObject({ success: false });
    expect(await next.settle(paymentPayload, requirements, { idempotencyKey: ' ' })).toMatchObject({
      errorReason: 'svc_invalid_idempotency_key',
    });
  });

  test('is a facilitator client for stock resource servers, and supports what the service does', async () => {
    const facilitator: FacilitatorClient = await open({
      ...{ CALLERS: 'keys', CALLERS_DISCOVERY: 'keys' },
      DB_PATH: join(temporaryFolder(), 'catalog.db'),
    });
    const key = sandbox.submitter();
    const service = await openFacilitator({ rpcUrl: sandbox.url, submitters: [key] });
    onTestFinished(() => service.close());
    const [own, served] = [
      await facilitator.getSupported(),
      await new HTTPFacilitatorClient({ url: service.url }).getSupported(),
    ];
    expect({ ...own, signers: undefined }).toEqual({ ...served, signers: undefined });
    const server = new x402ResourceServer(facilitator).register(NETWORK, exactStellar());
    await server.initialize();
    expect(server.getFacilitatorExtensions(2, NETWORK, 'exact')).toEqual(['bazaar', 'payment-identifier']);
  });

  test('keeps the journal and the catalog that the commands read, and says what became of a listing', async () => {
    const DB_PATH = join(temporaryFolder(), 'catalog.db');
    const facilitator = await open({ DB_PATH });
    const { requirements, paymentPayload } = await payment();
    const bazaar = { info: { input: { type: 'http', method: 'GET' } }, schema: {} };
    const payload = { ...paymentPayload, extensions: { bazaar } };
    const { transaction, extensionResponses } = await facilitator.settle(payload, requirements);
    expect(extensionResponses).toEqual({ bazaar: { status: 'success' } });
    const payments = await runInside(['payments', '--json'], { DB_PATH });
    expect(JSON.parse(payments.stdout)).toMatchObject({ hash: transaction });
    await facilitator.close();
    await facilitator.close();
    const listings = await runInside(['listings', 'list', '--json'], { DB_PATH });
    expect(listings.stdout).toContain('https://seller.test/weather');
  });

  test.each<[what: string, payload: object, code: string]>([
    ['a payload of another version', { x402Version: 1 }, 'svc_unsupported_x402_version'],
    ['a list', [], 'svc_missing_payment_payload'],
    ['what is nested too deep', nested(80), 'svc_malformed_request_body'],
    ['what is too large', { x402Version: 2, x: 'x'.repeat(1_100_000) }, 'svc_malformed_request_body'],
  ])('refuses %s as the service does, and does not throw', async (_, payload, code) => {
    const facilitator = await open();
    const requirements = requirementsFor(sandbox.account(0n).publicKey());
    expect(await facilitator.verify(payload, requirements)).toMatchObject({
      isValid: false,
      invalidReason: code,
      invalidMessage: expect.any(String),
    });
    expect(await facilitator.settle(payload, requirements)).toMatchObject({
      success: false,
      errorReason: code,
      transaction: '',
      network: NETWORK,
    });
  });

  test('refuses more calls at a time than the service takes from one caller, while other operations go on', async () => {
    const facilitator = await open();
    const { payer, requirements, paymentPayload } = await payment();
    const other = await payment();
    const verify = () => facilitator.verify(paymentPayload, requirements);
    const good = { isValid: true, payer };
    const perCaller = HTTP_LIMITS.places.verifyPayment.inAll / 2;
    const verified = Array.from({ length: perCaller }, verify);
    const beyond = verify();
    const settled = facilitator.settle(other.paymentPayload, other.requirements);
    expect(await beyond).toMatchObject({ isValid: false, invalidReason: 'svc_overloaded' });
    expect(await Promise.all(verified)).toEqual(Array(perCaller).fill(good));
    expect(await settled).toMatchObject({ success: true });
    expect(await verify()).toEqual(good);
  });

  test('answers a fault as the service does', async () => {
    const facilitator = await open();
    const cyclic: { self?: object } = {};
    cyclic.self = cyclic;
    expect(await facilitator.verify(cyclic, {})).toMatchObject({
      isValid: false,
      invalidReason: 'svc_internal_error',
    });
  });

  test('logs to standard output, without secrets', async () => {
    const lines: string[] = [];
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
      lines.push(String(line));
      return true;
    });
    onTestFinished(() => write.mockRestore());
    const secret = sandbox.submitter().secret();
    const facilitator = await open({ SUBMITTER_SECRET: secret, LOG_LEVEL: 'info', SUBMITER_SECRET: 'x' });
    const { requirements, paymentPayload } = await payment();
    const { transaction } = await facilitator.settle(paymentPayload, requirements);
    expect(lines.every((line) => typeof (JSON.parse(line) as { msg: unknown }).msg === 'string')).toBe(true);
    expect(lines.join()).toContain(transaction);
    expect(lines.join()).toContain('SUBMITER_SECRET');
    expect(lines.join()).not.toContain(secret);
  });

  test('opens no port', async () => {
    const listening = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
    const before = listening();
    // Those of the sandbox.
    expect(before).toBeGreaterThan(0);
    await open({ PORT: '0', OPERATOR_PORT: '0' });
    expect(listening()).toBe(before);
  });
});

test('wrong settings are told all at once, and their values are not', async () => {
  const opening = createFacilitator({ SUBMITTER_SECRET: 'hunter2', PORT: 'x', DB_PATH: ':memory:' });
  const message = /^SUBMITTER_SECRET is not a Stellar secret key[^]*\nPORT must be/;
  await expect(opening).rejects.toThrow(message);
  await expect(opening).rejects.not.toThrow('hunter2');
});

function nested(depth: number): object {
  return { x402Version: 2, deep: JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown };
}
