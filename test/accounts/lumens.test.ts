import { Keypair, xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { spendableStroops, stroopsOf, xlm } from '../../src/cli/accounts/lumens.ts';
import { fixedUnits } from '../../src/stellar/units.ts';

const none = { numSubEntries: 0, selling: 0n, numSponsoring: 0, numSponsored: 0 };

function account(changes: Partial<typeof none & { balance: bigint }>, isExtended = true): { entry: string } {
  const {
    balance = 100_000_000n,
    numSubEntries,
    selling,
    numSponsoring,
    numSponsored,
  } = { ...none, ...changes };
  const v2 = new xdr.AccountEntryExtensionV2({
    numSponsored,
    numSponsoring,
    signerSponsoringIDs: [],
    ext: xdr.AccountEntryExtensionV2Ext.v0(),
  });
  const v1 = new xdr.AccountEntryExtensionV1({
    liabilities: new xdr.Liabilities({ buying: 7n, selling }),
    ext: xdr.AccountEntryExtensionV1Ext.v2(v2),
  });
  const account = new xdr.AccountEntry({
    accountId: Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).xdrAccountId(),
    balance,
    seqNum: 1n,
    numSubEntries,
    inflationDest: null,
    flags: 0,
    homeDomain: '',
    thresholds: Uint8Array.of(1, 0, 0, 0),
    signers: [],
    ext: isExtended ? xdr.AccountEntryExt.v1(v1) : xdr.AccountEntryExt.v0(),
  });
  return { entry: xdr.LedgerEntryData.account(account).toXdr('base64') };
}

describe('of 10 XLM an account can spend', () => {
  test.each([
    ['all but its reserve of two entries', {}, 90_000_000n],
    ['less for each entry that it owns', { numSubEntries: 3 }, 75_000_000n],
    ['less for each entry that it sponsors', { numSponsoring: 2 }, 80_000_000n],
    ['more for each entry that others sponsor', { numSponsored: 2 }, 100_000_000n],
    ['not what its offers sell', { selling: 12_345n }, 89_987_655n],
    ['nothing below the reserve', { balance: 9_999_999n }, 0n],
  ])('%s', (_rule, changes, stroops) => {
    expect(spendableStroops(account(changes))).toBe(stroops);
  });

  test('all but its reserve where it has never sent a transaction', () => {
    expect(spendableStroops(account({}, false))).toBe(90_000_000n);
  });

  test('nobody knows how much where its entry is of a newer protocol', () => {
    const { entry } = account({}, false);
    const newer = Buffer.from(entry, 'base64');
    newer.writeInt32BE(9, newer.length - 4);
    expect(() => spendableStroops({ entry: newer.toString('base64') })).toThrow(/newer protocol/);
  });
});

describe('amounts', () => {
  test.each([
    ['5', 50_000_000n],
    ['2.5', 25_000_000n],
    ['0.0000001', 1n],
    ['99999999999.9999999', 999_999_999_999_999_999n],
  ])('%s is read', (text, stroops) => {
    expect(stroopsOf(text)).toBe(stroops);
  });

  test.each(['', '.5', '5.', '-5', '1e3', '0x5', '5,5', '0.00000001', ' 5', '100000000000'])(
    '%j is none',
    (text) => {
      expect(stroopsOf(text)).toBeUndefined();
    },
  );

  test('are written with seven decimals, and short for people', () => {
    expect([0n, 1n, 50_000_000n, 123_456_789n].map(fixedUnits)).toEqual([
      '0.0000000',
      '0.0000001',
      '5.0000000',
      '12.3456789',
    ]);
    expect([0n, 1n, 50_000_000n, 1_000_000_000n].map(xlm)).toEqual([
      '0 XLM',
      '0.0000001 XLM',
      '5 XLM',
      '100 XLM',
    ]);
  });
});
