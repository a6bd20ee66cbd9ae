/** The networks of the exact scheme on Stellar, by CAIP-2 identifier, with their PASSPHRASES. */
export const PASSPHRASES = {
  'stellar:testnet': 'Test SDF Network ; September 2015',
  'stellar:pubnet': 'Public Global Stellar Network ; September 2015',
} as const;

export type Network = keyof typeof PASSPHRASES;

export function isKnownNetwork(network: unknown): network is Network {
  return typeof network === 'string' && Object.hasOwn(PASSPHRASES, network);
}
