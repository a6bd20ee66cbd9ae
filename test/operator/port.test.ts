import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, onTestFinished, test, describe } from 'vitest';
import { openFacilitator, type Facilitator, type FacilitatorOptions } from '../support/service.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { ask } from './asking.ts';

const stage = useStage();
const { newPayment } = settlementsOn(stage);
const TOKEN = 'an-operators-token-of-enough-characters';

async function open(options: Partial<FacilitatorOptions> = {}): Promise<Facilitator> {
  const { sandbox } = stage;
  const facilitator = await openFacilitator({
    rpcUrl: sandbox.url,
    submitters: [sandbox.submitter()],
    operator: {},
    ...options,
  });
  onTestFinished(() => facilitator.close());
  return facilitator;
}

test('nothing of the operator’s port is reachable through the public one', async () => {
  const { url } = await open();
  for (const path of [
    '/live',
    '/ready',
    '/metrics',
    '/overview',
    '/events',
    '/settlements',
    '/session',
    '/console.js',
  ])
    expect((await fetch(url + path)).status, path).toBe(404);
});

test('a service without an operator’s port has none', async () => {
  const { sandbox } = stage;
  const facilitator = await openFacilitator({ rpcUrl: sandbox.url, submitters: [sandbox.submitter()] });
  onTestFinished(() => facilitator.close());
  expect(facilitator.operatorUrl).toBe('');
});

test('it is live, and tells its version', async () => {
  const { operatorUrl } = await open();
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(await ask(operatorUrl, '/live')).toMatchObject({ status: 200, body: { status: 'live', version } });
});

test('unknown routes, methods and parameters are refused with a code', async () => {
  const { operatorUrl } = await open();
  const codeOf = async (path: string, asked = {}): Promise<string> =>
    (await ask(operatorUrl, path, asked)).body?.error?.code;
  expect(await codeOf('/nothing')).toBe('op_not_found');
  expect(await codeOf('/settlements', { method: 'PUT' })).toBe('op_not_found');
  expect(await codeOf('/settlements?limit=501')).toBe('op_invalid_request');
  expect(await codeOf('/settlements?limit=x')).toBe('op_invalid_request');
  expect(await codeOf('/settlements?status=odd')).toBe('op_invalid_request');
  expect(await codeOf('/settlements?since=yesterday')).toBe('op_invalid_request');
  expect(await codeOf('/settlements?cursor=x')).toBe('op_invalid_request');
  expect(await codeOf('/settlements/xyz')).toBe('op_invalid_request');
  expect(await codeOf('/settlements/%zz')).toBe('op_invalid_request');
  expect(await codeOf('/listings/%ff')).toBe('op_invalid_request');
  expect(await codeOf(`/settlements/${'0'.repeat(64)}`)).toBe('op_not_found');
  expect(await codeOf('/session', { method: 'POST', body: {} })).toBe('op_invalid_request');
  expect(await codeOf('/session', { method: 'POST', body: '{' })).toBe('op_invalid_request');
  expect(await codeOf('/session', { method: 'POST', body: { token: 'x'.repeat(20_000) } })).toBe(
    'op_invalid_request',
  );
});
test('the rest of a body that was refused does no harm', async () => {
  const { operatorUrl } = await open();
  const { hostname, port } = new URL(operatorUrl);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const half = 'x'.repeat(20_000);
  const head = ['POST /session HTTP/1.1', 'host: localhost', 'content-type: application/json'];
  socket.write(`${head.join('\r\n')}\r\ncontent-length: ${2 * half.length}\r\n\r\n${half}`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toContain('op_invalid_request');
  socket.write(half);
  await once(socket.resume(), 'close');
  expect((await ask(operatorUrl, '/live')).status).toBe(200);
});

describe('without a token', () => {
  test('it answers this machine’s names only, so that no name of an attacker leads here', async () => {
    const { operatorUrl } = await open();
    const statusFor = async (host: string): Promise<number> =>
      (await ask(operatorUrl, '/overview', { headers: { host } })).status;
    expect(await Promise.all(['localhost:4022', '127.0.0.1', '[::1]:4022'].map(statusFor))).toEqual([
      200, 200, 200,
    ]);
    expect(await Promise.all(['evil.example', 'localhost.evil.example', '10.0.0.1'].map(statusFor))).toEqual([
      403, 403, 403,
    ]);
  });

  test('a page of another site can neither read nor change anything', async () => {
    const { operatorUrl } = await open();
    for (const site of ['cross-site', 'same-site']) {
      const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' };
      expect((await ask(operatorUrl, '/overview', { headers })).status).toBe(403);
    }
    const headers = { origin: 'https://evil.example' };
    const signIn = { method: 'POST', headers, body: { token: TOKEN } };
    expect((await ask(operatorUrl, '/session', signIn)).status).toBe(403);
  });

  test('of another site’s links, only those to the console work', async () => {
    const { operatorUrl } = await open();
    const headers = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect((await ask(operatorUrl, '/', { headers })).status).not.toBe(403);
    for (const path of ['/settlements.csv', '/events', '/ready'])
      expect((await ask(operatorUrl, path, { headers })).status, path).toBe(403);
  });
});

describe('with a token', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  test('only probes answer without it', async () => {
    const { operatorUrl } = await open({ operator: { token: TOKEN } });
    const statusOf = async (path: string, headers = {}): Promise<number> =>
      (await ask(operatorUrl, path, { headers })).status;
    expect(await statusOf('/live')).toBe(200);
    expect(await statusOf('/ready')).not.toBe(401);
    for (const path of ['/metrics', '/overview', '/events', '/settlements', '/settlements.csv']) {
      expect(await statusOf(path), path).toBe(401);
      expect(await statusOf(path, bearer(`${TOKEN}x`)), path).toBe(401);
      expect(await statusOf(path, { cookie: 'facilitator_session=x' }), path).toBe(401);
    }
    expect(await statusOf('/settlements', bearer(TOKEN))).toBe(200);
    expect(await statusOf('/overview', { ...bearer(TOKEN), host: 'operator.example' })).toBe(200);
  });

  async function signIn(operatorUrl: string): Promise<{ cookie: string; setCookie: string }> {
    const answer = await ask(operatorUrl, '/session', { method: 'POST', body: { token: TOKEN } });
    expect(answer.status).toBe(204);
    const [setCookie = ''] = [answer.headers['set-cookie'] ?? []].flat();
    return { cookie: setCookie.split(';')[0]!, setCookie };
  }

  test('a browser signs in to a session of its own, and out of it', async () => {
    const { operatorUrl } = await open({ operator: { token: TOKEN } });
    const wrong = await ask(operatorUrl, '/session', { method: 'POST', body: { token: 'wrong' } });
    expect(wrong).toMatchObject({ status: 401, body: { error: { code: 'op_unauthorized' } } });
    const { cookie, setCookie } = await signIn(operatorUrl);
    expect(setCookie).toMatch(/; HttpOnly; SameSite=Strict$/);
    expect((await ask(operatorUrl, '/settlements', { headers: { cookie } })).status).toBe(200);

    const origin = operatorUrl;
    const signOut = (headers: Record<string, string>) =>
      ask(operatorUrl, '/session', { method: 'DELETE', headers });
    expect((await signOut({ cookie })).status).toBe(403);
    expect((await signOut({ cookie, origin: 'http://evil.example' })).status).toBe(403);
    expect((await signOut({ cookie, origin })).status).toBe(204);
    expect((await ask(operatorUrl, '/settlements', { headers: { cookie } })).status).toBe(401);
  });
});

test('the cookie of a session that begins behind TLS never travels without it', async () => {
  const { operatorUrl } = await open({ operator: { token: TOKEN } });
  const cookieFor = async (origin: string): Promise<string> => {
    const headers = { host: 'operator.example', origin };
    const answer = await ask(operatorUrl, '/session', { method: 'POST', headers, body: { token: TOKEN } });
    return String(answer.headers['set-cookie']);
  };
  expect(await cookieFor('https://operator.example')).toMatch(/; Secure$/);
  expect(await cookieFor('http://operator.example')).not.toContain('Secure');
});

test('a request to the operator’s port does not delay the end of the public one', async () => {
  const { url, operatorUrl, close } = await open();
  const { port, hostname } = new URL(operatorUrl);
  const socket = connect({ port: Number(port), host: hostname });
  onTestFinished(() => void socket.destroy());
  // Half of a body keeps the request under way.
  socket.write(
    'POST /session HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
  );
  await ask(operatorUrl, '/live');
  let isCut = false;
  const cut = once(socket, 'close').then(() => (isCut = true));
  const closed = close();
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  expect(isCut).toBe(false);
  await closed;
  await cut;
});

test('each answer forbids scripts, frames and requests of elsewhere, and is not kept', async () => {
  const { operatorUrl } = await open();
  for (const path of ['/', '/live', '/settlements', '/nothing']) {
    const { headers } = await ask(operatorUrl, path);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|data:|https?:/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBe('no-store');
  }
});

describe('settlements', () => {
  test('are listed, shown and exported with all their facts', async () => {
    const { operatorUrl, settle } = await open();
    const payments = [newPayment(), newPayment()];
    const hashes: string[] = [];
    for (const { request } of payments) {
      const settled = await settle(request);
      expect(settled).toMatchObject({ success: true });
      hashes.unshift(settled.transaction);
    }
    const all = await ask(operatorUrl, '/settlements');
    expect(all.body.settlements.map(({ hash }: { hash: string }) => hash)).toEqual(hashes);
    const { payTo, amount, asset } = payments[1]!.request.paymentRequirements;
    const shown = await ask(operatorUrl, `/settlements/${hashes[0]}`);
    expect(shown.body).toMatchObject({ hash: hashes[0], status: 'settled', payTo, amount, asset });
    expect(shown.body).toMatchObject({ caller: 'anonymous', feeStroops: expect.any(Number) });

    const first = await ask(operatorUrl, '/settlements?limit=1&status=settled');
    const next = await ask(operatorUrl, `/settlements?limit=1&status=settled&cursor=${first.body.next}`);
    expect([first, next].flatMap(({ body }) => body.settlements.map((one: any) => one.hash))).toEqual(hashes);
    expect((await ask(operatorUrl, `/settlements?payTo=${payTo}`)).body.settlements).toHaveLength(1);

    const lines = (await ask(operatorUrl, '/settlements.csv')).text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(hashes[0]);
  });

  test('keep the request id and the resource of the request', async () => {
    const { operatorUrl, url } = await open();
    const { request } = newPayment();
    const resource = { url: 'https://shop.example/weather?<script>', description: '', mimeType: '' };
    const answer = await fetch(`${url}/settle`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'request-42' },
      body: JSON.stringify({ ...request, paymentPayload: { ...request.paymentPayload, resource } }),
    });
    const { transaction } = (await answer.json()) as { transaction: string };
    const { body } = await ask(operatorUrl, `/settlements/${transaction}`);
    expect(body).toMatchObject({ requestId: 'request-42', resource: resource.url });
    expect(Date.parse(body.askedAt)).toBeLessThanOrEqual(Date.parse(body.verifiedAt));
    expect(Date.parse(body.verifiedAt)).toBeLessThanOrEqual(Date.parse(body.sentAt));
  });
});

test('the overview shows the same as the journal, the ledger and the metrics', async () => {
  const { sandbox } = stage;
  const { operatorUrl, settle, verify } = await open();
  expect(await settle(newPayment().request)).toMatchObject({ success: true });
  const wrong = newPayment().request;
  wrong.paymentRequirements = { ...wrong.paymentRequirements, amount: '1' };
  const { invalidReason } = await verify(wrong);
  await expect
    .poll(async () => (await ask(operatorUrl, '/overview')).body, { interval: 300, timeout: 5_000 })
    .toMatchObject({
      readiness: { ready: true },
      ledgers: [{ settled: 1, failed: 0 }],
      refusals: [{ operation: 'verifyPayment', code: invalidReason, count: 1 }],
      nodes: [{ rpc: sandbox.url, state: 'sound' }],
      accounts: [{ state: 'free' }],
      inFlight: 0,
    });
  const { body } = await ask(operatorUrl, '/overview');
  const { settlements } = (await ask(operatorUrl, '/settlements')).body;
  expect(body.fees.todayStroops).toBe(settlements[0].feeStroops);
  expect(body.accounts[0].balanceStroops).toBe(Number(sandbox.native(body.accounts[0].address)));
  expect(body.ledger.latest).toBeGreaterThanOrEqual(settlements[0].ledger);
});

test('a stream tells of changes, and ends when its client leaves', async () => {
  const { operatorUrl, settle } = await open();
  const leave = new AbortController();
  const response = await fetch(`${operatorUrl}/events`, { signal: leave.signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const settling = settle(newPayment().request);
  while (!/"settled":1/.test(text)) text += (await reader.read()).value ?? '';
  expect(await settling).toMatchObject({ success: true });
  const [event] = text.split('\n\n');
  expect(event).toMatch(/^event: overview\ndata: \{/);
  leave.abort();
});
