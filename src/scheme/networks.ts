/** The networks of the exact scheme on Stellar, by CAIP-2 identifier, with their passphrases. */
export const passphrases = {
  'stellar:testnet': 'Test SDF Network ; September 2015',
  'stellar:pubnet': 'Public Global Stellar Network ; September 2015',
} as const;

export type Network = keyof typeof passphrases;

export function isKnownNetwork(network: unknown): network is Network {
  return typeof network === 'string' && Object.hasOwn(passphrases, network);
}
