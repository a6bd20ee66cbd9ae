import { lookup } from 'node:dns';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { checkHost, isPublicHost, lookupWithin, reachOfListings } from '../../src/net/reach.ts';

vi.mock('node:dns', async (original) => ({ ...(await original<object>()), lookup: vi.fn() }));

const LIMITS = { nameTimeoutMs: 100 };

/** What names resolve to; written addresses to themselves. */
let names: Record<string, string[]> = {};
beforeEach(() => {
  names = {};
  vi.mocked(lookup).mockImplementation(((
    hostname: string,
    _options: object,
    done: (error: Error | null, found: object[]) => void,
  ) => {
    const addresses = names[hostname] ?? (/^[\d.]+$|:/.test(hostname) ? [hostname] : undefined);
    if (addresses?.length === 0) return;
    if (addresses === undefined) return done(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), []);
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as never);
});

const isAllowed = (url: string, reach: 'any' | 'public'): boolean => {
  try {
    checkHost(new URL(url).hostname, reach);
    return true;
  } catch {
    return false;
  }
};

const NEVER = [
  ...['0.0.0.0', '169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192', '224.0.0.1'],
  ...['255.255.255.255', '[::]', '[::ffff:169.254.169.254]', '[fd00:ec2::254]', '[fe80::1]', '[ff02::1]'],
  ...['[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]', '[::127.0.0.1]'],
  // Translated by SIIT (RFC 2765), not mapped: a gateway sends it on to 169.254.169.254.
  '[::ffff:0:169.254.169.254]',
];
const LOCAL = [
  ...['127.0.0.1', '127.1', '10.1.2.3', '172.16.0.1', '192.168.0.1', '100.64.0.1', '198.18.0.1'],
  ...['[::1]', '[fd12::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]'],
];
const PUBLIC = ['8.8.8.8', '[2606:4700::1111]', 'example.com'];

test.each(NEVER)('%s is no place for a seller', async (host) => {
  expect(isAllowed(`http://${host}/`, 'any')).toBe(false);
  expect(await isPublicHost(new URL(`http://${host}`).hostname, LIMITS)).toBe(false);
});

test.each(LOCAL)('%s is within reach of a url alone', async (host) => {
  expect(isAllowed(`http://${host}/`, 'any')).toBe(true);
  expect(isAllowed(`http://${host}/`, 'public')).toBe(false);
  expect(await isPublicHost(new URL(`http://${host}`).hostname, LIMITS)).toBe(false);
});

test.each(PUBLIC)('%s is within reach of all', (host) => {
  expect(isAllowed(`http://${host}/`, 'public')).toBe(true);
});

describe('a name', () => {
  const connect = (hostname: string, reach: 'any' | 'public') =>
    new Promise((done) =>
      lookupWithin(reach)(hostname, { all: true }, (error) => done(error?.name ?? 'found')),
    );

  test('leads nowhere where one of its addresses is out of reach', async () => {
    names = { evil: ['8.8.8.8', '169.254.169.254'], home: ['192.168.0.7'], shop: ['8.8.8.8'] };
    expect(await connect('evil', 'any')).toBe('ForbiddenAddress');
    expect(await connect('home', 'public')).toBe('ForbiddenAddress');
    expect(await connect('home', 'any')).toBe('found');
    expect(await connect('shop', 'public')).toBe('found');
  });

  test.each([
    ['of this machine', ['127.0.0.1', '::1'], 'any'],
    ['of a private network', ['10.0.0.5'], 'any'],
    ['that is public', ['8.8.8.8'], 'public'],
    ['that is both', ['8.8.8.8', '127.0.0.1'], 'public'],
    ['that nobody knows', undefined, 'public'],
    ['that is not answered for', [], 'public'],
  ])('of a facilitator %s: its listings reach as far', async (_name, addresses, reach) => {
    names = addresses ? { facilitator: addresses } : {};
    expect(await reachOfListings('http://facilitator:4021', LIMITS)).toBe(reach);
  });
});
