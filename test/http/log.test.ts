import { describe, expect, test } from 'vitest';
import { hiddenTexts } from '../../src/config/hiddenTexts.ts';
import { createLog } from '../../src/log/log.ts';
import {
  ask,
  config,
  JSON_TYPE,
  PAYER,
  payment,
  post,
  startService,
  TRANSACTION,
  type LogLine,
} from './support.ts';

const text = JSON.stringify(payment);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const requestsIn = (log: LogLine[]): LogLine[] => log.filter(({ msg }) => msg === 'request');

describe('one line per request', () => {
  test('tells what was asked, how it ended, who paid and where', async () => {
    const { url, log } = await startService();
    const { headers } = await post(`${url}/settle?note=private`, text);
    expect(requestsIn(log)).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        msg: 'request',
        requestId: headers['x-request-id'],
        method: 'POST',
        path: '/settle',
        caller: 'anonymous',
        address: '127.0.0.1',
        status: 200,
        durationMs: expect.any(Number),
        payer: PAYER,
        transaction: TRANSACTION,
      },
    ]);
  });

  test('carries the code of a refusal, wherever it stands', async () => {
    const { url, log } = await startService();
    await post(`${url}/verify`, '{}');
    await post(`${url}/settle`, '[]');
    await ask(`${url}/nowhere`);
    expect(requestsIn(log)).toMatchObject([
      { path: '/verify', status: 400, code: 'svc_missing_payment_payload' },
      { path: '/settle', status: 400, code: 'svc_malformed_request_body' },
      { path: '/nowhere', status: 404, code: 'svc_unknown_route' },
    ]);
  });

  test('says which payment was refused, why, and to whom', async () => {
    const { url, log } = await startService({
      verify: async () => ({ isValid: false, invalidReason: 'unexpected_verify_error', payer: PAYER }),
    });
    const resource = { url: 'https://user:secret@seller.test/weather?key=secret#part', description: '' };
    const body = { ...payment, paymentPayload: { ...payment.paymentPayload, resource } };
    const { headers } = await post(`${url}/verify`, JSON.stringify(body));
    const { amount, asset, payTo } = payment.paymentRequirements;
    expect(requestsIn(log)).toMatchObject([
      {
        requestId: headers['x-request-id'],
        caller: 'anonymous',
        address: '127.0.0.1',
        code: 'unexpected_verify_error',
        message: expect.stringMatching(/\w/),
        payer: PAYER,
        amount,
        asset,
        payTo,
        resource: 'https://seller.test/weather',
      },
    ]);
    expect(JSON.stringify(log)).not.toContain('secret');
  });

  test.each([
    ['a good payment', {}],
    [
      'values of other types',
      { paymentRequirements: { amount: 1, asset: [], payTo: null }, paymentPayload: 'x' },
    ],
    ['no requirements', { paymentRequirements: undefined }],
  ])('of %s says nothing of the kind', async (_what, changes) => {
    const { url, log } = await startService();
    await post(`${url}/verify`, JSON.stringify({ ...payment, ...changes }));
    for (const fact of ['amount', 'asset', 'payTo']) expect(requestsIn(log)[0]).not.toHaveProperty(fact);
  });

  test('is short, whatever is sent', async () => {
    const { url, log } = await startService();
    const long = '\u0001'.repeat(10_000);
    const requirements = {
      ...payment.paymentRequirements,
      scheme: 'other',
      amount: long,
      asset: long,
      payTo: long,
    };
    const paymentPayload = { ...payment.paymentPayload, resource: { url: long }, [long]: 1 };
    for (const path of ['verify', 'settle'])
      await post(
        `${url}/${path}`,
        JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: requirements }),
      );
    const lines = requestsIn(log);
    expect(lines).toMatchObject([{ payTo: '\u0001'.repeat(256) }, { amount: '\u0001'.repeat(256) }]);
    for (const line of lines) expect(JSON.stringify(line).length).toBeLessThan(8 * 1024 + 512);
  });

  test('holds neither bodies nor headers nor query strings, and no endless paths', async () => {
    const { url, log } = await startService();
    const headers = { ...JSON_TYPE, authorization: 'Bearer gateway-token', cookie: 'session=1' };
    await post(`${url}/verify?token=query-token`, text, headers);
    await ask(`${url}/${'a'.repeat(4000)}`);
    const written = JSON.stringify(log);
    for (const never of [
      'AAAA',
      'gateway-token',
      'session',
      'query-token',
      'a'.repeat(300),
      'provider-key',
      'pass',
    ]) {
      expect(written).not.toContain(never);
    }
  });

  test('is written with the outcome also when the sender did not wait for it', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const { url, logged } = await startService({
      settle: async () => {
        await answered;
        return { success: true, transaction: TRANSACTION, network: 'stellar:testnet' };
      },
    });
    const impatient = new AbortController();
    const request = fetch(`${url}/settle`, {
      method: 'POST',
      body: text,
      headers: JSON_TYPE,
      signal: impatient.signal,
    });
    setTimeout(() => impatient.abort(), 50);
    await expect(request).rejects.toThrow('aborted');
    setTimeout(answer, 50);
    expect(await logged('request')).toMatchObject({ status: 200, transaction: TRANSACTION, aborted: true });
  });
});

describe('the request id', () => {
  test.each(['a', 'Z'.repeat(128), 'trace:01-ab_c.d'])("is the sender's where it is safe: %s", async (id) => {
    const { url, log } = await startService();
    const { headers } = await ask(`${url}/health`, { headers: { 'x-request-id': id } });
    expect(headers['x-request-id']).toBe(id);
    expect(requestsIn(log)).toMatchObject([{ requestId: id }]);
  });

  test.each([undefined, '', 'Z'.repeat(129), 'a b', 'a"b', 'a,b', 'é'])(
    'is a new one else: %s',
    async (id) => {
      const { url, log } = await startService();
      const { headers } = await ask(`${url}/health`, {
        headers: id === undefined ? {} : { 'x-request-id': id },
      });
      expect(headers['x-request-id']).toMatch(UUID);
      expect(requestsIn(log)).toMatchObject([{ requestId: headers['x-request-id'] }]);
    },
  );
});

test('what must stay secret is taken out of logged errors, and their properties are left out', () => {
  const lines: LogLine[] = [];
  const secrets = { submitterSecrets: ['SUBMITTERKEY'], feeBumpSecret: 'FEEBUMPKEY' };
  const rpcUrl = 'https://user:pass@rpc.example/v1/provider-key-in-path?apikey=provider-key-in-query';
  const log = createLog(hiddenTexts({ ...config, rpcUrls: [rpcUrl] }, secrets), {
    write: (line) => void lines.push(JSON.parse(line) as LogLine),
  });
  const cause = Object.assign(new Error(`no answer from ${rpcUrl}`), {
    request: { headers: 'authorization' },
  });
  log.error({ err: new Error('cannot sign with SUBMITTERKEY or FEEBUMPKEY', { cause }) }, 'fault');
  const written = JSON.stringify(lines);
  expect(written).toContain('cannot sign with [hidden] or [hidden]');
  for (const never of ['SUBMITTERKEY', 'FEEBUMPKEY', 'provider-key', 'user', 'pass', 'authorization']) {
    expect(written).not.toContain(never);
  }
});
