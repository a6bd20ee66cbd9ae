import { countedAddress } from '../net/countedAddress.ts';

/** Knows for which address a connection's requests count. */
export interface ClientAddresses {
  /** Returns the address that a request counts for. `forwardedFor` is its header of that name. */
  addressOf(remoteAddress: string, forwardedFor: string | undefined): string;
  /** True if the address is that of a proxy, whose connections carry the requests of many clients. */
  isProxy(remoteAddress: string): boolean;
}

/** Believes no header. */
export const DIRECT_CLIENTS: ClientAddresses = { addressOf: countedAddress, isProxy: () => false };
