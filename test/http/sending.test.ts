import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Catalog } from '../../src/catalog/index.ts';
import { UNSENT_LIMIT_BYTES } from '../../src/http/limits.ts';
import type { Scheme } from '../../src/scheme/index.ts';
import { ask, payment, post, raw, startService, TRANSACTION } from './support.ts';
import type { TestService } from './support.ts';

/** The service's own limits are too long, and too large, for tests. */
const limits = vi.hoisted(() => ({ sendTimeoutMs: 10_000, unsentBytes: 32 * 1024 * 1024 }));

vi.mock('../../src/http/limits.ts', async (original) => ({
  ...(await original<object>()),
  get SEND_TIMEOUT_MS() {
    return limits.sendTimeoutMs;
  },
  UNSENT_LIMIT_BYTES: limits.unsentBytes,
}));

const SHORT_MS = 100;
/** Longer than a client is waited for that takes nothing. */
const LONG_MS = 6 * SHORT_MS;

beforeEach(() => {
  limits.sendTimeoutMs = 10_000;
});

/** More than the buffers of a connection take on their way; two of them are as much as may lie here. */
const LARGE_BYTES = UNSENT_LIMIT_BYTES / 2;
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

test('a client that takes nothing of its answer for too long is cut off', async () => {
  limits.sendTimeoutMs = SHORT_MS;
  const service = await startService({}, largeLists);
  const [client, pipelining] = [
    await open(service.port, list(last)),
    await open(service.port, list() + list(last)),
  ];
  await answered(service, 2);
  await sleep(LONG_MS);
  expect((await read(client)).length).toBeLessThan(LARGE_BYTES);
  expect((await read(pipelining)).length).toBeLessThan(LARGE_BYTES);
});

describe('a settlement is answered however long it takes,', () => {
  const slow: Partial<Scheme> = {
    async settle() {
      await sleep(LONG_MS);
      return { success: true, transaction: TRANSACTION, network: 'stellar:testnet' };
    },
  };

  beforeEach(() => {
    limits.sendTimeoutMs = SHORT_MS;
  });

  test('on a connection of its own', async () => {
    const { port } = await startService(slow);
    expect(await raw(port, settle)).toMatchObject([{ status: 200, body: { success: true } }]);
  });

  test('on a connection whose earlier answer was taken', async () => {
    const { port } = await startService(slow);
    const client = await open(port, health);
    await once(client, 'data');
    client.write(settle);
    expect((await read(client)).toString()).toMatch(/^HTTP\/1\.1 200 .*"success":true/s);
  });

  test('on a connection whose earlier answer is taken meanwhile', async () => {
    const service = await startService(slow, largeLists);
    const client = await open(service.port, list());
    await answered(service, 1);
    client.write(settle);
    const received = await read(client);
    expect(received.length).toBeGreaterThan(LARGE_BYTES);
    expect(received.subarray(LARGE_BYTES).toString()).toContain('"success":true');
  });

  test('on a connection on which it came together with another request', async () => {
    const { port } = await startService(slow);
    expect(await raw(port, health + settle)).toMatchObject([
      { status: 200, body: { status: 'ok' } },
      { status: 200, body: { success: true } },
    ]);
  });
});

describe('answers that lie here because nobody takes them', () => {
  /** A service in which there is no room for more, and the clients that leave their answers lying. */
  async function filled(): Promise<{ service: TestService; clients: [Socket, Socket] }> {
    const service = await startService({}, largeLists);
    const clients: [Socket, Socket] = [await open(service.port, list()), await open(service.port, list())];
    await answered(service, 2);
    expect(service.log.filter(({ status }) => status !== undefined)).toMatchObject([
      { status: 200 },
      { status: 200 },
    ]);
    return { service, clients };
  }

  const listStatus = async ({ url }: TestService): Promise<number> =>
    (await ask(`${url}/discovery/resources`)).status;
  const expectRoom = (service: TestService): Promise<void> =>
    vi.waitFor(async () => expect(await listStatus(service)).toBe(200), { timeout: 5_000, interval: 20 });

  test('leave no room for further ones, which are refused', async () => {
    const { service } = await filled();
    expect(await ask(`${service.url}/discovery/resources`)).toMatchObject({
      status: 500,
      body: { error: { code: 'svc_internal_error' } },
    });
    expect(service.log.find(({ msg }) => msg === 'fault')).toMatchObject({
      operation: 'listResources',
      err: { message: 'too many answers lie here that their clients do not take' },
    });
  });

  test('are no reason to refuse a settlement', async () => {
    const { service } = await filled();
    expect(await post(`${service.url}/settle`, text)).toMatchObject({ status: 200, body: { success: true } });
  });

  test('are none where the client had gone before', async () => {
    const { promise: made, resolve: make } = Promise.withResolvers<void>();
    const service = await startService({}, { list: () => made.then(() => ({ json })) });
    const clients = [await open(service.port, list()), await open(service.port, list() + list())];
    await vi.waitFor(() => expect(service.catalog.listed).toHaveLength(2));
    for (const client of clients) client.destroy();
    // Until the other side has seen that they went.
    await sleep(SHORT_MS);
    make();
    await answered(service, 2);
    expect(await listStatus(service)).toBe(200);
  });

  test('leave room again when they are taken', async () => {
    const { service, clients } = await filled();
    expect(await listStatus(service)).toBe(500);
    clients[0].resume();
    await expectRoom(service);
  });

  test('leave room again when their clients go', async () => {
    const { service, clients } = await filled();
    expect(await listStatus(service)).toBe(500);
    clients[0].destroy();
    await expectRoom(service);
  });

  test('leave room again when their clients are cut off', async () => {
    limits.sendTimeoutMs = SHORT_MS;
    const { service } = await filled();
    await expectRoom(service);
  });
});
