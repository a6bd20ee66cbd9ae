import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Catalog } from '../../src/catalog/index.ts';
import type { HttpLimits } from '../../src/http/limits.ts';
import type { Scheme } from '../../src/scheme/index.ts';
import {
  ask,
  payment,
  post,
  raw,
  startService,
  TRANSACTION,
  type LogLine,
  type TestService,
} from './support.ts';

const SHORT_MS = 100;
/** Longer than a client is waited for that takes nothing. */
const LONG_MS = 6 * SHORT_MS;
/** So fast that only the grace counts. */
const ANY_RATE = 1024 ** 4;
const MIB = 1024 * 1024;

/** The service's own limits are too long, and too large, for tests. */
const UNSENT_BYTES = 32 * MIB;
const LIMITS: Partial<HttpLimits> = {
  sendCheckIntervalMs: 10,
  unsentBytes: { inAll: UNSENT_BYTES, perCaller: UNSENT_BYTES },
};
/** Only the grace counts. */
const SHORT_GRACE: Partial<HttpLimits> = { sendGraceMs: SHORT_MS, minBytesPerSecond: ANY_RATE };

const startLimited = (
  scheme: Partial<Scheme>,
  catalog: Partial<Catalog>,
  limits: Partial<HttpLimits> = {},
): Promise<TestService> => startService(scheme, catalog, { ...LIMITS, ...limits });

/** More than the buffers of a connection take on their way; two of them are as much as may lie here. */
const LARGE_BYTES = UNSENT_BYTES / 2;
const page = '{"x402Version":2,"items":[],"pagination":{"limit":20,"offset":0,"total":0}}';
const json = Buffer.from(page.padEnd(LARGE_BYTES));
const largeLists: Partial<Catalog> = { list: async () => ({ json }) };

const text = JSON.stringify(payment);
const last = 'connection: close\r\n';
const list = (more = ''): string => `GET /discovery/resources HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
const health = 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n';
const settle = `POST /settle HTTP/1.1\r\nhost: x\r\n${last}content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

/** A connection that sends and reads nothing, until it is told to. */
async function open(port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

/** Waits until so many answers were made, whether they are taken or not. */
const answered = ({ log }: TestService, count: number): Promise<void> =>
  vi.waitFor(() => expect(log.filter(({ msg }) => msg === 'request')).toHaveLength(count));

/** What there is to read until the other side ends the connection. */
async function read(socket: Socket): Promise<Buffer> {
  const received: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => received.push(bytes));
  await once(socket, 'close');
  return Buffer.concat(received);
}

const cutOff = ({ log }: TestService): LogLine[] =>
  log.filter(({ msg }) => msg === 'cut off: clients do not read their answers');

test.each([
  ['', list(last), 1],
  [', also where another one waits behind it', list() + list(last), 1],
])('a client that takes nothing of its answer for too long is cut off%s', async (_, requests, answers) => {
  const service = await startLimited({}, largeLists, SHORT_GRACE);
  const client = await open(service.port, requests);
  await answered(service, answers);
  await sleep(LONG_MS);
  expect((await read(client)).length).toBeLessThan(LARGE_BYTES);
  expect(cutOff(service)).toMatchObject([{ caller: '127.0.0.1', why: 'too slow', connections: 1 }]);
});

describe('a client that takes its answer steadily,', () => {
  /** Reads what has come every so often, and returns how much that is when the other side has ended the connection. */
  async function readEvery(everyMs: number, socket: Socket, isOver = () => false): Promise<number> {
    let received = 0;
    const ended = once(socket, 'close');
    socket.pause();
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (!isOver()) socket.pause();
    });
    const steps = setInterval(() => socket.resume(), everyMs);
    await ended;
    clearInterval(steps);
    return received;
  }

  test('but below the least rate, is cut off', async () => {
    // It takes at most 64 KiB each 100 ms.
    const service = await startLimited({}, largeLists, {
      sendGraceMs: SHORT_MS,
      minBytesPerSecond: 64 * MIB,
    });
    const client = await open(service.port, list(last));
    // What was on its way by then comes at once.
    const received = await readEvery(100, client, () => cutOff(service).length > 0);
    expect(received).toBeLessThan(LARGE_BYTES);
    expect(cutOff(service)).toHaveLength(1);
  });

  test('at a higher rate, gets it all', async () => {
    const service = await startLimited({}, largeLists, {
      sendGraceMs: LONG_MS,
      minBytesPerSecond: 128 * 1024,
    });
    const received = await readEvery(2, await open(service.port, list(last)));
    expect(received).toBeGreaterThan(LARGE_BYTES);
    expect(cutOff(service)).toEqual([]);
  });
});

describe('a settlement is answered however long it takes,', () => {
  const slow: Partial<Scheme> = {
    async settle() {
      await sleep(LONG_MS);
      return { success: true, transaction: TRANSACTION, network: 'stellar:testnet' };
    },
  };

  test('on a connection of its own', async () => {
    const { port } = await startLimited(slow, {}, SHORT_GRACE);
    expect(await raw(port, settle)).toMatchObject([{ status: 200, body: { success: true } }]);
  });

  test('on a connection whose earlier answer was taken', async () => {
    const { port } = await startLimited(slow, {}, SHORT_GRACE);
    const client = await open(port, health);
    await once(client, 'data');
    client.write(settle);
    expect((await read(client)).toString()).toMatch(/^HTTP\/1\.1 200 .*"success":true/s);
  });

  test('on a connection whose earlier answer is taken meanwhile', async () => {
    // Time enough to take that answer, and less than the settlement takes.
    const sendGraceMs = 1_500;
    const slower: Partial<Scheme> = {
      settle: (...args) => sleep(2 * sendGraceMs).then(() => slow.settle!(...args)),
    };
    const service = await startLimited(slower, largeLists, { ...SHORT_GRACE, sendGraceMs });
    const client = await open(service.port, list());
    await answered(service, 1);
    client.write(settle);
    const received = await read(client);
    expect(received.length).toBeGreaterThan(LARGE_BYTES);
    expect(received.subarray(LARGE_BYTES).toString()).toContain('"success":true');
  });

  test('on a connection on which it came together with another request', async () => {
    const { port } = await startLimited(slow, {}, SHORT_GRACE);
    expect(await raw(port, health + settle)).toMatchObject([
      { status: 200, body: { status: 'ok' } },
      { status: 200, body: { success: true } },
    ]);
  });
});

describe('answers that lie here because nobody takes them', () => {
  /** A service in which there is no room for more, and the clients that leave their answers lying. */
  async function filled(
    limits?: Partial<HttpLimits>,
  ): Promise<{ service: TestService; clients: [Socket, Socket] }> {
    const service = await startLimited({}, largeLists, limits);
    const clients: [Socket, Socket] = [
      await open(service.port, list(last)),
      await open(service.port, list(last)),
    ];
    await answered(service, 2);
    return { service, clients };
  }

  const listStatus = async ({ url }: TestService): Promise<number> =>
    (await ask(`${url}/discovery/resources`)).status;

  test('give way to further ones, the oldest first', async () => {
    const { service, clients } = await filled();
    expect(await listStatus(service)).toBe(200);
    expect((await read(clients[0])).length).toBeLessThan(LARGE_BYTES);
    expect((await read(clients[1])).length).toBeGreaterThan(LARGE_BYTES);
    expect(cutOff(service)).toMatchObject([{ caller: '127.0.0.1', why: 'too much', connections: 1 }]);
  });

  test('give way also where only their address has too many', async () => {
    const { clients } = await filled({ unsentBytes: { inAll: UNSENT_BYTES, perCaller: LARGE_BYTES } });
    expect((await read(clients[0])).length).toBeLessThan(LARGE_BYTES);
    expect((await read(clients[1])).length).toBeGreaterThan(LARGE_BYTES);
  });

  test('are no reason to refuse a settlement', async () => {
    const { service } = await filled();
    expect(await post(`${service.url}/settle`, text)).toMatchObject({ status: 200, body: { success: true } });
  });

  test('are none where the client had gone before', async () => {
    const { promise: made, resolve: make } = Promise.withResolvers<void>();
    const service = await startLimited({}, { list: () => made.then(() => ({ json })) });
    const clients = [await open(service.port, list()), await open(service.port, list() + list())];
    await vi.waitFor(() => expect(service.catalog.listed).toHaveLength(2));
    for (const client of clients) client.destroy();
    // Until the other side has seen that they went.
    await sleep(SHORT_MS);
    make();
    await answered(service, 2);
    await expectRoomForAll(service);
  });

  /** That as much as may lie here can lie here. */
  async function expectRoomForAll(service: TestService): Promise<void> {
    const before = cutOff(service).length;
    const clients = [await open(service.port, list(last)), await open(service.port, list(last))];
    await vi.waitFor(() => expect(service.catalog.listed.length).toBeGreaterThan(1));
    for (const client of clients) expect((await read(client)).length).toBeGreaterThan(LARGE_BYTES);
    expect(cutOff(service)).toHaveLength(before);
  }

  test('leave room again when they are taken', async () => {
    const { service, clients } = await filled();
    await Promise.all(clients.map(read));
    await expectRoomForAll(service);
  });

  test('leave room again when their clients go', async () => {
    const { service, clients } = await filled();
    for (const client of clients) client.destroy();
    await sleep(SHORT_MS);
    await expectRoomForAll(service);
  });

  test('leave room again when their clients are cut off', async () => {
    // Long enough for clients that take their answers.
    const sendGraceMs = 2_000;
    const { service } = await filled({ ...SHORT_GRACE, sendGraceMs });
    await vi.waitFor(() => expect(cutOff(service)).toHaveLength(1), { timeout: 5 * sendGraceMs });
    await sleep(SHORT_MS);
    await expectRoomForAll(service);
  });
});

describe('an answer in parts', () => {
  const total = 64;
  const part = Buffer.from(`"${'x'.repeat(MIB - 3)}",`);
  const end = Buffer.from('""],"pagination":{"limit":20,"offset":0,"total":0}}');
  const start = Buffer.from('{"x402Version":2,"items":[');
  const all = Buffer.concat([start, ...Array.from({ length: total }, () => part), end]);

  /** A catalog whose page has so many parts, and how many of them were made. */
  function partedLists(failAt = Infinity): { catalog: Partial<Catalog>; made(): number } {
    let made = 0;
    async function* rest(): AsyncGenerator<Uint8Array> {
      for (; made < total;) {
        made += 1;
        if (made > failAt) throw new Error('disk on fire');
        yield part;
      }
      yield end;
    }
    return { catalog: { list: async () => ({ json: start, rest: rest() }) }, made: () => made };
  }

  test('comes whole, byte for byte, and leaves its connection usable', async () => {
    const { catalog } = partedLists();
    const { url } = await startLimited({}, catalog);
    const response = await fetch(`${url}/discovery/resources`);
    expect(response.headers.get('transfer-encoding')).toBe('chunked');
    expect(Buffer.from(await response.arrayBuffer()).equals(all)).toBe(true);
    expect(await ask(`${url}/health`)).toMatchObject({ status: 200 });
  });

  test('is made only as far as it is taken', async () => {
    const { catalog, made } = partedLists();
    const service = await startLimited({}, catalog);
    const client = await open(service.port, list(last));
    await answered(service, 1);
    await vi.waitUntil(async () => {
      const before = made();
      await sleep(LONG_MS);
      return before === made();
    });
    expect(made()).toBeLessThan(total / 2);
    expect((await read(client)).length).toBeGreaterThan(all.length);
  });

  test('is no longer made when its client has gone', async () => {
    const { catalog, made } = partedLists();
    const service = await startLimited({}, catalog);
    const client = await open(service.port, list(last));
    await answered(service, 1);
    client.destroy();
    await sleep(LONG_MS);
    expect(made()).toBeLessThan(total / 2);
    expect(await ask(`${service.url}/health`)).toMatchObject({ status: 200 });
  });

  test('that cannot be finished does not look as if it were', async () => {
    const { catalog } = partedLists(3);
    const service = await startLimited({}, catalog);
    const response = await fetch(`${service.url}/discovery/resources`);
    await expect(response.text()).rejects.toThrow('terminated');
    expect(await service.logged('answer not delivered')).toMatchObject({ err: { message: 'disk on fire' } });
    const [received] = [await read(await open(service.port, list(last)))];
    expect(received.toString('latin1')).not.toMatch(/\r\n0\r\n\r\n$/);
  });
});
