import { describe, expect, test } from 'vitest';
import { ask, payment, post, standInScheme, startService } from './support.ts';

const text = JSON.stringify(payment);
const PUBLIC_TEXT = 'The service failed. This says nothing about the payment; try again later.';

function failing(): never {
  throw new Error('the database said no', { cause: new TypeError('disk on fire') });
}

describe('a fault answers 500 without a word about its cause, which the log has', () => {
  test('in the shape of verify', async () => {
    const { url, log } = await startService({ verify: async () => failing() });
    const answer = await post(`${url}/verify`, text);
    expect(answer).toMatchObject({
      status: 500,
      body: { isValid: false, invalidReason: 'svc_internal_error', invalidMessage: PUBLIC_TEXT },
    });
    expect(log.find(({ msg }) => msg === 'fault')).toMatchObject({
      level: 'error',
      requestId: answer.headers['x-request-id'],
      operation: 'verifyPayment',
      err: {
        message: 'the database said no',
        stack: expect.stringContaining('faults.test.ts'),
        cause: {
          type: 'TypeError',
          message: 'disk on fire',
          stack: expect.stringContaining('faults.test.ts'),
        },
      },
    });
  });

  test("in the shape of settle, with the request's network", async () => {
    const { url } = await startService({ settle: async () => failing() });
    expect(await post(`${url}/settle`, text)).toMatchObject({
      status: 500,
      body: {
        success: false,
        transaction: '',
        network: 'stellar:testnet',
        errorReason: 'svc_internal_error',
        errorMessage: PUBLIC_TEXT,
      },
    });
  });

  test('as an error envelope elsewhere', async () => {
    const { kind } = standInScheme();
    const { url } = await startService({
      kind: {
        ...kind,
        get x402Version(): 2 {
          return failing();
        },
      },
    });
    expect(await ask(`${url}/health`)).toMatchObject({
      status: 500,
      body: { error: { code: 'svc_internal_error', reason: PUBLIC_TEXT } },
    });
  });
});

test.each([
  ['thrown synchronously', failing],
  ['that is no error', async () => AbortSignal.abort('just text').throwIfAborted() as never],
  ['that is a refusal without a code', async () => ({ isValid: false })],
  ['that is an answer that no JSON can hold', async () => ({ isValid: true, extra: { ledger: 7n } })],
])('a fault %s is one too, and the service goes on', async (_what, verify) => {
  const { url, log } = await startService({ verify });
  expect(await post(`${url}/verify`, text)).toMatchObject({ status: 500 });
  expect(log.filter(({ msg }) => msg === 'fault')).toHaveLength(1);
  expect(await ask(`${url}/health`)).toMatchObject({ status: 200 });
});
