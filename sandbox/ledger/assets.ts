/** The two assets of the sandbox, XLM and USDC, and their asset contracts. */
import { StrKey, xdr } from '@stellar/stellar-sdk';
import {
  accountAddress,
  accountId,
  addressValue,
  bytes,
  contractAddress,
  map,
  rawAccountId,
  string,
  symbol,
  u32,
  vec,
} from '../host/values.ts';
import type { Value } from '../host/values.ts';
import { NETWORK_ID, sha256 } from '../protocol.ts';

export const DECIMALS = 7;
const USDC_ISSUER = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5';

export interface Asset {
  contract: xdr.ScAddress;
  contractId: xdr.ContractId;
  /** The contract's address, C…. */
  address: string;
  /** As the contract names it: `native`, or `CODE:ISSUER`. */
  name: string;
  symbol: string;
  /** Null for the native asset, whose balances are the accounts' own. */
  credit: { issuer: xdr.AccountId; trustlineAsset: xdr.TrustLineAsset } | null;
}

function assetContractId(asset: xdr.Asset): Buffer {
  const preimage = new xdr.HashIdPreimageContractId({
    networkId: NETWORK_ID,
    contractIdPreimage: xdr.ContractIdPreimage.contractIdPreimageFromAsset(asset),
  });
  return sha256(xdr.HashIdPreimage.envelopeTypeContractId(preimage).toXdr());
}

function describe(asset: xdr.Asset, name: string, code: string, credit: Asset['credit']): Asset {
  const id = assetContractId(asset);
  return {
    contract: contractAddress(id),
    contractId: new xdr.ContractId(id),
    address: StrKey.encodeContract(id),
    name,
    symbol: code,
    credit,
  };
}

function creditAsset(code: string, issuerAddress: string): Asset {
  const issuer = accountId(StrKey.decodeEd25519PublicKey(issuerAddress));
  const alphaNum4 = new xdr.AlphaNum4({ assetCode: Buffer.from(code), issuer });
  return describe(xdr.Asset.assetTypeCreditAlphanum4(alphaNum4), `${code}:${issuerAddress}`, code, {
    issuer,
    trustlineAsset: xdr.TrustLineAsset.assetTypeCreditAlphanum4(alphaNum4),
  });
}

export const NATIVE: Asset = describe(xdr.Asset.assetTypeNative(), 'native', 'native', null);
export const USDC: Asset = creditAsset('USDC', USDC_ISSUER);
export const ASSETS: readonly Asset[] = [NATIVE, USDC];

/** The instance that an asset contract keeps in the ledger: its executable and what it stores there. */
export function assetInstance(asset: Asset): Value {
  const metadata = map({ decimal: u32(DECIMALS), name: string(asset.name), symbol: string(asset.symbol) });
  const info = asset.credit
    ? vec(
        symbol('AlphaNum4'),
        map({ asset_code: string(asset.symbol), issuer: bytes(rawAccountId(asset.credit.issuer)) }),
      )
    : vec(symbol('Native'));
  const storage = [
    { key: symbol('METADATA'), val: metadata },
    ...(asset.credit
      ? [{ key: vec(symbol('Admin')), val: addressValue(accountAddress(asset.credit.issuer)) }]
      : []),
    { key: vec(symbol('AssetInfo')), val: info },
  ];
  return xdr.ScVal.scvContractInstance(
    new xdr.ScContractInstance({
      executable: xdr.ContractExecutable.contractExecutableStellarAsset(),
      storage: storage.map((entry) => new xdr.ScMapEntry(entry)),
    }),
  );
}
