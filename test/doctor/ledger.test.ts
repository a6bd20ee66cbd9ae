import { nativeToScVal, xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { runInside } from '../support/cli.ts';
import { OTHER_NETWORK, USDC_ISSUER } from '../support/playedNetwork.ts';
import { doctorWorld } from './world.ts';

const world = doctorWorld();
const { examine, sellerOf, defectOf } = world;

describe('a token of its own', () => {
  test('that tells no decimals is a warning, and its recipient needs nothing', async () => {
    const terms = {
      asset: world.sandbox.network.deploy('plain', []),
      payTo: world.sandbox.submitter().publicKey(),
    };
    expect(await defectOf({ terms })).toMatchObject({
      verdict: 'fine',
      check: 'accepts[0].asset',
      text: expect.stringContaining('decimals'),
    });
  });

  test('is a warning, and its amount is shown with its own decimals', async () => {
    const results = [{ xdr: xdr.ScVal.scvU32(2).toXdr('base64') }];
    world.sandbox.faults.add({
      kind: 'rewrite',
      methods: ['simulateTransaction'],
      rewrite: (_method, { latestLedger }) => ({ latestLedger, results }),
    });
    const url = await sellerOf({
      terms: { asset: world.sandbox.network.deploy('plain', []), amount: '150' },
    });
    const { verdict, wrong, findings } = await examine(url);
    expect({ verdict, wrong }).toMatchObject({
      verdict: 'fine',
      wrong: [{ text: expect.stringContaining('token of its own') }],
    });
    expect(findings).toContainEqual(
      expect.objectContaining({ text: 'is 1.5 units (150 base units, 2 decimals)' }),
    );
  });
});

describe('what is wrong with the recipient on the ledger is found:', () => {
  /** Makes the node show the ledger's entries otherwise. */
  function show(change: (data: xdr.LedgerEntryData) => xdr.LedgerEntryData): void {
    world.sandbox.faults.add({
      kind: 'rewrite',
      methods: ['getLedgerEntries'],
      rewrite: (_method, result) => ({
        ...(result as object),
        entries: (result['entries'] as { xdr: string }[]).map((entry) => ({
          ...entry,
          xdr: change(xdr.LedgerEntryData.fromXdr(entry.xdr, 'base64')).toXdr('base64'),
        })),
      }),
    });
  }
  const showTrustline = (changes: Partial<xdr.TrustLineEntry>): void =>
    show((data) =>
      data.type === 'trustline'
        ? xdr.LedgerEntryData.trustline(new xdr.TrustLineEntry({ ...data.trustLine, ...changes }))
        : data,
    );

  test('no account', async () => {
    const terms = { payTo: world.sandbox.keyWithoutAccount().publicKey() };
    expect(await defectOf({ terms })).toMatchObject({
      verdict: 'unpaid',
      check: 'accepts[0].payTo',
      text: expect.stringContaining('no account'),
    });
  });

  test('no trustline', async () => {
    const terms = { payTo: world.sandbox.submitter().publicKey() };
    expect(await defectOf({ terms })).toMatchObject({
      verdict: 'unpaid',
      text: expect.stringContaining('no trustline for USDC'),
      mend: expect.stringContaining(`USDC:${USDC_ISSUER}`),
    });
  });

  test('a trustline that the issuer has not authorized', async () => {
    showTrustline({ flags: 2 });
    expect(await defectOf({})).toMatchObject({
      verdict: 'unpaid',
      text: expect.stringContaining('not authorized'),
    });
  });

  test('a trustline without room for one payment', async () => {
    showTrustline({ limit: 150_000n, balance: 100_000n });
    expect(await defectOf({})).toMatchObject({
      verdict: 'unpaid',
      text: expect.stringContaining('room for 0.005 USDC'),
      mend: expect.stringContaining('now 0.015 USDC'),
    });
  });

  test('a contract whose balance the issuer has frozen', async () => {
    const frozen = nativeToScVal(
      { amount: 1n, authorized: false, clawback: false },
      { type: { amount: ['symbol', 'i128'], authorized: ['symbol'], clawback: ['symbol'] } },
    );
    show((data) =>
      data.type === 'contractData'
        ? xdr.LedgerEntryData.contractData(new xdr.ContractDataEntry({ ...data.contractData, val: frozen }))
        : data,
    );
    const terms = { payTo: world.sandbox.contractPayer(1n).address };
    expect(await defectOf({ terms })).toMatchObject({
      verdict: 'unpaid',
      text: expect.stringContaining('frozen'),
    });
  });

  test('a contract that has never held the asset', async () => {
    const contract = world.sandbox.network.contractAccount(world.sandbox.keyWithoutAccount().rawPublicKey());
    expect(await defectOf({ terms: { payTo: contract } })).toMatchObject({
      verdict: 'unpaid',
      code: 'invalid_exact_stellar_payload_fee_exceeds_maximum',
    });
  });
});

describe('a ledger that cannot be asked', () => {
  test('leaves the rest to be checked, and is told', async () => {
    world.sandbox.faults.add({ kind: 'httpStatus', status: 503 });
    const { verdict, wrong, findings } = await examine(await sellerOf());
    expect({ verdict, wrong }).toMatchObject({
      verdict: 'unchecked',
      wrong: [{ check: 'accepts[0]', text: expect.stringContaining('503') }],
    });
    expect(findings.at(-1)).toMatchObject({ check: 'search' });
  });

  test('is one of another network, too, or one that is not named', async () => {
    const terms = { network: OTHER_NETWORK };
    expect(await examine(await sellerOf({ terms }))).toMatchObject({ verdict: 'unchecked' });
    const url = await sellerOf({ terms: { network: 'stellar:pubnet' } });
    expect(await runInside(['doctor', url], {})).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('RPC_URL is missing'),
    });
  });
});
