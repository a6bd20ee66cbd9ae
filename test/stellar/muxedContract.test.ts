import { StrKey, xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { isRecipient, recipientOf, scAddressOf, scAddressText } from '../../src/stellar/addresses.ts';
import { decodeMuxedContract, encodeMuxedContract } from '../../src/stellar/muxedContractText.ts';

/** The contract of SEP-23's vectors, and its muxed addresses by id. */
const CONTRACT = 'CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA';
const VECTORS: [bigint, string][] = [
  [0n, 'WA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAAAWWC'],
  [2n ** 63n, 'WA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAACWJY'],
  [2n ** 64n - 1n, 'WA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJV7777777777777GMO'],
];
const [, ADDRESS] = VECTORS[1]!;

/** ScAddress: arm 5, then the id, then the contract. */
const XDR = '00000005' + '8000000000000000' + Buffer.from(StrKey.decodeContract(CONTRACT)).toString('hex');

describe('the text of a muxed contract', () => {
  test.each(VECTORS)('with id %i is that of SEP-23', (id, text) => {
    expect(encodeMuxedContract({ contract: CONTRACT, id })).toBe(text);
    expect(decodeMuxedContract(text)).toEqual({ contract: CONTRACT, id });
  });

  test.each([
    ['a contract', CONTRACT],
    ['an account', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'],
    ['a muxed account', 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK'],
    ['one with a wrong checksum', ADDRESS.slice(0, -1) + 'Z'],
    ['one with another version', `X${ADDRESS.slice(1)}`],
    ['one in lower case', ADDRESS.toLowerCase()],
    ['one with padding', `${ADDRESS}=`],
    ['one that is too short', ADDRESS.slice(0, -1)],
    ['one of characters that strkeys do not have', ADDRESS.replaceAll('A', '1')],
    ['nothing', ''],
  ])('is not that of %s', (_what, text) => {
    expect(decodeMuxedContract(text)).toBeUndefined();
  });
});

describe('a muxed contract', () => {
  test('is written and read wherever an address stands, its id first', () => {
    const address = scAddressOf(ADDRESS);
    expect(Buffer.from(address.toXdr()).toString('hex')).toBe(XDR);
    expect(scAddressText(xdr.ScAddress.fromXdr(XDR, 'hex'))).toBe(ADDRESS);
    const within = xdr.ScVal.scvVec([xdr.ScVal.scvAddress(address), xdr.ScVal.scvU32(7)]);
    expect(Buffer.from(xdr.ScVal.fromXdr(within.toXdr()).toXdr())).toEqual(Buffer.from(within.toXdr()));
  });

  test('equals one of the same contract and id, and no other', () => {
    const [one, other] = VECTORS.map(([, text]) => scAddressOf(text));
    expect(one!.equals(scAddressOf(VECTORS[0]![1]))).toBe(true);
    expect(one!.equals(other!)).toBe(false);
    expect(one!.equals(scAddressOf(CONTRACT))).toBe(false);
  });

  test('is a recipient: the contract gets the money, and the id tells what for', () => {
    expect(isRecipient(ADDRESS)).toBe(true);
    expect(recipientOf(ADDRESS)).toEqual({ base: CONTRACT, muxedId: 2n ** 63n });
    expect(recipientOf(CONTRACT)).toEqual({ base: CONTRACT, muxedId: undefined });
  });

  test.each(['', XDR.slice(0, 6), XDR.slice(0, -2), `${XDR}00000000`, `00000006${XDR.slice(8)}`])(
    'is not read from %j',
    (hex) => {
      expect(() => xdr.ScAddress.fromXdr(hex, 'hex')).toThrow();
    },
  );
});

test('the SDK does not know muxed contracts by itself; if it does, src/stellar/muxedContract.ts can go', () => {
  expect(Object.keys(xdr.ScAddressType)).not.toContain('scAddressTypeMuxedContract');
  expect(Object.keys(StrKey.types)).not.toContain('W');
});
