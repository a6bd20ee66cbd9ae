import { describe, expect, test } from 'vitest';
import type { PaymentRequirements } from '../../src/contract/index.ts';
import { formatResourceId } from '../../src/agent/resourceId.ts';
import { AMOUNT, NATIVE, USDC } from '../support/payments.ts';
import { openAgent } from './support/agent.ts';
import { openHttpServer } from './support/httpServer.ts';
import { openSeller, sellHonestly, type Seller } from './support/seller.ts';
import { useAgentStage } from './support/stage.ts';
import { openToolServer, TOOL } from './support/toolServer.ts';

const stage = useAgentStage();

const declined = (reason: RegExp) => ({
  errorCode: 'svc_mcp_payment_declined_by_policy',
  reason: expect.stringMatching(reason),
});

const HTTP = { info: { input: { type: 'http', method: 'GET' } }, schema: { type: 'object' } };

/** A seller who is listed at these prices, and asks for another. */
async function openListed(
  listed: readonly Partial<PaymentRequirements>[],
  asked: Partial<PaymentRequirements>,
): Promise<Seller & { resourceId: string; word: string }> {
  const seller = await openSeller(stage, sellHonestly, asked);
  const word = `word${new URL(seller.url).port}`;
  for (const changes of listed)
    await stage.list({ url: seller.url, description: word }, HTTP, stage.terms(changes));
  const resourceId = formatResourceId({ type: 'http', resource: seller.url, toolName: '' });
  return { ...seller, resourceId, word };
}

describe('maxAmount is the most that one call pays', () => {
  test.each([
    ['100000', true],
    ['99999', false],
    ['0', false],
  ])('%s lets 100000 pass: %s', async (maxAmount, passes) => {
    const seller = await openSeller(stage);
    const tool = await openToolServer(stage);
    const buyer = await stage.buyer();
    stage.sandbox.calls.reset();
    for (const args of [{ url: seller.url }, { url: tool.url, toolName: TOOL }]) {
      const { structured } = await buyer.pay({ ...args, maxAmount });
      expect(structured).toEqual(
        passes
          ? expect.objectContaining({ paid: true })
          : declined(
              new RegExp(
                `100000 base units of ${USDC} is above the maxAmount of ${maxAmount} .*nothing was paid`,
              ),
            ),
      );
    }
    expect(buyer.spent()).toBe(passes ? 2n * AMOUNT : 0n);
    if (!passes) expect(stage.sandbox.calls.counts()).toEqual({});
    if (!passes) expect(buyer.log).toEqual([]);
  });

  test('and never more than the cap, nor than is left of the budget', async () => {
    const seller = await openSeller(stage);
    const capped = await stage.buyer({ SVC_MCP_MAX_AMOUNT: '99999' });
    expect((await capped.pay({ url: seller.url, maxAmount: '100000' })).structured).toEqual(
      declined(/above the cap of 99999 /),
    );
    const poor = await stage.buyer({ SVC_MCP_SESSION_BUDGET: '99999' });
    expect((await poor.pay({ url: seller.url, maxAmount: '100000' })).structured).toEqual(
      declined(/99999 of 99999/),
    );
    expect(seller.paid()).toEqual([]);
  });

  test('of several offers one within it is paid', async () => {
    const accepts = [stage.terms({ amount: '50' }), stage.terms({ asset: NATIVE, amount: '5' })];
    const seller = await openSeller(stage, async (visit) => {
      if (visit.payment === undefined) return visit.askToPay({ accepts });
      visit.deliver({}, await visit.settle());
    });
    const buyer = await stage.buyer({ SVC_MCP_ALLOWED_ASSETS: `${USDC},${NATIVE}` });
    expect((await buyer.pay({ url: seller.url, maxAmount: '49' })).structured).toMatchObject({
      payment: { asset: NATIVE, amount: '5' },
    });
  });

  test.each(['', '-1', '1.5', '1e5', '0x10', '01', ' 1', '+1', '1_000', 'all', String(2n ** 127n), 5, null])(
    '%j is svc_mcp_invalid_arguments, and nobody is asked',
    async (maxAmount) => {
      const seller = await openSeller(stage);
      const { structured } = await (await stage.buyer()).pay({ url: seller.url, maxAmount });
      expect(structured).toEqual({
        errorCode: 'svc_mcp_invalid_arguments',
        reason: expect.stringMatching(/maxAmount.*othing was paid/),
      });
      expect(seller.visits).toEqual([]);
    },
  );
});

describe('without maxAmount a listing is paid up to ten times its price', () => {
  test.each([
    ['1', '10', true],
    ['1', '11', false],
    ['1', '10000000', false],
    ['30000', '300000', true],
    ['30000', '300001', false],
    // Below the listed price is always fine.
    ['30000', '1', true],
  ])('listed at %s, %s is paid: %s', async (price, amount, passes) => {
    const seller = await openListed([{ amount: price }], { amount });
    const buyer = await stage.buyer();
    stage.sandbox.calls.reset();
    const { structured } = await buyer.pay({ resourceId: seller.resourceId });
    if (passes) {
      expect(structured).toMatchObject({ paid: true, payment: { amount } });
      return expect(buyer.spent()).toBe(BigInt(amount));
    }
    expect(structured).toEqual(
      declined(
        new RegExp(
          `${amount} base units of ${USDC} is more than 10 times the listed price of ${price};.*maxAmount`,
        ),
      ),
    );
    expect(stage.sandbox.calls.counts()).toEqual({});
    expect(seller.paid()).toEqual([]);
    const agreed = await buyer.pay({ resourceId: seller.resourceId, maxAmount: amount });
    expect(agreed.structured).toMatchObject({ paid: true, payment: { amount } });
  });

  test('also a tool of an MCP server', async () => {
    const server = await openToolServer(stage);
    const bazaar = {
      info: { input: { type: 'mcp', toolName: TOOL, inputSchema: { type: 'object' } } },
      schema: { type: 'object' },
    };
    await stage.list({ url: server.url }, bazaar, stage.terms({ amount: '1' }));
    const resourceId = formatResourceId({ type: 'mcp', resource: server.url, toolName: TOOL });
    const buyer = await stage.buyer();
    expect((await buyer.pay({ resourceId })).structured).toEqual(declined(/listed price of 1;/));
    expect(buyer.spent()).toBe(0n);
  });

  test('where it lists several, by the lowest, which a search shows', async () => {
    const prices = ['10000000', '100', '5000'].map((amount) => ({ amount }));
    const seller = await openListed(prices, { amount: '1001' });
    const buyer = await stage.buyer();
    const { structured } = await buyer.search(seller.word);
    expect(structured.resources[0].price).toMatchObject({ amount: '100' });
    expect((await buyer.pay({ resourceId: seller.resourceId })).structured).toEqual(
      declined(/listed price of 100;/),
    );
  });

  test.each<[string, Partial<PaymentRequirements>[]]>([
    ['a price of 0 alone', [{ amount: '0' }]],
    ['a price in another asset', [{ asset: NATIVE, amount: '100000' }]],
    ['a price on another network', [{ network: 'stellar:pubnet', amount: '100000' }]],
    ['a price of another scheme', [{ scheme: 'upto', amount: '100000' }]],
  ])('and one that shows %s is not paid', async (_name, listed) => {
    const seller = await openListed(listed, { amount: '1' });
    const buyer = await stage.buyer({ SVC_MCP_ALLOWED_ASSETS: `${USDC},${NATIVE}` });
    expect((await buyer.pay({ resourceId: seller.resourceId })).structured).toEqual(
      declined(
        /^The payment is declined: the price is 1 base units.*no price above 0 in that asset.*maxAmount/,
      ),
    );
    expect(seller.paid()).toEqual([]);
    expect((await buyer.pay({ resourceId: seller.resourceId, maxAmount: '1' })).structured).toMatchObject({
      paid: true,
    });
  });

  test('in each asset by its own listed price', async () => {
    const seller = await openListed([{ amount: '1' }, { asset: NATIVE, amount: '1000' }], {
      asset: NATIVE,
      amount: '9000',
    });
    const buyer = await stage.buyer({ SVC_MCP_ALLOWED_ASSETS: `${USDC},${NATIVE}` });
    expect((await buyer.pay({ resourceId: seller.resourceId })).structured).toMatchObject({
      payment: { asset: NATIVE, amount: '9000' },
    });
  });
});

describe('a price that a search has shown', () => {
  test('binds also where the listing is called by its URL', async () => {
    const seller = await openListed([{ amount: '1' }], {});
    const buyer = await stage.buyer();
    await buyer.search(seller.word);
    expect((await buyer.pay({ url: `${seller.url}?city=Porto` })).structured).toEqual(
      declined(/100000 .* listed price of 1;/),
    );
    expect(buyer.spent()).toBe(0n);
  });

  test('binds also after the listing has dropped it', async () => {
    const seller = await openSeller(stage);
    const listing = (amount: string) => ({
      type: 'http',
      resource: seller.url,
      accepts: [stage.terms({ amount })],
      extensions: { bazaar: HTTP },
    });
    const FACILITATOR_URL = await openHttpServer((request, response) =>
      response.end(
        JSON.stringify(
          request.url!.startsWith('/discovery/search')
            ? { resources: [listing('1')], pagination: { cursor: null } }
            : { items: [listing('10000000')], pagination: { total: 1 } },
        ),
      ),
    );
    const key = stage.sandbox.account();
    const agent = await openAgent({
      ...stage.environment(),
      FACILITATOR_URL,
      CLIENT_STELLAR_PRIVATE_KEY: key.secret(),
    });
    const { structured } = await agent.search('weather');
    const { id } = structured.resources[0];
    expect((await agent.pay({ resourceId: id })).structured).toEqual(declined(/listed price of 1;/));
    expect(stage.sandbox.usdc(key.publicKey())).toBe(10_000_000n);
  });

  test('is the one in the asset that the wallet prefers', async () => {
    const seller = await openListed(
      [{ asset: NATIVE, amount: '5' }, { amount: '700' }, { amount: '70' }],
      {},
    );
    const shown = async (SVC_MCP_ALLOWED_ASSETS?: string) => {
      const agent = await stage.searcher(SVC_MCP_ALLOWED_ASSETS ? { SVC_MCP_ALLOWED_ASSETS } : {});
      return (await agent.search(seller.word)).structured.resources[0].price;
    };
    expect(await shown()).toMatchObject({ asset: USDC, amount: '70' });
    expect(await shown(`${NATIVE},${USDC}`)).toMatchObject({ asset: NATIVE, amount: '5' });
  });
});
