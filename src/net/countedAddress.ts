const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Returns the address under which the use of the service is counted: the address itself for IPv4, and the network of
 * 64 bits for IPv6, since any customer has at least that many addresses. Empty if the address is, as that of a
 * connection that is gone.
 */
export function countedAddress(address: string): string {
  const unmapped = unmappedAddress(address);
  return unmapped.includes(':') ? networkOf(unmapped) : unmapped;
}

/** Returns the IPv4 address that an address of IPv6 stands for, and any other address as it is. */
export function unmappedAddress(address: string): string {
  return MAPPED.exec(address)?.[1] ?? address;
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
