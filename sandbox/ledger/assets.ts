/** The assets of a network that buyers pay in, each with its asset contract (CAP-46-06). */
import { Address, Asset, type xdr } from '@stellar/stellar-sdk';
import type { PublicNetwork } from '../networks.ts';

export type AssetName = 'native' | 'USDC' | 'EURC';

export interface HeldAsset {
  asset: Asset;
  contract: xdr.ScAddress;
  /** Null for the native asset, whose balances are the accounts' own. */
  trustlineAsset: xdr.TrustLineAsset | null;
}

export type Assets = Readonly<Record<AssetName, HeldAsset>>;

export function assetsOf({ passphrase, issuers }: PublicNetwork): Assets {
  const held = (asset: Asset): HeldAsset => ({
    asset,
    contract: new Address(asset.contractId(passphrase)).toScAddress(),
    trustlineAsset: asset.isNative() ? null : asset.toTrustLineXdrObject(),
  });
  const issued = (code: keyof typeof issuers) => held(new Asset(code, issuers[code]));
  return { native: held(Asset.native()), USDC: issued('USDC'), EURC: issued('EURC') };
}
