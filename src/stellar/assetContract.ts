/** Stellar asset contracts are built into the network. Their address is computed from the asset (CAP-46-06). */
import { Asset, xdr } from '@stellar/stellar-sdk';
import { scAddressOf } from './addresses.ts';

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
  return (
    name?.type === 'scvString' && assetOfContract(contract, name.str.toString(), passphrase) !== undefined
  );
}

/** Returns the asset that a contract's name means, if the contract's address is computed from it. */
export function assetOfContract(contract: string, name: string, passphrase: string): Asset | undefined {
  try {
    const asset = assetOf(name);
    return asset.contractId(passphrase) === contract ? asset : undefined;
  } catch {
    return undefined;
  }
}

/** Returns base64 XDR of the key under which the asset's contract keeps the balance of another contract. */
export function contractBalanceKey(asset: string, contract: string): string {
  return xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      contract: scAddressOf(asset),
      key: xdr.ScVal.scvVec([xdr.ScVal.scvSymbol('Balance'), xdr.ScVal.scvAddress(scAddressOf(contract))]),
      durability: xdr.ContractDataDurability.persistent,
    }),
  ).toXdr('base64');
}

/** Returns the asset that a name means: `native`, or code and issuer separated by a colon. Throws for other text. */
function assetOf(name: string): Asset {
  if (name === 'native') return Asset.native();
  const [code = '', issuer] = name.split(':');
  return new Asset(code, issuer);
}
