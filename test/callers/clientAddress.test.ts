import { BlockList } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createClientAddresses } from '../../src/callers/clientAddress.ts';
import { DEFAULT_CALLERS, readCallers } from '../../src/config/callers.ts';
import { ask, post, payment, raw, startService } from '../http/support.ts';

const trustedProxies = proxies('10.0.0.0/8, 2001:db8:ffff::/48');
const { addressOf, isProxy } = createClientAddresses(trustedProxies);

function proxies(TRUSTED_PROXIES: string): BlockList {
  return readCallers({ TRUSTED_PROXIES }, (variable, problem) => {
    throw new Error(`${variable} ${problem}`);
  }).trustedProxies;
}

describe('a request counts for', () => {
  test.each([
    ['its connection, if nobody is trusted', '203.0.113.9', '1.2.3.4', '203.0.113.9'],
    ['the client that the proxy saw', '10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['the proxy, if it names no client', '10.0.0.1', undefined, '10.0.0.1'],
    ['the last address, whatever the client wrote before it', '10.0.0.1', '9.9.9.9, 1.2.3.4', '1.2.3.4'],
    ['the same if the client wrote a trusted address', '10.0.0.1', '10.0.0.9, 1.2.3.4', '1.2.3.4'],
    ['the client behind several proxies', '10.0.0.1', '1.2.3.4, 10.0.0.3,10.0.0.2', '1.2.3.4'],
    ['the farthest proxy, if all are', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['a client with a port', '10.0.0.1', '1.2.3.4:567', '1.2.3.4'],
    ['a client of IPv6 with a port: its network', '10.0.0.1', '[2001:db8::1]:80', '2001:db8:0:0'],
    ['a client of IPv6 in brackets', '10.0.0.1', '[2001:db8::1]', '2001:db8:0:0'],
    ['a client of IPv6', '10.0.0.1', '2001:db8:1:2:3::4', '2001:db8:1:2'],
    ['a client of IPv4, written as IPv6', '10.0.0.1', '::ffff:1.2.3.4', '1.2.3.4'],
    ['the client of a proxy, written as IPv6', '::ffff:10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['the client of a proxy of IPv6', '2001:db8:ffff::1', '1.2.3.4', '1.2.3.4'],
    ['the proxy, if the last entry is no address', '10.0.0.1', '1.2.3.4, unknown', '10.0.0.1'],
    ['the proxy before an entry that is no address', '10.0.0.1', 'unknown, 10.0.0.2', '10.0.0.2'],
    ['the proxy, if the last entry is empty', '10.0.0.1', '1.2.3.4,', '10.0.0.1'],
    ['the proxy, if the header is empty', '10.0.0.1', '', '10.0.0.1'],
    ['the proxy, if there are only commas', '10.0.0.1', ','.repeat(12_288), '10.0.0.1'],
    ['the proxy, if the entry is long', '10.0.0.1', '1'.repeat(12_288), '10.0.0.1'],
    ['the proxy, if the address is not complete', '10.0.0.1', '1.2.3', '10.0.0.1'],
    ['nobody, once the connection is gone', '', '1.2.3.4', ''],
  ])('%s', (_whom, remoteAddress, forwardedFor, address) => {
    expect(addressOf(remoteAddress, forwardedFor)).toBe(address);
  });

  test('a proxy, behind more proxies than any request passes', () => {
    expect(addressOf('10.0.0.1', `1.2.3.4${', 10.0.0.2'.repeat(1_000)}`)).toBe('10.0.0.2');
  });
});

test('without trusted proxies, no header is believed, and nobody is a proxy', () => {
  const nobody = createClientAddresses(DEFAULT_CALLERS.trustedProxies);
  expect(nobody.addressOf('10.0.0.1', '1.2.3.4')).toBe('10.0.0.1');
  expect(nobody.isProxy('10.0.0.1')).toBe(false);
});

test.each([
  ['10.9.9.9', true],
  ['::ffff:10.9.9.9', true],
  ['2001:db8:ffff:1::1', true],
  ['11.0.0.1', false],
  ['2001:db8:fffe::1', false],
  ['fe80::1%eth0', false],
  ['', false],
])('%s is a proxy: %s', (address, isOne) => {
  expect(isProxy(address)).toBe(isOne);
});

describe('over HTTP', () => {
  const limits = { ...DEFAULT_CALLERS.limits, verifiesPerMinute: 1 };
  const statusFor = async (url: string, forwardedFor: string) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': forwardedFor };
    return (await post(`${url}/verify`, JSON.stringify(payment), headers)).status;
  };

  test('clients of a trusted proxy have limits of their own, and cannot pass for others', async () => {
    const { url } = await startService({}, {}, {}, { limits, trustedProxies: proxies('127.0.0.0/8') });
    expect(await statusFor(url, '1.1.1.1')).toBe(200);
    expect(await statusFor(url, '2.2.2.2')).toBe(200);
    expect(await statusFor(url, '3.3.3.3, 1.1.1.1')).toBe(429);
  });

  test('of several headers, the last one decides', async () => {
    const { url, port } = await startService({}, {}, {}, { limits, trustedProxies: proxies('127.0.0.0/8') });
    const text = JSON.stringify(payment);
    expect(await statusFor(url, '1.1.1.1')).toBe(200);
    const answers = await raw(
      port,
      'POST /verify HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n' +
        `x-forwarded-for: 9.9.9.9\r\nx-forwarded-for: 1.1.1.1\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    );
    expect(answers).toMatchObject([{ status: 429 }]);
  });

  test('clients of any other proxy share its limits', async () => {
    const { url } = await startService({}, {}, {}, { limits });
    expect(await statusFor(url, '1.1.1.1')).toBe(200);
    expect(await statusFor(url, '2.2.2.2')).toBe(429);
  });

  test('connections of a trusted proxy are limited only in all', async () => {
    const maxConnections = { inAll: 100, perCaller: 1 };
    const trusted = { trustedProxies: proxies('127.0.0.1') };
    const { promise, resolve: letGo } = Promise.withResolvers<void>();
    const verify = () => promise.then(() => ({ isValid: true }));
    const { url } = await startService({ verify }, {}, { maxConnections }, trusted);
    const answers = Array.from({ length: 3 }, () => post(`${url}/verify`, JSON.stringify(payment)));
    expect((await ask(`${url}/health`)).status).toBe(200);
    letGo();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
