import { Asset } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { amountWithCode, contractOfAsset, KNOWN_ASSETS, usdcOf } from '../../src/stellar/assets.ts';
import { PASSPHRASES, type Network } from '../../src/stellar/networks.ts';

describe.each(Object.keys(KNOWN_ASSETS) as Network[])('the known assets of %s', (network) => {
  test.each(KNOWN_ASSETS[network])('$code has the contract of its issuer', ({ code, contract, issuer }) => {
    const asset = issuer === undefined ? Asset.native() : new Asset(code, issuer);
    expect(asset.contractId(PASSPHRASES[network])).toBe(contract);
    expect(contractOfAsset(code, network)).toBe(contract);
  });
});

test('an amount of a known asset is shown with its unit, of any other not at all', () => {
  expect(amountWithCode(100_000n, usdcOf('stellar:pubnet'))).toBe('0.01 USDC');
  expect(
    amountWithCode(100_000n, 'CAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD2KM'),
  ).toBeUndefined();
});

test('a name that no asset has is no asset', () => {
  expect(contractOfAsset('usdc', 'stellar:pubnet')).toBeUndefined();
  expect(contractOfAsset('toString', 'stellar:pubnet')).toBeUndefined();
});
