import { describe, expect, test } from 'vitest';
import { ask, expectAnswersTo, payment, raw, received, startService } from './support.ts';

const served = [
  'POST /verify',
  'POST /settle',
  'POST /settlements/status',
  'GET /',
  'GET /supported',
  'GET /health',
  'GET /discovery/resources',
  'GET /discovery/search',
];

function unknownRoute(asked: string) {
  const reason = `There is no ${asked}. The routes are ${served.join(', ')}.`;
  return { status: 404, body: { error: { code: 'svc_unknown_route', reason } } };
}

test.each([
  '/nothing',
  '/verify/',
  '/Verify',
  '//verify',
  '/verify/x',
  '/discovery',
  '/discovery/resources/',
  '/discovery/search/x',
  '/%76erify',
  '/%zz',
  '/%',
  '/openapi.yaml',
  '/home',
  '/constructor',
  '/__proto__',
])('GET %s answers 404 with the mounted routes', async (path) => {
  const { port } = await startService();
  // Raw, since fetch would tidy the path up.
  const [answer] = await raw(port, `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  expect(answer).toMatchObject(unknownRoute(`GET ${path}`));
  expectAnswersTo([`GET ${path}`], [answer!]);
});

describe('a wrong method answers 404 with the mounted routes', () => {
  test.each([
    'GET /verify',
    'PUT /verify',
    'DELETE /settle',
    'OPTIONS /settle',
    'POST /supported',
    'PATCH /health',
    'POST /discovery/resources',
    'DELETE /discovery/search',
  ])('%s', async (route) => {
    const [method = '', path = ''] = route.split(' ');
    const { url } = await startService();
    expect(await ask(url + path, { method })).toMatchObject(unknownRoute(route));
  });

  test.each(['/verify', '/settle', '/nowhere'])('HEAD %s, without a body', async (path) => {
    const { url } = await startService();
    expect(await ask(url + path, { method: 'HEAD' })).toMatchObject({ status: 404, body: '' });
  });

  test('OPTIONS for the whole server', async () => {
    const { port } = await startService();
    const [answer] = await raw(port, 'OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(answer).toMatchObject(unknownRoute('OPTIONS *'));
    expectAnswersTo(['OPTIONS *'], [answer!]);
  });
});

test.each([
  '/',
  '/health',
  '/supported',
  '/discovery/resources?limit=1',
  '/discovery/resources?limit=x',
  '/discovery/search?query=x',
  '/discovery/search',
])('HEAD %s answers as GET does, without the body', async (path) => {
  const { url, port } = await startService();
  /** Without what differs from request to request; fetch itself ends the connection after a HEAD. */
  const ofAnswer = (headers: Record<string, string>): object => {
    const perRequest = ['date', 'connection', 'keep-alive', 'x-request-id'];
    return Object.fromEntries(Object.entries(headers).filter(([name]) => !perRequest.includes(name)));
  };
  const get = await ask(url + path);
  const head = await ask(url + path, { method: 'HEAD' });
  expect(head.status).toBe(get.status);
  expect(ofAnswer(head.headers)).toEqual(ofAnswer(get.headers));
  expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
  // Nothing of a body comes on the wire either: the next answer begins where the headers end.
  const request = (method: string, more = ''): string =>
    `${method} ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  const text = await received(port, request('HEAD') + request('HEAD', 'connection: close\r\n'));
  expect(text.split('\r\n\r\n').map((part) => part.slice(0, 9))).toEqual(['HTTP/1.1 ', 'HTTP/1.1 ', '']);
});

test('an unknown route is told before its body is looked at', async () => {
  const { url } = await startService();
  const init = {
    method: 'POST',
    body: 'x'.repeat(2_000_000),
    headers: { 'content-type': 'application/json' },
  };
  expect(await ask(`${url}/verif`, init)).toMatchObject(unknownRoute('POST /verif'));
});

test('a long path is shortened in the reason', async () => {
  const { url } = await startService();
  const { body } = await ask(`${url}/${'a'.repeat(5000)}`);
  expect(body).toMatchObject(unknownRoute(`GET /${'a'.repeat(199)}…`).body);
});

test('the query string and an absolute target do not matter to the route', async () => {
  const { url, port } = await startService();
  expect(await ask(`${url}/health?a=1&a=2`)).toMatchObject({ status: 200 });
  const [answer] = await raw(
    port,
    'GET http://proxied.example/health?x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  );
  expect(answer).toMatchObject({ status: 200 });
  expectAnswersTo(['GET /health'], [answer!]);
  const [strange] = await raw(
    port,
    'GET http://[bad/health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  );
  expect(strange).toMatchObject(unknownRoute('GET http://[bad/health'));
  expectAnswersTo(['GET http://[bad/health'], [strange!]);
});

test('a GET with a body is answered as without', async () => {
  const { port } = await startService();
  const body = JSON.stringify(payment);
  const get = `GET /health HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const answers = await raw(port, get, body, 'GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expectAnswersTo(['GET /health', 'GET /health'], answers);
});
