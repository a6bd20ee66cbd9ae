import { describe, expect, test } from 'vitest';
import { usdcOf } from '../../src/stellar/assets.ts';
import { OTHER_NETWORK, USDC, USDC_ISSUER } from '../support/playedNetwork.ts';
import { doctorWorld } from './world.ts';

const world = doctorWorld();
const { examine, sellerOf, defectOf } = world;

describe('what is wrong with the terms is found:', () => {
  const terms: [string, object, string, RegExp, RegExp][] = [
    ['no network of Stellar', { network: 'stellar:mainnet' }, '', /no network of Stellar/, /stellar:pubnet/],
    ['another scheme', { scheme: 'upto' }, '', /scheme "upto"/, /exact/],
    ['the code of an asset', { asset: 'USDC' }, '.asset', /not the address/, new RegExp(USDC)],
    [
      'an asset with its issuer',
      { asset: `USDC:${USDC_ISSUER}` },
      '.asset',
      /not the address/,
      new RegExp(USDC),
    ],
    [
      'an asset of the other network',
      { asset: usdcOf(OTHER_NETWORK) },
      '.asset',
      /is no contract on/,
      new RegExp(USDC),
    ],
    ['no recipient', { payTo: 'me' }, '.payTo', /"me"/, /Stellar address/],
    ['an amount with a point', { amount: '0.01' }, '.amount', /"0.01"/, /1 USDC is "10000000"/],
    ['an amount that is a number', { amount: 100_000 }, '.amount', /100000/, /text of digits/],
    ['an amount of nothing', { amount: '0' }, '.amount', /"0"/, /base units/],
    ['no timeout', { maxTimeoutSeconds: undefined }, '.maxTimeoutSeconds', /missing/, /60/],
    ['a timeout within one ledger', { maxTimeoutSeconds: 1 }, '.maxTimeoutSeconds', /1 ledger closes/, /60/],
    ['no sponsored fees', { extra: {} }, '.extra', /areFeesSponsored missing/, /supported/],
    [
      'another flow',
      { extra: { areFeesSponsored: true, paymentFlow: 'x' } },
      '.extra',
      /paymentFlow "x"/,
      /supported/,
    ],
  ];
  test.each(terms)('%s', async (_what, changes, place, text, mend) => {
    const { verdict, findings } = await examine(await sellerOf({ terms: changes }));
    expect(verdict).toBe('unpaid');
    const unpaid = findings.filter(({ status }) => status === 'unpaid');
    expect(unpaid[0]).toMatchObject({
      check: `accepts[0]${place}`,
      text: expect.stringMatching(text),
      mend: expect.stringMatching(mend),
    });
    // Without an offer, this is told, too.
    expect(unpaid.slice(1).map(({ check }) => check)).toEqual(place === '' ? ['accepts'] : []);
  });

  test('another version', async () => {
    expect(await defectOf({ x402Version: 1 })).toMatchObject({ verdict: 'unpaid', check: 'x402Version' });
  });

  test.each([[[]], ['none'], [undefined]])('nothing that is offered: %j', async (accepts) => {
    const { verdict, wrong } = await examine(await sellerOf({ accepts }));
    expect(verdict).toBe('unpaid');
    expect(wrong[0]).toMatchObject({ check: 'accepts', status: 'unpaid' });
  });

  test('a timeout that is short, which is a warning', async () => {
    expect(await defectOf({ terms: { maxTimeoutSeconds: 10 } })).toMatchObject({
      verdict: 'fine',
      check: 'accepts[0].maxTimeoutSeconds',
    });
  });
});
