import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createOutgoing } from '../../src/net/outgoing.ts';
import type { Reach } from '../../src/net/reach.ts';
import { canProve, createAsk, PLACES, type Place } from '../../src/proofs/ask.ts';
import { PROOF_LIMITS } from '../../src/proofs/limits.ts';
import { openHttpServer } from '../agent/support/httpServer.ts';
import { accountOf, contractOf } from '../catalog/sellers.ts';
import { asksToPay, file, ownerFile, stellarToml, termsOf, type Answer } from './world.ts';

const OWNER = accountOf('owner');
const CONTRACT = contractOf('owner');
const NAMING_FILE = JSON.stringify({ payTo: [OWNER] });
/** Long enough for a busy machine, and short where nothing comes. */
const PATIENT = { ...PROOF_LIMITS, requestTimeoutMs: 20_000 };
const SHORT = { ...PROOF_LIMITS, requestTimeoutMs: 300 };

/** What an origin says that answers like this everywhere. */
async function said(place: Place, answer: Answer, limits = PATIENT) {
  const asked: (string | undefined)[] = [];
  const origin = await openHttpServer((request, response) => {
    asked.push(request.url);
    return answer(response, request);
  });
  return { ...(await ask(place, `${origin}/weather`, 'any', limits)), asked };
}

async function ask(place: Place, resource: string, reach: Reach, limits = PATIENT) {
  const outgoing = createOutgoing({
    userAgent: 'test',
    maxConnections: 1,
    silenceTimeoutMs: limits.requestTimeoutMs,
    ...limits,
  });
  onTestFinished(() => outgoing.close());
  const askOrigin = createAsk({ fetch: outgoing.fetch, reach, limits });
  return askOrigin(place, new URL(resource), new AbortController().signal);
}

/** The answer of each place that names an account. */
const NAMING: Record<Place, Answer> = {
  'well-known': ownerFile(OWNER),
  'stellar-toml': stellarToml(OWNER),
  'live-402': asksToPay(OWNER),
};

describe('an origin names recipients', () => {
  test.each([
    ['well-known', '/.well-known/x402-owner'],
    ['stellar-toml', '/.well-known/stellar.toml'],
    ['live-402', '/weather'],
  ] as const)('at the place %s', async (place, path) => {
    expect(await said(place, NAMING[place])).toEqual({
      place,
      named: [OWNER],
      isCertain: true,
      asked: [path],
    });
  });

  test('in the body of a 402 of version 1', async () => {
    expect(await said('live-402', file(JSON.stringify(termsOf(OWNER, CONTRACT)), 402))).toMatchObject({
      named: [OWNER, CONTRACT],
    });
  });

  test('as contracts too, but not in a stellar.toml', async () => {
    expect(await said('well-known', ownerFile(CONTRACT))).toMatchObject({ named: [CONTRACT] });
    expect(await said('stellar-toml', stellarToml(CONTRACT))).toMatchObject({
      named: [],
      isCertain: true,
    });
  });
});

describe('an origin names nobody', () => {
  test.each([
    ['no file', file('', 404)],
    ['a page instead of a file', file('<!doctype html><p>hello')],
    ['a file of another shape', file(JSON.stringify({ payTo: { 0: OWNER } }))],
    ['recipients that are no texts', ownerFile(1, null, { payTo: OWNER })],
    ['JSON that nests too deep', file(`{"payTo":${'['.repeat(50_000)}`)],
  ])('with %s', async (_, answer) => {
    expect(await said('well-known', answer)).toMatchObject({ named: [], isCertain: true });
  });

  test.each([
    ['broken TOML', `ACCOUNTS=["${OWNER}"`],
    ['TOML that nests too deep', `a=${'['.repeat(90_000)}`],
    ['the account in a table', `[DOCUMENTATION]\nACCOUNTS=["${OWNER}"]`],
  ])('with %s', async (_, text) => {
    expect(await said('stellar-toml', file(text))).toMatchObject({ named: [], isCertain: true });
  });

  test('by terms that come with another status than 402', async () => {
    const body = JSON.stringify(termsOf(OWNER));
    expect(await said('live-402', file(body))).toMatchObject({ named: [], isCertain: true });
  });

  test.each(PLACES)('by a redirect, which is not followed: %s', async (place) => {
    const answer: Answer = (response, request) =>
      request.url === '/elsewhere'
        ? NAMING[place](response, request)
        : response.writeHead(302, { location: '/elsewhere' }).end();
    expect(await said(place, answer)).toMatchObject({
      named: [],
      isCertain: true,
      asked: [expect.anything()],
    });
  });
});

describe('it is not certain what an origin says', () => {
  test.each<[string, Answer]>([
    ['fails', file('', 500)],
    ['throttles', file('', 429)],
    ['cuts the connection', (response) => response.destroy()],
    ['says nothing', () => {}],
    ['never ends', (response) => response.writeHead(200).write(NAMING_FILE)],
    ['sends more than a file may have', ownerFile(OWNER, 'x'.repeat(PROOF_LIMITS.maxBodyBytes))],
    [
      'sends a little that unpacks to a lot',
      (response) =>
        response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync(Buffer.concat([Buffer.from(NAMING_FILE), Buffer.alloc(50_000_000, ' ')]))),
    ],
    ['sends headers without end', (response) => response.writeHead(200, { x: 'x'.repeat(100_000) }).end()],
  ])('if it %s', async (_, answer) => {
    expect(await said('well-known', answer, SHORT)).toMatchObject({ named: [], isCertain: false });
  });
});

describe('this machine and private networks', () => {
  /** The number of connections that come when a place of a host of this machine is asked for. */
  async function connections(place: Place, origin: string, reach: Reach): Promise<number> {
    let count = 0;
    const server = createServer((socket) => {
      count += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const statement = await ask(place, `${origin}:${port}/weather`, reach);
    expect(statement).toEqual({ place, named: [], isCertain: false });
    return count;
  }

  test.each(PLACES)('are not reached by an address, nor by a name that leads there: %s', async (place) => {
    for (const origin of [
      'https://127.0.0.1',
      'https://localhost',
      'https://[::ffff:127.0.0.1]',
      'http://127.0.0.1',
    ])
      expect(await connections(place, origin, 'public')).toBe(0);
  });

  test('are reached where the operator allows it', async () => {
    for (const origin of ['https://127.0.0.1', 'https://localhost', 'http://127.0.0.1'])
      expect(await connections('well-known', origin, 'any')).toBeGreaterThan(0);
  });
});

test('a path that looks like another host is asked for at the origin', async () => {
  const asked: (string | undefined)[] = [];
  const origin = await openHttpServer((request, response) => {
    asked.push(request.url);
    response.writeHead(404).end();
  });
  await ask('live-402', `${origin}//localhost:9/weather`, 'any');
  expect(asked).toEqual(['//localhost:9/weather']);
});

test('only an origin with TLS can prove anything, except in a network of one’s own', () => {
  expect(canProve(new URL('https://api.example.com/'), 'public')).toBe(true);
  expect(canProve(new URL('http://api.example.com/'), 'public')).toBe(false);
  expect(canProve(new URL('http://127.0.0.1:4030/'), 'any')).toBe(true);
});
