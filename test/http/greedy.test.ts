import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import type { Scheme } from '../../src/scheme/index.ts';
import { JSON_TYPE, payment, post, raw, received, startService, type TestService } from './support.ts';

/** The service's own limits take thousands of connections, and megabytes, to reach. */
const limits = {
  maxConnections: { inAll: 8, perCaller: 5 },
  bodiesBytes: { inAll: 128 * 1024, perCaller: 96 * 1024 },
};

const start = (scheme: Partial<Scheme> = {}): Promise<TestService> => startService(scheme, {}, limits);

const text = JSON.stringify(payment);
const health = 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n';
const last = 'GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
const head = (path: string, length: number): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
const verify = head('/verify', text.length) + text;

/** A connection that is open, has sent this, and tells whether the other side has ended it. */
async function open(port: number, bytes = '', localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}).resume();
  await once(socket, 'connect');
  if (bytes !== '') socket.write(bytes);
  // Until the other side has seen it.
  await sleep(20);
  return socket;
}

const endedOf = (sockets: readonly Socket[]): Promise<number[]> =>
  sleep(100).then(() => sockets.flatMap(({ closed }, index) => (closed ? [index] : [])));

/** A service whose verdicts come when they are let go. */
async function slowService(): Promise<TestService & { work: () => number; letGo: () => void }> {
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  const verdict = vi.fn<Scheme['verify']>(() => promise.then(() => ({ isValid: true })));
  const service = await start({ verify: verdict });
  onTestFinished(() => letGo());
  return { ...service, work: () => verdict.mock.calls.length, letGo };
}

describe('connections', () => {
  test('of one address: the longest idle one ends, and a newcomer is answered', async () => {
    const { port } = await start();
    const idle: Socket[] = [];
    for (const bytes of ['', health, 'GET /health HTTP/1.1\r\nhost', head('/verify', 100), ''])
      idle.push(await open(port, bytes));
    expect(await endedOf(idle)).toEqual([]);
    expect(await raw(port, last)).toMatchObject([{ status: 200 }]);
    expect(await endedOf(idle)).toEqual([0]);
    idle[1]!.write(health);
    await sleep(20);
    // Its place is free again.
    const more = [await open(port), await open(port), await open(port)];
    expect(await endedOf([...idle, ...more])).toEqual([0, 2, 3]);
  });

  test('of many addresses: the greediest loses one', async () => {
    const { port } = await start();
    const modest = [await open(port, '', '127.0.0.2'), await open(port, '', '127.0.0.3')];
    const greedy: Socket[] = [];
    for (let i = 0; i < 5; i += 1) greedy.push(await open(port));
    const late = [await open(port, '', '127.0.0.4'), await open(port, '', '127.0.0.5')];
    expect(await endedOf(greedy)).toEqual([0]);
    expect(await endedOf([...modest, ...late])).toEqual([]);
  });

  test('on which a request is worked on are kept', async () => {
    const { port, work, letGo } = await slowService();
    const working: Socket[] = [];
    for (let i = 0; i < 4; i += 1) working.push(await open(port, verify));
    await vi.waitFor(() => expect(work()).toBe(4));
    for (let i = 0; i < 4; i += 1) expect(await raw(port, last)).toMatchObject([{ status: 200 }]);
    const idle = [await open(port), await open(port)];
    expect(await endedOf(idle)).toEqual([0]);
    expect(await endedOf(working)).toEqual([]);
    const answered = once(working[0]!, 'data');
    letGo();
    expect(String((await answered)[0])).toContain('"isValid":true');
  });
});

describe('of a connection', () => {
  test('one request is looked at, however many come together', async () => {
    const { port, work, letGo } = await slowService();
    const answers = received(port, verify.repeat(3), last);
    await vi.waitFor(() => expect(work()).toBe(1));
    await sleep(50);
    expect(work()).toBe(1);
    letGo();
    expect((await answers).match(/HTTP\/1.1 200 OK/g)).toHaveLength(4);
    expect(work()).toBe(3);
  });

  test('so many may wait; with more it ends, and none of them is looked at', async () => {
    const { port, work, letGo } = await slowService();
    const socket = await open(port, verify + health.repeat(HTTP_LIMITS.maxWaitingRequests + 1));
    expect(await endedOf([socket])).toEqual([0]);
    letGo();
    expect(await raw(port, last)).toMatchObject([{ status: 200 }]);
    expect(work()).toBe(1);
  });

  test('the requests that wait count as connections of their own', async () => {
    const { port, work } = await slowService();
    const alone = await open(port, verify);
    const many = await open(port, verify + health.repeat(3));
    await vi.waitFor(() => expect(work()).toBe(2));
    expect(await raw(port, last)).toMatchObject([{ status: 200 }]);
    expect(await endedOf([alone, many])).toEqual([1]);
  });
});

describe('bodies', () => {
  const UPLOAD = 40 * 1024;
  const upload = (port: number, address?: string) =>
    open(port, head('/verify', UPLOAD + 1) + ' '.repeat(UPLOAD), address);

  test('that are on their way give way, the longest first, and are told so', async () => {
    const { port, url } = await start();
    const first = await upload(port);
    const told = once(first, 'data');
    const second = await upload(port);
    expect(await post(`${url}/verify`, text + ' '.repeat(UPLOAD))).toMatchObject({ status: 200 });
    expect(String((await told)[0])).toMatch(/^HTTP\/1.1 503 .*retry-after: 1\r\n.*svc_overloaded/s);
    second.write('x');
    expect(String((await once(second, 'data'))[0])).toMatch(/^HTTP\/1.1 400 /);
  });

  test('of a plain payment do not', async () => {
    const { url, port } = await start();
    for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) await upload(port, address);
    const { letGo, ...slow } = await slowService();
    const held = post(`${slow.url}/verify`, text);
    expect(await post(`${url}/verify`, text)).toMatchObject({ status: 200 });
    letGo();
    expect(await held).toMatchObject({ status: 200 });
  });

  test.each([
    ['as they are', text + ' '.repeat(UPLOAD), JSON_TYPE],
    ['packed', gzipSync(text + ' '.repeat(UPLOAD)), { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  ])('that came %s take no room while they are verified', async (_how, body, headers) => {
    const { url, work, letGo } = await slowService();
    const held: Promise<{ status: number }>[] = [];
    for (let nth = 1; nth <= 4; nth += 1) {
      held.push(post(`${url}/verify`, body, headers));
      await vi.waitFor(() => expect(work()).toBe(nth));
    }
    letGo();
    for (const answer of await Promise.all(held)) expect(answer.status).toBe(200);
  });

  test('of requests whose sender has gone take no room', async () => {
    const { port, url, letGo } = await slowService();
    const both = verify + head('/verify', UPLOAD) + ' '.repeat(UPLOAD);
    for (let i = 0; i < 3; i += 1) (await open(port, both)).destroy();
    for (let i = 0; i < 3; i += 1) (await upload(port)).destroy();
    await sleep(50);
    const kept = await upload(port);
    letGo();
    expect(await post(`${url}/verify`, text + ' '.repeat(UPLOAD))).toMatchObject({ status: 200 });
    expect(await endedOf([kept])).toEqual([]);
  });

  test('of settlements take no room while these wait', async () => {
    const { promise: settled, resolve: letGo } = Promise.withResolvers<void>();
    const settle = vi.fn<Scheme['settle']>(() =>
      settled.then(() => ({ success: true, transaction: 'ab'.repeat(32), network: 'stellar:testnet' })),
    );
    const { url } = await start({ settle });
    const waiting: Promise<unknown>[] = [];
    for (let nth = 1; nth <= 4; nth += 1) {
      waiting.push(post(`${url}/settle`, text + ' '.repeat(UPLOAD)));
      await vi.waitFor(() => expect(settle).toHaveBeenCalledTimes(nth));
    }
    letGo();
    for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ status: 200 });
  });

  test('may come in pieces of a byte, but not in very many', async () => {
    const { port } = await start();
    const chunked =
      'POST /verify HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
    const pieces = (body: string): string => [...body].map((char) => `1\r\n${char}\r\n`).join('');
    expect(await raw(port, `${chunked + pieces(text)}0\r\n\r\n`)).toMatchObject([{ status: 200 }]);
    expect(await raw(port, chunked + pieces(' '.repeat(HTTP_LIMITS.maxBodyPieces + 1)))).toEqual([]);
    expect(await raw(port, last)).toMatchObject([{ status: 200 }]);
  });
});
