import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRpc } from '../../src/stellar/rpc/pool.ts';
import type { RpcAnswers } from '../../src/stellar/rpc/answers.ts';
import { silent } from '../support/service.ts';

interface Asked {
  url: string;
  headers: IncomingHttpHeaders;
  body: { id: number; method: string; params: unknown };
}

/** An RPC that answers as told; returns its address and what it was asked. */
async function serve(answer: (asked: Asked, response: ServerResponse) => void) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void text(request).then((sent) => {
      const body = JSON.parse(sent) as Asked['body'];
      asked.push({ url: request.url ?? '', headers: request.headers, body });
      answer(asked.at(-1)!, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function open(url: string) {
  const rpc = createRpc([url], { log: silent, now: Date.now });
  onTestFinished(() => rpc.close());
  return rpc;
}

const reply =
  (result: unknown) =>
  ({ body: { id } }: Asked, response: ServerResponse) =>
    void response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));

test('a call is one POST of JSON-RPC, to the path and query of the URL', async () => {
  const { origin, asked } = await serve(reply({ latestLedger: 7 }));
  const rpc = open(`http://${origin}/v1/key?region=eu`);
  const params = { transaction: 'AAAA' };
  expect(await rpc.call('simulateTransaction', params)).toEqual({ latestLedger: 7 });
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({
    url: '/v1/key?region=eu',
    headers: { 'content-type': 'application/json' },
    body: { jsonrpc: '2.0', method: 'simulateTransaction', params },
  });
  expect(asked[0]!.headers).not.toHaveProperty('authorization');
});

test('the user info of the URL is sent as credentials', async () => {
  const { origin, asked } = await serve(reply({}));
  await open(`http://us%40er:pa%3Ass@${origin}/`).call('simulateTransaction');
  expect(asked[0]!.headers.authorization).toBe(`Basic ${Buffer.from('us@er:pa:ss').toString('base64')}`);
});

test('connections are used again', async () => {
  const ports = new Set<number | undefined>();
  const { origin } = await serve((asked, response) => {
    ports.add(response.socket?.remotePort);
    reply({})(asked, response);
  });
  const rpc = open(`http://${origin}`);
  for (let call = 0; call < 20; call++) await rpc.call('simulateTransaction');
  expect(ports.size).toBeLessThan(5);
});

describe('a fault that names the method is thrown for', () => {
  test.each<[string, (asked: Asked, response: ServerResponse) => void, RegExp]>([
    ['a status other than 200', (_asked, response) => void response.writeHead(503).end('busy'), /503/],
    ['a redirect', (_asked, response) => void response.writeHead(302, { location: '/' }).end(), /302/],
    ['text that is no JSON', (_asked, response) => void response.end('<html>'), /JSON/],
    ['an empty answer', (_asked, response) => void response.end(), /JSON/],
    ['null', (_asked, response) => void response.end('null'), /another request/],
    [
      'another id',
      ({ body }, response) => void response.end(JSON.stringify({ id: body.id + 1, result: {} })),
      /another request/,
    ],
    ['no result', ({ body: { id } }, response) => void response.end(JSON.stringify({ id })), /no result/],
    [
      'a result that is no object',
      ({ body: { id } }, response) => void response.end(JSON.stringify({ id, result: 7 })),
      /no result/,
    ],
    [
      'an error',
      ({ body: { id } }, response) =>
        void response.end(JSON.stringify({ id, error: { code: -32_601, message: 'no such method' } })),
      /no such method \(-32601\)/,
    ],
    ['a connection that breaks', (_asked, response) => void response.destroy(), /./],
    [
      'an answer of more than 4 MiB',
      (_asked, response) => void response.end(Buffer.alloc(4 * 1024 * 1024 + 1, ' ')),
      /exceeded max size/,
    ],
  ])('%s', async (_what, answer, message) => {
    const { origin, asked } = await serve(answer);
    const call = open(`http://${origin}`).call('sendTransaction', { transaction: 'AAAA' });
    await expect(call).rejects.toMatchObject({ name: 'RpcFault', message: expect.stringMatching(message) });
    await expect(call).rejects.toThrow(/^sendTransaction: /);
    expect(asked).toHaveLength(1);
  });

  test('an RPC that cannot be reached', async () => {
    const { origin } = await serve(reply({}));
    const [host, port] = origin.split(':');
    const closed = createServer().listen(0, host);
    await once(closed, 'listening');
    const free = (closed.address() as AddressInfo).port;
    closed.close();
    await once(closed, 'close');
    expect(free).not.toBe(Number(port));
    await expect(open(`http://${host}:${free}`).call('simulateTransaction')).rejects.toMatchObject({
      name: 'RpcFault',
    });
  });
});

const ledgers = {
  latestLedger: 9,
  latestLedgerCloseTime: '1780000045',
  oldestLedger: 1,
  oldestLedgerCloseTime: '1780000000',
};
const noLedgers = [undefined, null, '9', 1.5, Number.NaN];
const noCloseTimes = [undefined, null, 1_780_000_045, '', '-1', '2026-07-01T00:00:00Z', '9'.repeat(13)];
/** Per method an answer that makes sense, and values for its fields that do not. */
const answers: { [Method in keyof RpcAnswers]: [object, Record<string, readonly unknown[]>] } = {
  simulateTransaction: [{ latestLedger: 9 }, { latestLedger: [null, '9', 1.5] }],
  sendTransaction: [
    { status: 'PENDING', latestLedger: 9, latestLedgerCloseTime: '1780000045' },
    {
      status: [undefined, null, 'DONE', 'pending', 1],
      latestLedger: noLedgers,
      latestLedgerCloseTime: noCloseTimes,
    },
  ],
  getTransaction: [
    { status: 'NOT_FOUND', ...ledgers },
    {
      status: [undefined, null, 'PENDING', 'success', true],
      latestLedger: noLedgers,
      latestLedgerCloseTime: noCloseTimes,
      oldestLedger: noLedgers,
      oldestLedgerCloseTime: noCloseTimes,
    },
  ],
  getLedgerEntries: [{ entries: [] }, { entries: [undefined, {}, 'none', 7] }],
  getFeeStats: [
    { sorobanInclusionFee: { p90: '100' }, latestLedger: 9 },
    { sorobanInclusionFee: [undefined, null, 7], latestLedger: noLedgers },
  ],
  getEvents: [
    { events: [], latestLedger: 9 },
    { events: [undefined, {}, 'none'], latestLedger: noLedgers },
  ],
  getNetwork: [{ passphrase: 'a network' }, { passphrase: [undefined, null, 7] }],
};
const cases = Object.entries(answers).flatMap(([method, [good, senseless]]) =>
  Object.entries(senseless).map(([field, values]) => ({
    method: method as keyof RpcAnswers,
    field,
    good,
    values,
  })),
);

test.each(cases)(
  'an answer to $method whose $field is missing or makes no sense is a fault',
  async ({ method, field, good, values }) => {
    let result = good;
    const { origin } = await serve((asked, response) => reply(result)(asked, response));
    const rpc = open(`http://${origin}`);
    expect(await rpc.call(method)).toEqual(good);
    for (const value of values) {
      result = { ...good, [field]: value };
      await expect(rpc.call(method), String(value)).rejects.toMatchObject({
        name: 'RpcFault',
        message: `${method}: the answer's ${field} is missing or makes no sense`,
      });
    }
  },
);

test('what was sent to the network does not queue behind verifications, however many hang', async () => {
  const { origin } = await serve((asked, response) => {
    if (asked.body.method === 'getNetwork') reply({ passphrase: 'a network' })(asked, response);
  });
  const rpc = createRpc([`http://${origin}`], { log: silent, now: Date.now, limits: { maxConnections: 2 } });
  const hanging = [1, 2, 3].map(() => rpc.call('simulateTransaction', {}, 'verifying').catch(() => {}));
  expect(await rpc.call('getNetwork')).toEqual({ passphrase: 'a network' });
  await rpc.close();
  await Promise.all(hanging);
});
