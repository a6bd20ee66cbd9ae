/** The networks that a wallet can pay on, by CAIP-2 identifier, with their PASSPHRASES. */
export const PASSPHRASES = {
  'stellar:testnet': 'Test SDF Network ; September 2015',
  'stellar:pubnet': 'Public Global Stellar Network ; September 2015',
} as const;

export type Network = keyof typeof PASSPHRASES;

export function isNetwork(text: string): text is Network {
  return Object.hasOwn(PASSPHRASES, text);
}
