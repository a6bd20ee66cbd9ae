import type { Socket } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Returns the address under which a connection's use of the service is counted: the address itself for IPv4, and the
 * network of 64 bits for IPv6, since any customer has at least that many addresses. Empty once the connection is gone.
 */
export function addressOf({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  const mapped = MAPPED.exec(remoteAddress)?.[1];
  if (mapped !== undefined) return mapped;
  return remoteAddress.includes(':') ? networkOf(remoteAddress) : remoteAddress;
}

/** Returns the first four groups of an IPv6 address, written out. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('%', 1)[0]!.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const left = groups(head);
  const right = groups(tail ?? '');
  const missing = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array.from({ length: missing }, () => '0'), ...right].slice(0, 4).join(':');
}
