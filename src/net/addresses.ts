/** Tells addresses and names on the public internet from others. */
import { BlockList, isIP } from 'node:net';

type Subnet = [address: string, prefix: number];

/** This machine and private networks. A user's own sellers are there, but so is much that is not meant for others. */
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
 * Addresses that no seller has: unspecified, multicast and reserved ones; link-local and other ones at which clouds
 * keep their machines' credentials; and IPv6 forms that hide other addresses.
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
  ['::ffff:0:0:0', 96],
  ['2001::', 32],
  ['2002::', 16],
  ['fe80::', 10],
  ['ff00::', 8],
]);
// `::a.b.c.d` once was an IPv4 address. Only `::1` of that range is in use.
FORBIDDEN.addRange('::2', '::ffff:ffff', 'ipv6');
/** Addresses for examples. Nobody has them. */
const EXAMPLES = blockList([
  ['192.0.2.0', 24],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['2001:db8::', 32],
  ['3fff::', 20],
]);
/** Matches names that lead into the reader's own machine or network. */
const PRIVATE_DOMAINS =
  /(^|\.)(localhost|localdomain|localdomain6|local|internal|svc|intranet|private|corp|home|lan|home\.arpa|in-addr\.arpa|ip6\.arpa)$/;

/** Builds a list that also finds IPv4 addresses written as IPv6: mapped ones (BlockList's own doing) and NAT64 ones. */
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

const isAmong = (list: BlockList, address: string): boolean => list.check(address, familyOf(address));

export const isLocalAddress = (address: string): boolean => isAmong(LOCAL, address);
export const isForbiddenAddress = (address: string): boolean => isAmong(FORBIDDEN, address);

/** True for a host on the public internet. `hostname` comes from a URL object, which normalises addresses. */
export function isPublicHostname(hostname: string): boolean {
  const address = withoutBrackets(hostname);
  if (isIP(address) === 0) return isPublicName(hostname);
  return ![LOCAL, FORBIDDEN, EXAMPLES].some((list) => isAmong(list, address));
}

/** True for a name on the public internet; false for an address. */
export function isPublicName(hostname: string): boolean {
  if (isIP(withoutBrackets(hostname)) !== 0) return false;
  const labels = hostname.replace(/\.$/, '').split('.');
  return labels.length > 1 && !labels.includes('') && !PRIVATE_DOMAINS.test(labels.join('.'));
}

export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
