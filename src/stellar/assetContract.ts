/** Stellar asset contracts: built into the network, with an address that is computed from the asset (CAP-46-06). */
import { Asset } from '@stellar/stellar-sdk';
import type { xdr } from '@stellar/stellar-sdk';

/**
 * True if a transfer event of the contract names the asset that its address is computed from, as every Stellar asset
 * contract's does. The network lets no other code have such an address, so this cannot be forged.
 */
export function isStellarAssetContract(
  contract: string,
  topics: readonly xdr.ScVal[],
  passphrase: string,
): boolean {
  const name = topics[3];
  if (name?.type !== 'scvString') return false;
  try {
    return assetOf(name.str.toString()).contractId(passphrase) === contract;
  } catch {
    return false;
  }
}

/** Of its name in an event: `native`, or code and issuer with a colon between. Throws if it is none. */
function assetOf(name: string): Asset {
  if (name === 'native') return Asset.native();
  const [code = '', issuer] = name.split(':');
  return new Asset(code, issuer);
}
