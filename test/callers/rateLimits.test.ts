import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RateLimits } from '../../src/callers/limits.ts';
import { createRateLimits, type RateLimitsDeps } from '../../src/callers/rateLimits.ts';
import { DEFAULT_CALLERS } from '../../src/config/callers.ts';
import type { SettleResponse } from '../../src/contract/index.ts';
import { TRANSACTION, payment, post, startService, type Answer } from '../http/support.ts';

const text = JSON.stringify(payment);
const stranger = { name: '1.2.3.4', keyId: undefined };
const keyed = { name: 'key:acme', keyId: 'acme' };

/** Rate limits with these defaults, and with these limits of the key. */
function limitsOf(
  defaults: Partial<RateLimits>,
  own: Partial<RateLimits> = {},
  limits: RateLimitsDeps['limits'] = {},
) {
  return createRateLimits({
    defaults: { ...DEFAULT_CALLERS.limits, ...defaults },
    limitsOf: () => ({ ...DEFAULT_CALLERS.limits, ...own }),
    limits,
  });
}

const isRefused = async (admitted: unknown): Promise<boolean> => 'code' in ((await admitted) as object);

describe('a caller', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('may send so many requests in a minute, and the same again in the next', async () => {
    const { admit } = limitsOf({ verifiesPerMinute: 2 });
    const verify = () => isRefused(admit('verifyPayment', stranger));
    expect([await verify(), await verify(), await verify()]).toEqual([false, false, true]);
    vi.advanceTimersByTime(59_999);
    expect(await verify()).toBe(true);
    vi.advanceTimersByTime(1);
    expect(await verify()).toBe(false);
  });

  test('is told its limit, what is left of it, and for how long', async () => {
    const { admit } = limitsOf({ settlesPerMinute: 1 });
    expect(await admit('settlePayment', stranger)).toMatchObject({
      headers: { 'ratelimit-policy': '"settle";q=1;w=60', ratelimit: '"settle";r=0;t=60' },
    });
    vi.advanceTimersByTime(17_500);
    expect(await admit('settlePayment', stranger)).toMatchObject({
      status: 429,
      code: 'svc_rate_limited',
      headers: {
        'ratelimit-policy': '"settle";q=1;w=60',
        ratelimit: '"settle";r=0;t=43',
        'retry-after': '43',
      },
    });
    vi.advanceTimersByTime(42_499);
    expect(await admit('settlePayment', stranger)).toMatchObject({ headers: { 'retry-after': '1' } });
  });

  test('is counted apart from others, and its verifies apart from its settlements', async () => {
    const { admit } = limitsOf({ verifiesPerMinute: 1, settlesPerMinute: 1 });
    expect(await isRefused(admit('verifyPayment', stranger))).toBe(false);
    expect(await isRefused(admit('settlePayment', stranger))).toBe(false);
    expect(await isRefused(admit('verifyPayment', { ...stranger, name: '1.2.3.5' }))).toBe(false);
    expect(await isRefused(admit('verifyPayment', stranger))).toBe(true);
  });

  test('that asks for a status has that counted as a verify', async () => {
    const { admit } = limitsOf({ verifiesPerMinute: 1 });
    expect(await isRefused(admit('getSettlementStatus', stranger))).toBe(false);
    expect(await isRefused(admit('verifyPayment', stranger))).toBe(true);
    expect(await isRefused(admit('getSettlementStatus', stranger))).toBe(true);
  });

  test('with a key has the limits of the key, and the others where the key has none', async () => {
    const { admit, maxConnectionsOf } = limitsOf(
      { verifiesPerMinute: 1, settlesPerMinute: 1, connections: 5 },
      { settlesPerMinute: 2 },
    );
    const settle = () => isRefused(admit('settlePayment', keyed));
    expect([await settle(), await settle(), await settle()]).toEqual([false, false, true]);
    const verify = () => isRefused(admit('verifyPayment', keyed));
    expect([await verify(), await verify()]).toEqual([false, true]);
    expect(maxConnectionsOf('acme')).toBe(5);
    expect(limitsOf({ connections: 5 }, { connections: 9 }).maxConnectionsOf('acme')).toBe(9);
  });

  test('has so many settlements in flight, each until it is answered', async () => {
    const { admit } = limitsOf({ settlementsInFlight: 2 });
    const settle = () => admit('settlePayment', stranger) as { leave(): void };
    const [first] = [settle(), settle()];
    expect(settle()).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
    expect(await isRefused(admit('settlePayment', keyed))).toBe(false);
    expect(await isRefused(admit('verifyPayment', stranger))).toBe(false);
    first.leave();
    expect(await isRefused(settle())).toBe(false);
    expect(await isRefused(settle())).toBe(true);
  });

  test('that has too many settlements in flight is told its rate as well', async () => {
    const { admit } = limitsOf({ settlesPerMinute: 10, settlementsInFlight: 1 });
    await admit('settlePayment', stranger);
    expect(await admit('settlePayment', stranger)).toMatchObject({
      status: 429,
      headers: { ratelimit: '"settle";r=8;t=60', 'retry-after': '5' },
    });
  });
});

test('where nothing is limited, nothing is counted, awaited or said', () => {
  const { admit } = limitsOf({ verifiesPerMinute: 1 });
  expect(admit('settlePayment', stranger)).toBe(admit('settlePayment', keyed));
  expect(admit('settlePayment', stranger)).toMatchObject({ headers: undefined });
  expect(admit('getHealth', stranger)).toBe(admit('settlePayment', stranger));
});

test('of more callers than are counted, the window that began first ends early', async () => {
  const { admit } = limitsOf({ verifiesPerMinute: 1 }, {}, { maxCountedCallers: 2 });
  const verify = (name: string) => isRefused(admit('verifyPayment', { name, keyId: undefined }));
  for (const name of ['a', 'b', 'c']) expect(await verify(name)).toBe(false);
  expect([await verify('c'), await verify('b')]).toEqual([true, true]);
  expect(await verify('a')).toBe(false);
});

describe('over HTTP', () => {
  const headersOf = ({ headers }: Answer) => [headers['ratelimit-policy'], headers['ratelimit']];

  test('answers carry the limits, whatever they say', async () => {
    const limits = { ...DEFAULT_CALLERS.limits, verifiesPerMinute: 3 };
    const { url } = await startService({}, {}, {}, { limits });
    const answers: Answer[] = [];
    for (const body of [text, '{', text, text]) answers.push(await post(`${url}/verify`, body));
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 429]);
    for (const [index, answer] of answers.entries()) {
      const [policy, left] = headersOf(answer);
      expect(policy).toBe('"verify";q=3;w=60');
      expect(left).toMatch(new RegExp(`^"verify";r=${[2, 1, 0, 0][index]};t=\\d+$`));
    }
    expect(headersOf(await post(`${url}/settle`, text))).toEqual([undefined, undefined]);
  });

  test('a settlement counts until it is answered, and then its place is free', async () => {
    const { promise, resolve: answer } = Promise.withResolvers<SettleResponse>();
    const settle = vi.fn(() => promise);
    const limits = { ...DEFAULT_CALLERS.limits, settlementsInFlight: 1 };
    const { url } = await startService({ settle }, {}, {}, { limits });
    const first = post(`${url}/settle`, text);
    await vi.waitFor(() => expect(settle).toHaveBeenCalledOnce());
    expect(await post(`${url}/settle`, text)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '5' },
      body: { success: false, errorReason: 'svc_rate_limited' },
    });
    expect((await post(`${url}/verify`, text)).status).toBe(200);
    answer({ success: true, transaction: TRANSACTION, network: 'stellar:testnet' });
    expect((await first).status).toBe(200);
    expect((await post(`${url}/settle`, text)).status).toBe(200);
    expect(settle).toHaveBeenCalledTimes(2);
  });
});
