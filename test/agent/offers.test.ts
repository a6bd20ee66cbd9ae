import { describe, expect, test } from 'vitest';
import { toMcpConfig } from '../../src/agent/config.ts';
import { NATIVE, USDC } from '../support/payments.ts';
import { openSeller, type Seller } from './support/seller.ts';
import { useAgentStage } from './support/stage.ts';

const stage = useAgentStage();

/** A seller who asks for these terms. */
const askingFor = (...accepts: unknown[]): Promise<Seller> =>
  openSeller(stage, async (visit) => {
    if (visit.payment === undefined) return visit.askToPay({ accepts });
    visit.deliver({}, await visit.settle());
  });

const declined = (reason: string | RegExp) => ({
  errorCode: 'svc_mcp_payment_declined_by_policy',
  reason: expect.stringMatching(reason),
});

describe('of several offers', () => {
  test('the cheapest is paid that can be paid', async () => {
    const others = [
      stage.terms({ network: 'stellar:pubnet', amount: '1' }),
      stage.terms({ scheme: 'upto', amount: '2' }),
      stage.terms({ asset: stage.payTo, amount: '3' }),
      stage.terms({ amount: '-4' }),
      stage.terms({ extra: { areFeesSponsored: false }, amount: '5' }),
      stage.terms({ amount: '500' }),
      stage.terms({ amount: '400' }),
      stage.terms({ amount: '450' }),
    ];
    const buyer = await stage.buyer();
    expect((await buyer.pay({ url: (await askingFor(...others)).url })).structured).toMatchObject({
      payment: { amount: '400' },
    });
    expect(buyer.spent()).toBe(400n);
  });

  test.each([
    ['USDC first', `${USDC},${NATIVE}`, USDC, '7'],
    ['lumens first', `${NATIVE}, ${USDC}`, NATIVE, '900'],
  ])(
    'the asset that the wallet names first is paid, whatever has fewer base units: %s',
    async (_name, SVC_MCP_ALLOWED_ASSETS, asset, amount) => {
      const buyer = await stage.buyer({ SVC_MCP_ALLOWED_ASSETS });
      const seller = await askingFor(
        stage.terms({ asset: NATIVE, amount: '1000' }),
        stage.terms({ amount: '7' }),
        stage.terms({ asset: NATIVE, amount: '900' }),
        stage.terms({ amount: '8' }),
      );
      const native = stage.sandbox.native(buyer.address);
      expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({
        paid: true,
        payment: { asset, amount },
      });
      expect(buyer.spent()).toBe(asset === USDC ? 7n : 0n);
      expect(native - stage.sandbox.native(buyer.address)).toBe(asset === USDC ? 0n : 900n);
    },
  );

  test('another allowed asset is paid where the first is above a limit', async () => {
    const buyer = await stage.buyer({ SVC_MCP_ALLOWED_ASSETS: `${USDC},${NATIVE}` });
    const seller = await askingFor(
      stage.terms({ amount: '10000001' }),
      stage.terms({ asset: NATIVE, amount: '6' }),
    );
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({
      payment: { asset: NATIVE, amount: '6' },
    });
  });
});

describe('only USDC is allowed unless configured', () => {
  test('so that another asset is not paid, however few its base units', async () => {
    const buyer = await stage.buyer();
    const native = stage.terms({ asset: NATIVE, amount: '1' });
    const alone = await askingFor(native);
    expect((await buyer.pay({ url: alone.url })).structured).toEqual(
      declined(`the asset ${NATIVE} is not among those that are allowed \\(${USDC}\\)`),
    );
    expect(alone.paid()).toEqual([]);
    const both = await askingFor(native, stage.terms({ amount: '7' }));
    expect((await buyer.pay({ url: both.url })).structured).toMatchObject({
      payment: { asset: USDC, amount: '7' },
    });
    expect(buyer.spent()).toBe(7n);
  });

  test('that of the network: on pubnet another contract', () => {
    expect(toMcpConfig({ NETWORK: 'stellar:pubnet', RPC_URL: 'https://rpc.example' })).toMatchObject({
      config: { spend: { allowedAssets: ['CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75'] } },
    });
  });
});

describe('an offer that does not say that its fees are sponsored is not paid', () => {
  test.each([
    ['without extra', undefined],
    ['with an extra that is null', null],
    ['with an extra that is a text', 'areFeesSponsored'],
    ['without areFeesSponsored', { note: 1 }],
    ['with false', { areFeesSponsored: false }],
    ['with the text true', { areFeesSponsored: 'true' }],
    ['with 1', { areFeesSponsored: 1 }],
  ])('%s', async (_name, extra) => {
    const { extra: _, ...terms } = stage.terms();
    const seller = await askingFor({ ...terms, ...(extra !== undefined && { extra }) });
    const buyer = await stage.buyer();
    expect((await buyer.pay({ url: seller.url })).structured).toEqual(
      declined(/extra\.areFeesSponsored is not true.*nothing was paid/),
    );
    expect(seller.paid()).toEqual([]);
    expect(buyer.spent()).toBe(0n);
  });

  test('and the reason says so also beside an asset that is not allowed', async () => {
    const seller = await askingFor(stage.terms({ extra: {} }), stage.terms({ asset: NATIVE }));
    expect((await (await stage.buyer()).pay({ url: seller.url })).structured).toEqual(
      declined(/areFeesSponsored is not true.*is not among/),
    );
  });
});
