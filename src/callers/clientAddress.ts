import { BlockList, isIP } from 'node:net';
import { boundedText } from '../contract/index.ts';
import { countedAddress, unmappedAddress } from '../net/countedAddress.ts';

/** Reads no more entries of a header than this: no request passes through more proxies. */
const MAX_PROXIES = 16;

/** Matches `1.2.3.4:567`, `[::1]` and `[::1]:80`. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+):\d+|\[([^\]]+)\](?::\d+)?)$/;

/**
 * Finds the address that a request counts for: that of its connection, unless that is a trusted proxy's. Then it is the
 * last address in `X-Forwarded-For` that is no trusted proxy's. Each trusted proxy appends the address that it saw; what
 * stands before comes from the client, which may write what it likes. If the next entry is missing or no address, the
 * request counts for the proxy that was found last.
 */
export function createClientAddresses(trustedProxies: BlockList) {
  if (trustedProxies.rules.length === 0) return { addressOf: countedAddress, isProxy: () => false };

  function isProxy(address: string): boolean {
    const unmapped = unmappedAddress(address);
    const version = isIP(unmapped);
    return version !== 0 && trustedProxies.check(unmapped, version === 4 ? 'ipv4' : 'ipv6');
  }

  function addressOf(remoteAddress: string, forwardedFor = ''): string {
    let client = remoteAddress;
    let end = forwardedFor.length;
    for (let read = 0; read < MAX_PROXIES && end > 0 && isProxy(client); read++) {
      const comma = forwardedFor.lastIndexOf(',', end - 1);
      const entry = addressIn(forwardedFor.slice(comma + 1, end).trim());
      if (entry === undefined) break;
      client = entry;
      end = comma;
    }
    return boundedText(countedAddress(client));
  }

  return { addressOf, isProxy };
}

/** Returns undefined if the entry is no address, such as `unknown`. */
function addressIn(entry: string): string | undefined {
  const [, v4, v6] = WITH_PORT.exec(entry) ?? [];
  const address = v4 ?? v6 ?? entry;
  return isIP(address) === 0 ? undefined : address;
}
