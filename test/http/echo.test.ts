import { describe, expect, test } from 'vitest';
import { UNKNOWN_CURSOR } from '../../src/catalog/pages.ts';
import { NETWORK_LIMIT_CHARS } from '../../src/http/limits.ts';
import { at } from '../support/contract.ts';
import { ask, config, payment, post, raw, requirements, startService } from './support.ts';

/** More than any answer may repeat; a body holds one of them, and a request line and its headers a short one. */
const LONG = 'x'.repeat(1_000_000);
const LONG_TARGET = 'x'.repeat(10_000);
const ANSWER_LIMIT_BYTES = 4_096;

/** With the text in place of each value in turn, at any depth, and once as another key of each object. */
function* withText(value: unknown, text: string): Generator<unknown> {
  yield text;
  if (typeof value !== 'object' || value === null) return;
  yield { ...value, [text]: text };
  for (const [key, member] of Object.entries(value))
    for (const changed of withText(member, text)) yield { ...value, [key]: changed };
}

const sizeOf = ({ headers, body }: { headers: unknown; body: unknown }): number =>
  JSON.stringify(headers).length + JSON.stringify(body).length;

describe.each(['/verify', '/settle'])('%s repeats little of a body,', (path) => {
  test('whichever of its fields is long', async () => {
    const { url } = await startService();
    let sent = 0;
    for (const body of withText(
      { ...payment, paymentRequirements: { ...requirements, extra: null } },
      LONG,
    )) {
      const text = JSON.stringify(body);
      const answer = await post(url + path, text);
      expect(sizeOf(answer), text.replaceAll(LONG, '…')).toBeLessThan(ANSWER_LIMIT_BYTES);
      sent += 1;
    }
    expect(sent).toBeGreaterThan(30);
  });

  test('where it is no JSON, or repeats a key', async () => {
    const { url } = await startService();
    for (const body of [LONG, `"${LONG}`, `{"${LONG}":1,"${LONG}":2}`, `{"${LONG}"}`])
      expect(sizeOf(await post(url + path, body))).toBeLessThan(ANSWER_LIMIT_BYTES);
  });
});

test('a refused settle repeats the network that it names up to the bound of the contract, else the configured one', async () => {
  const { maxLength } = at('#/components/schemas/PaymentRequirements/properties/network') as {
    maxLength: number;
  };
  expect(NETWORK_LIMIT_CHARS).toBe(maxLength);
  const { url } = await startService();
  const longest = 'n'.repeat(NETWORK_LIMIT_CHARS);
  for (const [network, repeated] of [
    [longest, longest],
    ['🌦'.repeat(NETWORK_LIMIT_CHARS), '🌦'.repeat(NETWORK_LIMIT_CHARS)],
    [`${longest}n`, config.network],
  ]) {
    const named = { ...payment, paymentRequirements: { ...requirements, network } };
    const unversioned = { ...named, paymentPayload: {} };
    for (const body of [named, unversioned]) {
      const answer = await post(`${url}/settle`, JSON.stringify(body));
      expect(answer.body).toMatchObject({ success: false, network: repeated });
    }
  }
});

test.each([
  ['a path', `GET /${LONG_TARGET} HTTP/1.1\r\n`],
  ['an absolute target', `GET http://${LONG_TARGET}/health HTTP/1.1\r\n`],
  ['a method', `${LONG_TARGET} /health HTTP/1.1\r\n`],
  ['a header', `GET /nowhere HTTP/1.1\r\nx-request-id: ${LONG_TARGET}\r\n`],
  ['a content type', `POST /verify HTTP/1.1\r\ncontent-type: ${LONG_TARGET}\r\ncontent-length: 0\r\n`],
  [
    'a content encoding',
    `POST /verify HTTP/1.1\r\ncontent-type: application/json\r\ncontent-encoding: ${LONG_TARGET}\r\ncontent-length: 0\r\n`,
  ],
  ['an unknown parameter', `GET /discovery/resources?${LONG_TARGET}=1 HTTP/1.1\r\n`],
  ['a limit', `GET /discovery/resources?limit=${LONG_TARGET} HTTP/1.1\r\n`],
  ['a repeated parameter', `GET /discovery/resources?type=${LONG_TARGET}&type=1 HTTP/1.1\r\n`],
  ['a blank query', `GET /discovery/search?query=${'+'.repeat(LONG_TARGET.length)} HTTP/1.1\r\n`],
])('little is repeated of %s, however long', async (_what, head) => {
  const { port } = await startService();
  const [answer] = await raw(port, `${head}host: x\r\nconnection: close\r\n\r\n`);
  expect(sizeOf(answer!)).toBeLessThan(ANSWER_LIMIT_BYTES);
});

test('nothing is repeated of a cursor that is refused', async () => {
  const { url } = await startService({}, { search: async () => UNKNOWN_CURSOR });
  const answer = await ask(`${url}/discovery/search?query=x&cursor=${LONG_TARGET}`);
  expect(answer.status).toBe(400);
  expect(sizeOf(answer)).toBeLessThan(ANSWER_LIMIT_BYTES);
});
