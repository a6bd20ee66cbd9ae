import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHandlers } from '../../src/handlers/index.ts';
import { UNLIMITED_BUDGET } from '../../src/scheme/index.ts';
import { OPEN_ADMISSION, type Admission } from '../../src/http/admission.ts';
import { createApp } from '../../src/http/app.ts';
import { HTTP_LIMITS, type HttpLimits } from '../../src/http/limits.ts';
import { createServer } from '../../src/http/server.ts';
import { createLog } from '../../src/log/log.ts';
import { catalogDouble } from '../support/catalogDouble.ts';
import { expectErrorEnvelope } from '../support/contract.ts';
import {
  ask,
  config,
  expectAnswersTo,
  payment,
  post,
  raw,
  standInScheme,
  startService,
  type Answer,
} from './support.ts';

const text = JSON.stringify(payment);
const health = 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n';
const last = 'GET /supported HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
const verifyHead = (more = ''): string =>
  `POST /verify HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n${more}\r\n`;

/** What never became a request of the app is answered with an error envelope all the same. */
function expectBrokenRequest(answers: Answer[], status: number, reason: RegExp): void {
  expect(answers).toMatchObject([
    {
      status,
      body: { error: { code: 'svc_malformed_request_body', reason: expect.stringMatching(reason) } },
    },
  ]);
  expectErrorEnvelope(answers[0]!);
}

test('pipelined requests are answered in their order', async () => {
  const { port } = await startService();
  const answers = await raw(port, health + verifyHead() + text + health + last);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const [first, second, third, fourth] = answers.map(({ body }) => body);
  expect([first, third]).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
  expect(second).toMatchObject({ isValid: true });
  expect(fourth).toHaveProperty('kinds');
  expectAnswersTo(['GET /health', 'POST /verify', 'GET /health', 'GET /supported'], answers);
});

test('a sender that expects 100-continue is told to go on', async () => {
  const { port } = await startService();
  const answers = await raw(port, verifyHead('expect: 100-continue\r\nconnection: close\r\n'), text);
  expect(answers).toMatchObject([{ status: 100 }, { status: 200, body: { isValid: true } }]);
  expectAnswersTo(['POST /verify'], answers.slice(1));
});

test('an expectation that nobody knows is passed over', async () => {
  const { port } = await startService();
  const answers = await raw(port, verifyHead('expect: miracles\r\nconnection: close\r\n'), text);
  expect(answers).toMatchObject([{ status: 200, body: { isValid: true } }]);
  expectAnswersTo(['POST /verify'], answers);
});

describe('what is no complete HTTP request', () => {
  test('headers over the limit answer 431', async () => {
    const { url, port } = await startService();
    const answers = await raw(
      port,
      `GET /health HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(HTTP_LIMITS.maxHeadersBytes)}\r\n\r\n`,
    );
    expectBrokenRequest(answers, 431, /larger than 12288 bytes/);
    expect(await ask(`${url}/health`)).toMatchObject({ status: 200 });
  });

  test('more headers than are read answer 431', async () => {
    const { port } = await startService();
    const headers = (count: number): string => 'a:b\r\n'.repeat(count - 1) + 'connection: close\r\n';
    const most = await raw(port, `GET /health HTTP/1.1\r\n${headers(HTTP_LIMITS.maxHeaders)}\r\n`);
    expect(most).toMatchObject([{ status: 200 }]);
    const more = await raw(port, `GET /health HTTP/1.1\r\n${headers(HTTP_LIMITS.maxHeaders + 1)}\r\n`);
    expectBrokenRequest(more, 431, /more than 128 headers/);
  });

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a header with a control character', 'GET /health HTTP/1.1\r\nhost: x\r\na: \x01\r\n\r\n'],
    ['two lengths', 'POST /verify HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
    [
      'a length beside chunks',
      'POST /verify HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('%s answers 400', async (_what, bytes) => {
    const { port } = await startService();
    expectBrokenRequest(await raw(port, bytes), 400, /not valid HTTP/);
  });

  test('after a request that still awaits its answer, it gets none: the answer could be taken for the other', async () => {
    const { promise: verified, resolve: verify } = Promise.withResolvers<void>();
    const { port, logged } = await startService({
      verify: async () => {
        await verified;
        return { isValid: true };
      },
    });
    const answers = await raw(port, verifyHead() + text, 'hello\r\n\r\n');
    verify();
    expect(answers).toEqual([]);
    expect(await logged('request')).toMatchObject({ path: '/verify', status: 200, aborted: true });
  });

  const tooSlow = { headersTimeoutMs: 100, requestTimeoutMs: 100, timeoutCheckIntervalMs: 20 };

  test.each([
    ['headers that never end', 'GET /health HTTP/1.1\r\nhost: x\r\n'],
    ['a body that never ends', verifyHead() + text.slice(0, 100)],
  ])('%s answer 408 when their time is over', async (_what, bytes) => {
    const port = await listen(tooSlow);
    expectBrokenRequest(await raw(port, bytes), 408, /too long/);
  });

  test('a body that never ends after its answer gets no second one', async () => {
    const port = await listen(tooSlow);
    const tooLarge = verifyHead().replace(
      /content-length: \d+/,
      `content-length: ${HTTP_LIMITS.maxBodyBytes + 1}`,
    );
    const answers = await raw(port, tooLarge);
    expect(answers).toMatchObject([{ status: 413 }]);
    expectAnswersTo(['POST /verify'], answers);
  });
});

/** The app behind a server with other limits than the service's. */
async function listen(limits: Partial<HttpLimits>, admission = OPEN_ADMISSION): Promise<number> {
  const log = createLog([], { write: () => {} });
  const journal = { listed: () => {}, records: undefined as never, answers: undefined as never };
  const pendingListings = { listLater: () => {} };
  const deps = { scheme: standInScheme(), catalog: catalogDouble(), journal, pendingListings, config };
  const handlers = createHandlers({
    ...deps,
    version: '0.0.0',
    servedAssets: () => undefined,
    boundPort: () => 0,
    assets: [],
    budgetOf: () => UNLIMITED_BUDGET,
  });
  const app = await createApp({ handlers, admission, network: config.network, log, limits });
  const server = createServer({ app, log, limits });
  const port = await server.listen(0);
  onTestFinished(() => server.close());
  return port;
}

describe('connections of a key', () => {
  /** Takes the header for the key, which may have two connections. */
  const byKey: Admission = {
    ...OPEN_ADMISSION,
    identify: (_operationId, { authorization: keyId }, address) => ({ name: keyId ?? address, keyId }),
    maxConnectionsOf: () => 2,
  };
  const limits = { maxConnections: { inAll: 100, perCaller: 2 } };
  const request = (key: string, more = ''): string =>
    `GET /health HTTP/1.1\r\nhost: x\r\nauthorization: ${key}\r\n${more}\r\n`;

  /** A connection that has carried a request of the key. */
  async function carry(port: number, key: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).write(request(key));
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /);
    return socket;
  }

  test('beyond its limit are answered 429 and closed, and those that are open go on', async () => {
    const port = await listen(limits, byKey);
    const sockets = [await carry(port, 'acme'), await carry(port, 'acme')];
    const answers = await raw(port, request('acme'));
    expect(answers).toMatchObject([{ status: 429, headers: { connection: 'close', 'retry-after': '1' } }]);
    expectAnswersTo(['GET /health'], answers);
    sockets[0]!.write(request('acme'));
    expect(String((await once(sockets[0]!, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /);
  });

  test('free their place when they close', async () => {
    const port = await listen(limits, byKey);
    const [first] = [await carry(port, 'acme'), await carry(port, 'acme')];
    first.destroy();
    await expect
      .poll(async () => (await raw(port, request('acme', 'connection: close\r\n')))[0]?.status)
      .toBe(200);
  });

  test('count for the key, and not for the address, and apart from those of other keys', async () => {
    const port = await listen(limits, byKey);
    const sockets: Socket[] = [];
    for (const key of ['a', 'a', 'b', 'b']) sockets.push(await carry(port, key));
    const strangers = [request('a'), request('b')].map(() => raw(port, last));
    expect((await Promise.all(strangers)).map(([answer]) => answer?.status)).toEqual([200, 200]);
    expect(sockets.map(({ closed }) => closed)).toEqual([false, false, false, false]);
  });
});

describe('a shutdown', () => {
  async function open(port: number, bytes = ''): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    if (bytes !== '') socket.write(bytes);
    return socket;
  }

  test('answers the requests in flight, closes idle connections, and has the scheme end what is under way', async () => {
    const order: string[] = [];
    const { promise: settling, resolve: settle } = Promise.withResolvers<void>();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { url, port, close } = await startService({
      settle: async () => {
        ask();
        await settling;
        order.push('settled');
        return { success: false, transaction: '', network: 'x:y', errorReason: 'verification_failed' };
      },
      close: async () => void order.push('closed'),
    });
    const silent = await open(port);
    const used = await open(port, health);
    await once(used, 'data');
    const answer = post(`${url}/settle`, text);
    await asked;
    const closing = close();
    await Promise.all([once(silent, 'close'), once(used, 'close')]);
    await expect(fetch(`${url}/health`)).rejects.toThrow();
    settle();
    expect(await answer).toMatchObject({ status: 200, body: { errorReason: 'verification_failed' } });
    await closing;
    expect(order.toSorted()).toEqual(['closed', 'settled']);
  });

  test('looks at no further request: the last answer on a connection says that it ends', async () => {
    const { promise: settling, resolve: settle } = Promise.withResolvers<void>();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    let verdicts = 0;
    const { port, close } = await startService({
      settle: async () => {
        ask();
        await settling;
        return { success: false, transaction: '', network: 'x:y', errorReason: 'verification_failed' };
      },
      verify: async () => {
        verdicts += 1;
        return { isValid: true };
      },
    });
    // Two that came before, and one that comes after.
    const socket = await open(port, health + verifyHead().replace('/verify', '/settle') + text);
    let received = '';
    socket.on('data', (bytes: Buffer) => (received += bytes.toString()));
    await asked;
    const closing = close();
    socket.write(verifyHead() + text);
    const ended = once(socket, 'close');
    // Whatever was written is there: this connection was made, and refused, after it.
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
    settle();
    await Promise.all([closing, ended]);
    expect(received.match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
    expect(received.match(/^connection: .*$/gim)).toEqual(['Connection: keep-alive', 'connection: close']);
    expect(verdicts).toBe(0);
  });

  test('does not wait for ever: a request that does not end is cut off', async () => {
    const log = createLog([], { write: () => {} });
    const app = { arrive: () => false, answer: () => {}, places: () => [], leave: () => {} };
    const server = createServer({ app, log, limits: { shutdownGraceMs: 100 } });
    const port = await server.listen(0);
    const answers = raw(port, health);
    await open(port, health);
    await server.close();
    expect(await answers).toEqual([]);
  });
});
