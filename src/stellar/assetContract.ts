/** Stellar asset contracts are built into the network. Their address is computed from the asset (CAP-46-06). */
import { Asset, type xdr } from '@stellar/stellar-sdk';

/**
 * True if a transfer event of the contract names the asset that its address is computed from, as the events of every
 * Stellar asset contract do. The network gives such an address to no other code, so nobody can forge this.
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

/** Returns the asset that an event names: `native`, or code and issuer separated by a colon. Throws for other text. */
function assetOf(name: string): Asset {
  if (name === 'native') return Asset.native();
  const [code = '', issuer] = name.split(':');
  return new Asset(code, issuer);
}
