/** The networks that a wallet can pay on, by CAIP-2 identifier, with their PASSPHRASES. */
export const PASSPHRASES = {
  'stellar:testnet': 'Test SDF Network ; September 2015',
  'stellar:pubnet': 'Public Global Stellar Network ; September 2015',
} as const;

/** The contract of USDC on each network, as stock clients know it. */
export const USDC: Readonly<Record<keyof typeof PASSPHRASES, string>> = {
  'stellar:testnet': 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
  'stellar:pubnet': 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75',
};

export type Network = keyof typeof PASSPHRASES;

export function isNetwork(text: string): text is Network {
  return Object.hasOwn(PASSPHRASES, text);
}
