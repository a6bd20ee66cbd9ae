import { Asset, Keypair, Networks, StrKey, xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { isStellarAssetContract } from '../../src/stellar/assetContract.ts';

const ISSUER = Keypair.random().publicKey();
const SHORT = new Asset('EURC', ISSUER);
const LONG = new Asset('LONGERCODE', ISSUER);

/** The topics of a transfer event that names an asset this way. */
const topicsFor = (name: xdr.ScVal): xdr.ScVal[] => [
  xdr.ScVal.scvSymbol('transfer'),
  xdr.ScVal.scvVoid(),
  xdr.ScVal.scvVoid(),
  name,
];
const named = (name: string): xdr.ScVal[] => topicsFor(xdr.ScVal.scvString(name));
const isOne = (contract: string, topics: xdr.ScVal[]): boolean =>
  isStellarAssetContract(contract, topics, Networks.TESTNET);

test.each([
  ['lumens', Asset.native(), 'native'],
  ['a code of up to four characters', SHORT, `EURC:${ISSUER}`],
  ['a longer code', LONG, `LONGERCODE:${ISSUER}`],
])('the contract of %s is recognised by the name in its event', (_which, asset, name) => {
  expect(isOne(asset.contractId(Networks.TESTNET), named(name))).toBe(true);
});

describe('is false, and does not throw, for', () => {
  const other = StrKey.encodeContract(Buffer.alloc(32, 7));
  const own = SHORT.contractId(Networks.TESTNET);

  test.each([
    ['another contract that names the asset', other, named(`EURC:${ISSUER}`)],
    ['another contract that calls itself native', other, named('native')],
    ['the contract of another network', SHORT.contractId(Networks.PUBLIC), named(`EURC:${ISSUER}`)],
    ['another code', own, named(`USDC:${ISSUER}`)],
    ['no name', own, named('').slice(0, 3)],
    ['a name that is not a string', own, topicsFor(xdr.ScVal.scvSymbol('native'))],
    ['an empty name', own, named('')],
    ['a name without an issuer', own, named('EURC')],
    ['an issuer that is not an address', own, named('EURC:GNOBODY')],
    ['an issuer that is a contract', own, named(`EURC:${other}`)],
    ['a code that is too long', own, named(`TOOLONGFORACODE:${ISSUER}`)],
    ['a name that is too long', own, named('E'.repeat(100_000))],
    ['bytes that are not text', own, topicsFor(xdr.ScVal.scvString(Buffer.from([0xff, 0xfe, 0x00])))],
  ])('%s', (_which, contract, topics) => {
    expect(isOne(contract, topics)).toBe(false);
  });
});
