import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import type { Wire } from '../world/httpNode.ts';

/** What can happen to an answer between a node and the service, by what it is called in a test's name. */

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const GIANT_BYTES = 5 * 1024 * 1024;

const sized = (body: string, bytes = Buffer.byteLength(body)) =>
  `${HEAD}content-length: ${bytes}\r\n\r\n${body}`;
const chunk = (piece: string) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`;
const chunked = (pieces: string[], end = '0\r\n\r\n') =>
  `${HEAD}transfer-encoding: chunked\r\n\r\n${pieces.map(chunk).join('')}${end}`;
const halves = (body: string) => [body.slice(0, body.length / 2), body.slice(body.length / 2)];

/** What is written instead of a plain answer, after the call has taken effect. */
const written =
  (write: (body: string, socket: Socket) => void): Wire =>
  async ({ socket, answer }) => {
    const body = await answer();
    if (body === undefined) socket.destroy();
    else write(body, socket);
  };

const packed = (coding: string, pack: (body: string) => Buffer): Wire =>
  written((body, socket) => {
    const bytes = pack(body);
    socket.write(`${HEAD}content-encoding: ${coding}\r\ncontent-length: ${bytes.length}\r\n\r\n`);
    socket.write(bytes);
  });

/** Drops the connection after so much of the answer, as a fraction. */
export const cutAt = (fraction: number): Wire =>
  written((body, socket) => {
    const bytes = sized(body);
    socket.end(bytes.slice(0, Math.floor(fraction * bytes.length)));
  });

/** A byte now and then: never idle for long, never done. */
export const drip = (everyMs: number): Wire =>
  written((body, socket) => {
    socket.write(`${HEAD}content-length: ${body.length}\r\n\r\n`);
    let sent = 0;
    const timer = setInterval(() => {
      if (socket.destroyed || sent === body.length) clearInterval(timer);
      else socket.write(body[sent++]!);
    }, everyMs);
    timer.unref();
  });

/** Nothing of these can be believed: whether the call took effect is not known. */
export const BROKEN: Record<string, Wire> = {
  'resets the connection before the call takes effect': async ({ socket }) => void socket.resetAndDestroy(),
  'resets the connection after it': written((_body, socket) => void socket.resetAndDestroy()),
  'closes without a byte': written((_body, socket) => void socket.end()),
  'cuts the answer off within its headers': cutAt(0.1),
  'cuts the answer off within its body': cutAt(0.8),
  'cuts off an answer without a length': written(
    (body, socket) => void socket.end(`${HEAD}connection: close\r\n\r\n${body.slice(0, -1)}`),
  ),
  'cuts off a chunked answer': written((body, socket) => void socket.end(chunked(halves(body), ''))),
  'names a length that is too short': written((body, socket) => void socket.write(sized(body, 20))),
  'names a length that is too long': written(
    (body, socket) => void socket.end(sized(body, Buffer.byteLength(body) + 20)),
  ),
  'drips its answer': drip(50),
  'sends a giant body': written(
    (body, socket) => void socket.write(sized(body.replace('{', `{${' '.repeat(GIANT_BYTES)}`))),
  ),
  'sends giant headers': written(
    (body, socket) => void socket.write(`${HEAD}x-giant: ${'x'.repeat(GIANT_BYTES / 50)}\r\n${sized(body)}`),
  ),
  'answers what nobody can unpack': packed('br', (body) => gzipSync(body)),
  'answers what is not packed as it says': packed('gzip', (body) => Buffer.from(body)),
  'packs a giant body into a small one': packed('gzip', (body) =>
    gzipSync(body.replace('{', `{${' '.repeat(GIANT_BYTES)}`)),
  ),
  'answers 200 with HTML': written((_body, socket) => void socket.write(sized('<h1>maintenance</h1>'))),
  'answers 204': written((_body, socket) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n')),
  'redirects to itself': written(
    (_body, socket) => void socket.write('HTTP/1.1 307 Moved\r\nlocation: /\r\ncontent-length: 0\r\n\r\n'),
  ),
  'speaks no HTTP': written((body, socket) => void socket.write(`SSH-2.0-OpenSSH\r\n${body}`)),
  'answers null': written((_body, socket) => void socket.write(sized('null'))),
  'answers as to a batch': written((body, socket) => void socket.write(sized(`[${body}]`))),
  'writes the id as a text': written(
    (body, socket) => void socket.write(sized(body.replace(/"id":(\d+)/, '"id":"$1"'))),
  ),
  'answers without a result': written(
    (body, socket) => void socket.write(sized(body.replace('"result":', '"results":'))),
  ),
  ...Object.fromEntries(
    ['{"code":"E_FAIL","message":{}}', '{"code":-1e99}', '{}', '"busy"', 'true'].map((error) => [
      `answers with the error ${error}`,
      written((body, socket) => void socket.write(sized(body.replace(/"result":.*$/s, `"error":${error}}`)))),
    ]),
  ),
};

/** Unusual, and to be understood all the same. */
export const SOUND: Record<string, Wire> = {
  'packs its answer': packed('gzip', (body) => gzipSync(body)),
  'answers in chunks': written((body, socket) => void socket.write(chunked(halves(body)))),
  'answers in small pieces': async ({ socket, answer }) => {
    for (const piece of sized((await answer())!).match(/[^]{1,500}/g)!) {
      socket.write(piece);
      await sleep(1);
    }
  },
  'ends the connection with its answer': written((body, socket) => void socket.end(sized(body))),
  'answers without a length': written(
    (body, socket) => void socket.end(`${HEAD}connection: close\r\n\r\n${body}`),
  ),
  'sends early hints first': written(
    (body, socket) => void socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${sized(body)}`),
  ),
  'answers twice': written((body, socket) => void socket.write(sized(body) + sized(body))),
  'sends more after its answer': written((body, socket) => void socket.write(`${sized(body)}{}`)),
};
