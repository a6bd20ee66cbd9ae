/** Which network addresses a target may have. */
import { lookup } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TARGET_LIMITS } from '../limits.ts';

type Subnet = [address: string, prefix: number];

/** This machine and private networks: where sellers of one's own are, and much else that is not meant for agents. */
const LOCAL = blockList([
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['198.18.0.0', 15],
  ['::1', 128],
  ['fc00::', 7],
  ['fec0::', 10],
]);
/**
 * Never a seller: unspecified, link-local and others where clouds keep their machines' credentials, multicast, reserved,
 * and IPv6 forms behind which other addresses stand.
 */
const FORBIDDEN = blockList([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['168.63.129.16', 32],
  ['100.100.100.200', 32],
  ['192.0.0.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 128],
  ['fd00:ec2::254', 128],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fe80::', 10],
  ['ff00::', 8],
]);
// `::a.b.c.d` was an IPv4 address once; of that range only `::1` is in use.
FORBIDDEN.addRange('::2', '::ffff:ffff', 'ipv6');

/** Also finds IPv4 addresses that are written as IPv6: mapped ones (the list does that itself), and those of NAT64. */
function blockList(subnets: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of subnets) {
    list.addSubnet(address, prefix, familyOf(address));
    if (isIP(address) === 4) list.addSubnet(`64:ff9b::${address}`, 96 + prefix, 'ipv6');
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Where requests may go: anywhere but to FORBIDDEN addresses, or to public ones only. */
export type Reach = 'any' | 'public';

export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

/** Throws a ForbiddenAddress where a URL's host is written as an address, and that is out of reach. */
export function checkHost(hostname: string, reach: Reach): void {
  const address = withoutBrackets(hostname);
  if (isIP(address) !== 0) checkAddress(address, reach);
}

function checkAddress(address: string, reach: Reach): void {
  if (FORBIDDEN.check(address, familyOf(address)))
    throw new ForbiddenAddress('its address is link-local, or otherwise no place for a seller');
  if (reach === 'public' && LOCAL.check(address, familyOf(address)))
    throw new ForbiddenAddress(
      'the catalog leads to an address of this machine or of a private network, where the facilitator itself is not',
    );
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/**
 * The system's lookup, which fails where a name leads out of reach: at the moment of connecting, so that a name that
 * changes its address meanwhile gains nothing.
 */
export function lookupWithin(reach: Reach) {
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    lookup(hostname, options, (error, found: string | LookupAddress[], family) => {
      if (error) return callback(error, found, family);
      try {
        const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address);
        for (const address of addresses) checkAddress(address, reach);
      } catch (forbidden) {
        return callback(forbidden as Error, []);
      }
      callback(null, found, family);
    });
  };
}

/**
 * Where the listings of a facilitator may lead: to this machine and private networks only where it is there itself, by
 * every address that it has. Whoever is not known is not there.
 */
export async function reachOfListings(facilitatorUrl: string): Promise<Reach> {
  const addresses = await addressesOf(new URL(facilitatorUrl).hostname);
  const isLocal =
    addresses.length > 0 && addresses.every((address) => LOCAL.check(address, familyOf(address)));
  return isLocal ? 'any' : 'public';
}

/** Whether a host is known, and at no address of this machine, of a private network or of none of a seller. */
export async function isPublicHost(hostname: string): Promise<boolean> {
  const addresses = await addressesOf(hostname);
  const isPublic = (address: string): boolean =>
    ![LOCAL, FORBIDDEN].some((list) => list.check(address, familyOf(address)));
  return addresses.length > 0 && addresses.every(isPublic);
}

/** None for a name that is not known in time. */
async function addressesOf(hostname: string): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<string[]>();
  lookup(withoutBrackets(hostname), { all: true }, (error, found) =>
    resolve(error ? [] : found.map(({ address }) => address)),
  );
  return Promise.race([promise, sleep(TARGET_LIMITS.nameTimeoutMs, [], { ref: false })]);
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
