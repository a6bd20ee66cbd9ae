import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { ask, expectAnswersTo, JSON_TYPE, payment, post, raw, startService } from './support.ts';

const text = JSON.stringify(payment);
const TOO_LARGE = `The request body is larger than ${HTTP_LIMITS.maxBodyBytes} bytes.`;

/** A good payment of exactly this many bytes. */
const paymentOf = (bytes: number): string => text + ' '.repeat(bytes - text.length);

function chunked(body: string): ReadableStream<Uint8Array> {
  return ReadableStream.from([Buffer.from(body)]);
}

async function verify(body: NonNullable<RequestInit['body']>, headers: Record<string, string> = JSON_TYPE) {
  const { url } = await startService();
  return post(`${url}/verify`, body, headers);
}

const malformed = (status: number, message: string | RegExp) => ({
  status,
  headers: expect.anything() as unknown,
  body: {
    isValid: false,
    invalidReason: 'svc_malformed_request_body',
    invalidMessage: typeof message === 'string' ? message : expect.stringMatching(message),
  },
});
const accepted = { status: 200, body: { isValid: true } };

describe('a body that is no JSON', () => {
  const notJson: [what: string, body: string | Uint8Array<ArrayBuffer>, message: string][] = [
    ['nothing', '', 'The request body is empty.'],
    ['spaces', '  \n', 'The request body is not valid JSON.'],
    ['text', 'pay me', 'The request body is not valid JSON.'],
    ['a cut-off object', text.slice(0, -1), 'The request body is not valid JSON.'],
    ['two objects', text + text, 'The request body is not valid JSON.'],
    ['a trailing comma', '{"a":1,}', 'The request body is not valid JSON.'],
    ['invalid UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), 'The request body is not valid UTF-8.'],
    ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le'), 'The request body is not valid UTF-8.'],
    [
      'a repeated key',
      '{"paymentPayload":1,"paymentPayload":2}',
      'The request body has the key "paymentPayload" twice in one object.',
    ],
    [
      'a few bytes for each of very many values',
      `[${'{},'.repeat(HTTP_LIMITS.maxBodyBytes / 3 - 2)}{}]`,
      `The request body has more than ${HTTP_LIMITS.maxBodyValues} values.`,
    ],
    ['deep nesting', '['.repeat(65) + ']'.repeat(65), 'The request body is nested deeper than 64 levels.'],
  ];
  test.each(notJson)('%s is refused', async (_what, body, message) => {
    expect(await verify(body)).toEqual(malformed(400, message));
  });

  test('no content at all is an empty body', async () => {
    const { port } = await startService();
    const answers = await raw(
      port,
      'POST /verify HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n\r\n',
    );
    expect(answers).toEqual([malformed(400, 'The request body is empty.')]);
    expectAnswersTo(['POST /verify'], answers);
  });

  test('a byte order mark is passed over, and every character of UTF-8 arrives', async () => {
    const seen: unknown[] = [];
    const { url } = await startService({
      verify: async ({ paymentPayload }) => {
        seen.push(paymentPayload.resource);
        return { isValid: true };
      },
    });
    const resource = { description: 'Wetter für Zürich \ufffd 🌦 \u2028' };
    const sent = { ...payment, paymentPayload: { ...payment.paymentPayload, resource } };
    expect(await post(`${url}/verify`, `\ufeff${JSON.stringify(sent)}`)).toMatchObject(accepted);
    expect(seen).toEqual([resource]);
  });
});

describe('content type', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json;',
  ])('%s is read', async (type) =>
    expect(await verify(text, { 'content-type': type })).toMatchObject(accepted),
  );
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/problem+json',
    'application/jsonp',
    'json',
  ])('%s is refused with what to send', async (type) => {
    const message = 'Send the request body as JSON, with the header content-type: application/json.';
    expect(await verify(text, { 'content-type': type })).toEqual(malformed(400, message));
  });
  test('a body without content type is refused with what to send', async () => {
    expect(await verify(Buffer.from(text), {})).toEqual(malformed(400, /content-type: application\/json\.$/));
  });
  test.each(['iso-8859-1', 'utf-16', 'nonsense'])('charset %s is refused', async (charset) => {
    const type = `application/json; charset=${charset}`;
    expect(await verify(text, { 'content-type': type })).toEqual(malformed(400, /UTF-8/));
  });
});

describe('size', () => {
  test('a body of exactly the limit is read, announced and chunked', async () => {
    expect(await verify(paymentOf(HTTP_LIMITS.maxBodyBytes))).toMatchObject(accepted);
    expect(await verify(chunked(paymentOf(HTTP_LIMITS.maxBodyBytes)))).toMatchObject(accepted);
  });
  test('one byte more is answered 413, announced and chunked', async () => {
    expect(await verify(paymentOf(HTTP_LIMITS.maxBodyBytes + 1))).toEqual(malformed(413, TOO_LARGE));
    expect(await verify(chunked(paymentOf(HTTP_LIMITS.maxBodyBytes + 1)))).toEqual(malformed(413, TOO_LARGE));
  });
  test('a much larger body is answered, and its connection stays good', async () => {
    const { port } = await startService();
    const head = 'POST /verify HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
    const size = 8 * HTTP_LIMITS.maxBodyBytes;
    const next = 'GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    const announced = await raw(
      port,
      `${head}content-length: ${size}\r\n\r\n`,
      Buffer.alloc(size, ' '),
      next,
    );
    expect(announced.map(({ status }) => status)).toEqual([413, 200]);
    expectAnswersTo(['POST /verify', 'GET /health'], announced);
    const chunk = [
      `${head}transfer-encoding: chunked\r\n\r\n${size.toString(16)}\r\n`,
      Buffer.alloc(size, ' '),
      '\r\n0\r\n\r\n',
    ];
    const unannounced = await raw(port, ...chunk, next);
    expect(unannounced.map(({ status }) => status)).toEqual([413, 200]);
    expectAnswersTo(['POST /verify', 'GET /health'], unannounced);
  });
  test('settle answers 413 in its own shape', async () => {
    const { url } = await startService();
    expect(await post(`${url}/settle`, paymentOf(HTTP_LIMITS.maxBodyBytes + 1))).toMatchObject({
      status: 413,
      body: {
        success: false,
        transaction: '',
        network: 'stellar:testnet',
        errorReason: 'svc_malformed_request_body',
        errorMessage: TOO_LARGE,
      },
    });
  });
});

describe('content encoding', () => {
  const gzip = { ...JSON_TYPE, 'content-encoding': 'gzip' };

  test('gzip is read, also in chunks and with multi-byte characters', async () => {
    expect(await verify(gzipSync(text), gzip)).toMatchObject(accepted);
    const large = paymentOf(HTTP_LIMITS.maxBodyBytes);
    expect(await verify(gzipSync(large), gzip)).toMatchObject(accepted);
    expect(await verify(text, { ...JSON_TYPE, 'content-encoding': 'identity' })).toMatchObject(accepted);
  });
  test('a gzip bomb is answered 413', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * HTTP_LIMITS.maxBodyBytes, ' '), { level: 9 });
    expect(bomb.length).toBeLessThan(HTTP_LIMITS.maxBodyBytes);
    expect(await verify(bomb, gzip)).toEqual(malformed(413, TOO_LARGE));
  });
  test('a gzip body that is over the limit before it is decompressed is answered 413', async () => {
    const nothing = gzipSync('');
    const copies = Math.ceil(HTTP_LIMITS.maxBodyBytes / nothing.length) + 1;
    const members = Buffer.concat(Array.from({ length: copies }, () => nothing));
    expect(await verify(members, gzip)).toEqual(malformed(413, TOO_LARGE));
  });
  // Near the limit zlib sees the corrupt end before it hands out what exceeds the limit.
  test.each([
    [1, malformed(400, 'The request body is not valid gzip.')],
    [1_000, malformed(400, 'The request body is not valid gzip.')],
    [16_384, malformed(400, 'The request body is not valid gzip.')],
    [65_536, malformed(413, TOO_LARGE)],
  ])('a gzip body %i bytes over the limit whose end is corrupt does no harm', async (excess, answer) => {
    const { url } = await startService();
    const corrupt = gzipSync(paymentOf(HTTP_LIMITS.maxBodyBytes + excess));
    corrupt.fill(0xff, corrupt.length - 8);
    expect(await post(`${url}/verify`, corrupt, gzip)).toEqual(answer);
    expect(await ask(`${url}/health`)).toMatchObject({ status: 200 });
  });
  test.each([
    ['no gzip at all', Buffer.from(text)],
    ['a gzip that is cut off', gzipSync(text).subarray(0, -12)],
    ['a gzip with a wrong checksum', Buffer.concat([gzipSync(text).subarray(0, -8), Buffer.alloc(8)])],
  ])('%s is refused', async (_what, body) => {
    expect(await verify(body, gzip)).toEqual(malformed(400, 'The request body is not valid gzip.'));
  });
  test.each(['br', 'deflate', 'gzip, gzip', 'GZIPPED'])('%s is refused with what to send', async (coding) => {
    const headers = { ...JSON_TYPE, 'content-encoding': coding };
    expect(await verify(text, headers)).toEqual(malformed(400, /content-encoding: gzip\.$/));
  });
});

describe('a sender that breaks off', () => {
  test.each([
    ['plain', '', text.slice(0, 500)],
    ['gzip', 'content-encoding: gzip\r\n', gzipSync(text).subarray(0, 40)],
  ])('%s: is logged as aborted, and the service goes on', async (_what, header, part) => {
    const { url, port, logged } = await startService();
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `POST /verify HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${header}content-length: 1000\r\n\r\n`,
    );
    socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect(await logged('request')).toMatchObject({
      path: '/verify',
      status: 400,
      code: 'svc_malformed_request_body',
      aborted: true,
    });
    expect(await ask(`${url}/health`)).toMatchObject({ status: 200 });
  });
});
