import { createHash } from 'node:crypto';

/** The supported networks by CAIP-2 identifier, with their passphrases. */
export const PASSPHRASES = {
  'stellar:testnet': 'Test SDF Network ; September 2015',
  'stellar:pubnet': 'Public Global Stellar Network ; September 2015',
} as const;

export type Network = keyof typeof PASSPHRASES;

export function isKnownNetwork(network: unknown): network is Network {
  return typeof network === 'string' && Object.hasOwn(PASSPHRASES, network);
}

/** Returns the network's id: SHA-256 of its passphrase. */
export function networkIdOf(passphrase: string): Uint8Array {
  return createHash('sha256').update(passphrase).digest();
}
