import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { startChild, type Child } from '../catalog/child.ts';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { ask, payment, requirements } from './support.ts';

const PEAK_LIMIT_KIB = 512 * 1024;
const TIMEOUT_MS = 120_000;

function requestOf(body: Buffer | string, headers = ''): Buffer {
  const head = `POST /settle HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${headers}`;
  return Buffer.concat([Buffer.from(`${head}content-length: ${body.length}\r\n\r\n`), Buffer.from(body)]);
}

const gzipped = (body: unknown): Buffer =>
  requestOf(gzipSync(JSON.stringify(body)), 'content-encoding: gzip\r\n');
const times = (count: number, part: Buffer | string): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => Buffer.from(part)));

const waiting = requestOf(JSON.stringify(payment));
const chunked =
  'POST /verify HTTP/1.1\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
const oneByte = '1\r\n \r\n';
const longNetwork = gzipped({
  ...payment,
  paymentRequirements: { ...requirements, network: 'n'.repeat(HTTP_LIMITS.maxBodyBytes - 10_000) },
});
const manyValues = gzipped({
  ...payment,
  more: Array.from({ length: HTTP_LIMITS.maxBodyBytes / 3 - 2_000 }, () => ({})),
});

const attacks: [what: string, connections: number, bytes: Buffer][] = [
  ['60 that leave 40 answers each lying, which repeat a long text', 60, times(40, longNetwork)],
  ['60 that leave as many answers each lying as may wait', 60, times(16, longNetwork)],
  ['300 settlements of very many values', 300, manyValues],
  ['300 settlements of very many values on one connection', 1, times(300, manyValues)],
  [
    '100 bodies that come in pieces of a byte',
    100,
    Buffer.concat([Buffer.from(chunked), times(40_000, oneByte)]),
  ],
  [
    '100 such bodies behind a request that is worked on',
    100,
    Buffer.concat([waiting, Buffer.from(chunked), times(40_000, oneByte)]),
  ],
  ['60 with thousands of requests in one piece', 60, times(3_600, 'GET / HTTP/1.1\r\n\r\n')],
  [
    '300 with headers that never end',
    300,
    times(1, `GET / HTTP/1.1\r\n${'ab:cd\r\n'.repeat(127)}x: ${'x'.repeat(14_000)}`),
  ],
];

async function peakOf(child: Child, nth: number): Promise<number> {
  child.tell('peak');
  await expect.poll(() => child.lines().filter((line) => line.startsWith('peak')).length).toBe(nth);
  return Number(child.lines().at(-1)!.split(' ')[1]);
}

test(
  'whatever is sent, the process lives, answers others, and stays below 512 MiB',
  { timeout: TIMEOUT_MS },
  async () => {
    const child = startChild(process.execPath, ['test/http/children/service.ts']);
    const port = Number((await child.line('port')).split(' ')[1]);
    const sockets: Socket[] = [];
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    for (const [index, [what, connections, bytes]] of attacks.entries()) {
      const sent = Array.from({ length: connections }, async () => {
        // It reads nothing of what comes back.
        const socket = connect(port, '127.0.0.1').on('error', () => {});
        sockets.push(socket);
        await once(socket, 'connect');
        await new Promise((resolve) => {
          socket.write(bytes, resolve);
          socket.once('close', resolve);
        });
      });
      await Promise.all(sent);
      expect(await ask(`http://127.0.0.1:${port}/health`), what).toMatchObject({ status: 200 });
      expect(await peakOf(child, index + 1), what).toBeLessThan(PEAK_LIMIT_KIB);
    }
  },
);
