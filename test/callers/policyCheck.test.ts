import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createPolicy, type Policy } from '../../src/callers/index.ts';
import { DEFAULT_POLICY } from '../../src/config/policy.ts';
import { AMOUNT, NETWORK, USDC } from '../support/payments.ts';
import { CHECK_SECRET, policyWith } from '../support/policy.ts';
import { silent } from '../support/service.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { openOperatorCheck } from './operatorCheck.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, expectSettled, sends } = settlementsOn(stage);

const TIMEOUT_MS = 300;
const accept = (response: ServerResponse) => response.end('{"accept":true}');

const open = (url: string, ifSilent: 'refuse' | 'accept' = 'refuse') =>
  stage.open({
    policy: policyWith(`check: { url: '${url}', ifSilent: ${ifSilent}, timeoutMs: ${TIMEOUT_MS} }`),
  });

/** Opens the policy alone. */
function openCheck(url: string): Policy {
  const { rules } = policyWith(`check: { url: '${url}', ifSilent: refuse, timeoutMs: 5000 }`);
  const facts = { rules, ceilingStroops: 50_000, network: NETWORK, secret: CHECK_SECRET };
  const policy = createPolicy({ settings: DEFAULT_POLICY, read: () => ({ rules }), ...facts, log: silent });
  onTestFinished(() => policy.close());
  return policy;
}

describe('the question', () => {
  test.each(['verify', 'settle'] as const)('of a %s has the facts of the payment', async (operation) => {
    const check = await openOperatorCheck(accept);
    const payment = newPayment();
    const before = Date.now();
    await (await open(check.url))[operation](payment.request);
    expect(check.asked).toEqual([
      expect.objectContaining({
        method: 'POST',
        path: '/check?of=us',
        headers: expect.objectContaining({ 'content-type': 'application/json' }),
      }),
    ]);
    const { time, ...facts } = JSON.parse(check.asked[0]!.body) as { time: string };
    expect(facts).toEqual({
      operation,
      network: NETWORK,
      asset: USDC,
      amount: String(AMOUNT),
      payer: payment.payer,
      payTo: payment.payTo,
      keyId: null,
    });
    expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
    expect(new Date(time).toISOString()).toBe(time);
  });

  test('is signed as Standard Webhooks specifies, each time under another id', async () => {
    const check = await openOperatorCheck(accept);
    const { verify } = await open(check.url);
    await verify(newPayment().request);
    await verify(newPayment().request);
    const key = Buffer.from(CHECK_SECRET.replace('whsec_', ''), 'base64');
    for (const { headers, body } of check.asked) {
      const [id, timestamp] = [headers['webhook-id'], headers['webhook-timestamp']];
      const hmac = createHmac('sha256', key).update(`${String(id)}.${String(timestamp)}.${body}`);
      expect(headers['webhook-signature']).toBe(`v1,${hmac.digest('base64')}`);
      const { time } = JSON.parse(body) as { time: string };
      expect(Number(timestamp)).toBe(Math.floor(Date.parse(time) / 1_000));
    }
    expect(new Set(check.asked.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  });

  test('goes over a connection that is used again', async () => {
    const check = await openOperatorCheck(accept);
    const { verify } = await open(check.url);
    for (let count = 0; count < 5; count += 1) await verify(newPayment().request);
    expect({ asked: check.asked.length, connections: check.connections() }).toEqual({
      asked: 5,
      connections: 1,
    });
  });
});

describe('the answer', () => {
  test('yes lets a payment settle', async () => {
    const { url } = await openOperatorCheck(accept);
    const payment = newPayment();
    expectSettled(await (await open(url)).settle(payment.request), payment);
  });

  test('no refuses it; its reason goes to the log, safe to show, and not to the seller', async () => {
    const reason = `\u001b[31mthis seller owes us\nmoney ${'x'.repeat(300)}`;
    const { url } = await openOperatorCheck((response) =>
      response.end(JSON.stringify({ accept: false, reason })),
    );
    const { settle, log } = await open(url, 'accept');
    const { request, payer, payTo } = newPayment();
    const answer = await settle(request);
    expect(answer).toMatchObject({ errorReason: 'svc_policy_check_refused', transaction: '', payer });
    expect(JSON.stringify(answer)).not.toContain('owes');
    const line = log.find(({ msg }) => msg === 'the policy check refused a payment');
    expect(line).toMatchObject({
      payer,
      payTo,
      reason: expect.stringMatching(/^\[31mthis seller owes us money x+$/),
    });
    expect(line!['reason']).toHaveLength(200);
    expect(sends()).toBe(0);
  });

  test('may be compressed', async () => {
    const { url } = await openOperatorCheck((response) =>
      response.setHeader('content-encoding', 'gzip').end(gzipSync('{"accept":true}')),
    );
    expect(await (await open(url)).verify(newPayment().request)).toMatchObject({ isValid: true });
  });
});

describe('silence is', () => {
  const redirected: string[] = [];
  const attacks: [what: string, answer: (response: ServerResponse) => unknown][] = [
    ['no answer', () => {}],
    ['headers without an end', (response) => response.writeHead(200).write('{"accept":')],
    [
      'a body without an end, byte by byte',
      (response) => {
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      },
    ],
    ['a body of more than 16 KiB', (response) => response.end(`{"accept":true${' '.repeat(16 * 1024)}}`)],
    [
      'a small body that unpacks to a large one',
      (response) =>
        response.setHeader('content-encoding', 'gzip').end(gzipSync(`{"accept":true${' '.repeat(1 << 20)}}`)),
    ],
    ['no JSON', (response) => response.end('yes')],
    ['null', (response) => response.end('null')],
    ['a word for yes', (response) => response.end('{"accept":"true"}')],
    ['yes with status 201', (response) => response.writeHead(201).end('{"accept":true}')],
    ['yes with status 500', (response) => response.writeHead(500).end('{"accept":true}')],
    ['a closed connection', (response) => response.destroy()],
    ['no HTTP', (response) => response.socket!.end('SSH-2.0-OpenSSH\r\n')],
  ];

  test.each(attacks)(
    '%s: refused or served as the operator says, in time, and others settle',
    async (_what, answer) => {
      const { url } = await openOperatorCheck(answer);
      const [strict, lenient] = [await open(url, 'refuse'), await open(url, 'accept')];
      const startedMs = performance.now();
      const payment = newPayment();
      const [refused, alsoRefused, served] = await Promise.all([
        strict.verify(newPayment().request),
        strict.settle(newPayment().request),
        lenient.settle(payment.request),
      ]);
      expect(performance.now() - startedMs).toBeLessThan(20_000);
      expect(refused).toMatchObject({ invalidReason: 'svc_policy_check_unavailable' });
      expect(alsoRefused).toMatchObject({ errorReason: 'svc_policy_check_unavailable', transaction: '' });
      expectSettled(served, payment);
    },
  );

  test('a redirect, which is not followed', async () => {
    const other = await openOperatorCheck((response) => {
      redirected.push('asked');
      accept(response);
    });
    for (const status of [301, 302, 307, 308]) {
      const { url } = await openOperatorCheck((response) =>
        response.writeHead(status, { location: other.url }).end(),
      );
      const { verify } = await open(url);
      expect(await verify(newPayment().request)).toMatchObject({
        invalidReason: 'svc_policy_check_unavailable',
      });
    }
    expect(redirected).toEqual([]);
  });

  test('a port on which nothing listens', async () => {
    const { verify } = await open('http://127.0.0.1:1');
    expect(await verify(newPayment().request)).toMatchObject({
      invalidReason: 'svc_policy_check_unavailable',
    });
  });

  test('logged once in a while, with its number', async () => {
    const { verify, log } = await open('http://127.0.0.1:1');
    for (let count = 0; count < 5; count += 1) await verify(newPayment().request);
    const lines = log.filter(({ msg }) => msg === 'the policy check does not answer');
    expect(lines).toEqual([expect.objectContaining({ level: 'warn', failures: 1 })]);
  });
});

test('while the check hangs, nothing is simulated, and sellers of other instances are served', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = await openOperatorCheck(async (response) => {
    await promise;
    accept(response);
  });
  const { verify } = await stage.open({
    policy: policyWith(`check: { url: '${check.url}', ifSilent: refuse, timeoutMs: 5000 }`),
  });
  const { request } = newPayment();
  const verifying = verify(request);
  await expect.poll(() => check.asked.length, { interval: 2 }).toBe(1);
  stage.sandbox.calls.reset();
  await stage.facilitator.health();
  expect(stage.sandbox.calls.counts()).toEqual({});
  resolve();
  expect(await verifying).toMatchObject({ isValid: true });
  expect(stage.sandbox.calls.counts()).toEqual({ simulateTransaction: 1 });
});

test('at most 32 calls of verify are at the check at a time; others wait, and settlements do not', async () => {
  const held: ServerResponse[] = [];
  let isOver = false;
  const check = await openOperatorCheck((response, { body }) =>
    isOver || body.includes('"settle"') ? accept(response) : held.push(response),
  );
  const { verify, settle } = await stage.open({
    policy: policyWith(`check: { url: '${check.url}', ifSilent: refuse, timeoutMs: 5000 }`),
  });
  const answers = Promise.all(Array.from({ length: 40 }, () => verify(newPayment().request)));
  await expect.poll(() => held.length, { interval: 2 }).toBe(32);
  const payment = newPayment();
  expectSettled(await settle(payment.request), payment);
  expect(held.length).toBe(32);
  isOver = true;
  for (const response of held) accept(response);
  expect((await answers).every(({ isValid }) => isValid)).toBe(true);
});

test.each(['verify', 'settle'] as const)(
  'a caller that floods the check with its %s delays no other',
  async (operation) => {
    const held: ServerResponse[] = [];
    let isOver = false;
    const { url, asked } = await openOperatorCheck((response) =>
      isOver ? accept(response) : held.push(response),
    );
    const { check } = openCheck(url);
    const askAs = async (sender: string) =>
      check(
        { payer: sender, payTo: sender, asset: USDC, amount: 1n },
        { operation, sender, keyId: undefined },
      );
    const flood = Array.from({ length: 200 }, () => askAs('flood'));
    await expect.poll(() => held.length, { interval: 2 }).toBe(32);
    const other = askAs('other');
    for (const answered of [1, 2]) {
      accept(held.shift()!);
      await expect.poll(() => asked.length, { interval: 2 }).toBe(32 + answered);
    }
    expect(asked.slice(32).map(({ body }) => (JSON.parse(body) as { payer: string }).payer)).toContain(
      'other',
    );
    isOver = true;
    for (const response of held) accept(response);
    expect(await other).toBeUndefined();
    const refused = (await Promise.all(flood)).filter((refusal) => refusal !== undefined);
    expect(refused).toHaveLength(200 + 1 - 32 - 96);
  },
);
