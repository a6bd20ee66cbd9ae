import { units } from './units.ts';
import type { Network } from './networks.ts';

/** An asset that people know by name. All are issued on Stellar itself, so all have 7 decimals. */
export interface KnownAsset {
  readonly code: string;
  /** The contract that payments name (C…). */
  readonly contract: string;
  /** G…; undefined for lumens. */
  readonly issuer?: string;
}

/** Anybody can issue an asset with the code of another, so these contracts alone go by their names. */
export const KNOWN_ASSETS: Readonly<Record<Network, readonly KnownAsset[]>> = {
  'stellar:testnet': [
    {
      code: 'USDC',
      contract: 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
      issuer: 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5',
    },
    {
      code: 'EURC',
      contract: 'CCUUDM434BMZMYWYDITHFXHDMIVTGGD6T2I5UKNX5BSLXLW7HVR4MCGZ',
      issuer: 'GB3Q6QDZYTHWT7E5PVS3W7FUT5GVAFC5KSZFFLPU25GO7VTC3NM2ZTVO',
    },
    {
      code: 'PYUSD',
      contract: 'CACZL3MGXXP3O6ROMB4Q36ROFULRWD6QARPE3AKWPSWMYZVF2474CBXP',
      issuer: 'GBT2KJDKUZYZTQPCSR57VZT5NJHI4H7FOB5LT5FPRWSR7I5B4FS3UU7G',
    },
    { code: 'XLM', contract: 'CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC' },
  ],
  'stellar:pubnet': [
    {
      code: 'USDC',
      contract: 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75',
      issuer: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
    },
    {
      code: 'EURC',
      contract: 'CDTKPWPLOURQA2SGTKTUQOWRCBZEORB4BWBOMJ3D3ZTQQSGE5F6JBQLV',
      issuer: 'GDHU6WRG4IEQXM5NZ4BMPKOXHW76MZM4Y2IEMFDVXBSDP6SJY4ITNPP2',
    },
    {
      code: 'PYUSD',
      contract: 'CCCRWH6Q3FNP3I2I57BDLM5AFAT7O6OF6GKQOC6SSJNDAVRZ57SPHGU2',
      issuer: 'GDQE7IXJ4HUHV6RQHIUPRJSEZE4DRS5WY577O2FY6YQ5LVWZ7JZTU2V5',
    },
    { code: 'XLM', contract: 'CAS3J7GYLGXMF6TDJBBYYSE3HQ6BBSMLNUQ34T6TZMYMW2EVH34XOWMA' },
  ],
};

const CODES = new Map(
  Object.values(KNOWN_ASSETS).flatMap((assets) => assets.map(({ contract, code }) => [contract, code])),
);

/** Returns the code of a known asset of either network; undefined for any other contract. */
export const codeOfAsset = (contract: string): string | undefined => CODES.get(contract);

/** Returns the contract of a known asset by its code, as USDC; undefined if there is none. */
export function contractOfAsset(code: string, network: Network): string | undefined {
  return KNOWN_ASSETS[network].find((asset) => asset.code === code)?.contract;
}

/** The USDC contract, as stock clients know it. */
export const usdcOf = (network: Network): string => contractOfAsset('USDC', network)!;

/** The contract of lumens. */
export const lumensOf = (network: Network): string => contractOfAsset('XLM', network)!;

/** Writes an amount of a known asset for people: 0.01 USDC. Returns undefined if its decimals are not known. */
export function amountWithCode(baseUnits: bigint, contract: string): string | undefined {
  const code = codeOfAsset(contract);
  return code && `${units(baseUnits)} ${code}`;
}
