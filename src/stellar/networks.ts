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

/** The USDC contract, as stock clients know it. */
export const USDC: Readonly<Record<Network, string>> = {
  'stellar:testnet': 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
  'stellar:pubnet': 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75',
};

/** The contract of lumens. */
export const LUMENS: Readonly<Record<Network, string>> = {
  'stellar:testnet': 'CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC',
  'stellar:pubnet': 'CAS3J7GYLGXMF6TDJBBYYSE3HQ6BBSMLNUQ34T6TZMYMW2EVH34XOWMA',
};
