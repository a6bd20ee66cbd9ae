/** Limits the network addresses that a target may have. */
import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isForbiddenAddress, isLocalAddress, withoutBrackets } from './addresses.ts';

/** The addresses that requests may go to: all that a seller may have, or only the public ones. */
export type Reach = 'any' | 'public';

export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

/** Throws a ForbiddenAddress if a URL's host is an address, not a name, and is out of reach. */
export function checkHost(hostname: string, reach: Reach): void {
  const address = withoutBrackets(hostname);
  if (isIP(address) !== 0) checkAddress(address, reach);
}

function checkAddress(address: string, reach: Reach): void {
  if (isForbiddenAddress(address))
    throw new ForbiddenAddress('its address is link-local, or otherwise not one for a seller');
  if (reach === 'public' && isLocalAddress(address))
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
 * Returns the system's lookup, which fails for a name that leads out of reach. It runs at the moment of connecting, so
 * a name that changes its address in the meantime gains nothing.
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

/** A name that is looked up without connecting counts as unknown after this time. */
interface NameLimits {
  readonly nameTimeoutMs: number;
}

/**
 * Returns where the listings of a facilitator may lead. They may lead to this machine and to private networks only if
 * all addresses of the facilitator are there too. If its name is unknown, they may not.
 */
export async function reachOfListings(facilitatorUrl: string, limits: NameLimits): Promise<Reach> {
  const addresses = await addressesOf(new URL(facilitatorUrl).hostname, limits);
  const isLocal = addresses.length > 0 && addresses.every((address) => isLocalAddress(address));
  return isLocal ? 'any' : 'public';
}

/** True when a host is known, and has neither an address of this machine or a private network nor a forbidden one. */
export async function isPublicHost(hostname: string, limits: NameLimits): Promise<boolean> {
  const addresses = await addressesOf(hostname, limits);
  const isPublic = (address: string): boolean => !isLocalAddress(address) && !isForbiddenAddress(address);
  return addresses.length > 0 && addresses.every(isPublic);
}

/** Returns no addresses for a name that is unknown, or not resolved in time. */
async function addressesOf(hostname: string, { nameTimeoutMs }: NameLimits): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<string[]>();
  lookup(withoutBrackets(hostname), { all: true }, (error, found) =>
    resolve(error ? [] : found.map(({ address }) => address)),
  );
  return Promise.race([promise, sleep(nameTimeoutMs, [], { ref: false })]);
}
