import { describe, expect, test } from 'vitest';
import { openSeller } from './support/seller.ts';
import { useAgentStage } from './support/stage.ts';
import { openToolServer, TOOL } from './support/toolServer.ts';

const stage = useAgentStage();

describe('without a wallet', () => {
  test('what costs money is svc_mcp_wallet_not_configured, with the price', async () => {
    const seller = await openSeller(stage);
    const server = await openToolServer(stage);
    const agent = await stage.searcher();
    for (const args of [{ url: seller.url }, { url: server.url, toolName: TOOL }]) {
      expect((await agent.pay(args)).structured).toEqual({
        errorCode: 'svc_mcp_wallet_not_configured',
        reason: expect.stringContaining('100000 base units'),
      });
    }
    expect(seller.paid()).toEqual([]);
  });

  test('what is too dear is told as that', async () => {
    const seller = await openSeller(stage);
    const agent = await stage.searcher({ SVC_MCP_MAX_AMOUNT: '1' });
    expect((await agent.pay({ url: seller.url })).structured).toMatchObject({
      errorCode: 'svc_mcp_payment_declined_by_policy',
      reason: expect.stringContaining('above the cap'),
    });
  });
});

describe('what the network would refuse is not signed', () => {
  test('as a wallet without money', async () => {
    const seller = await openSeller(stage);
    const buyer = await stage.buyer({}, { usdc: 5n });
    const { structured } = await buyer.pay({ url: seller.url });
    expect(structured).toEqual({
      errorCode: 'svc_mcp_payment_not_settled',
      reason: expect.stringMatching(/nothing was paid.*too little of the asset/),
    });
    expect(seller.paid()).toEqual([]);
    expect(buyer.log).toEqual([]);
  });

  test('as a recipient who cannot hold the asset', async () => {
    const seller = await openSeller(stage, undefined, { payTo: stage.sandbox.submitter().publicKey() });
    const { structured } = await (await stage.buyer()).pay({ url: seller.url });
    expect(structured).toEqual({
      errorCode: 'svc_mcp_payment_not_settled',
      reason: expect.stringContaining('recipient'),
    });
    expect(seller.paid()).toEqual([]);
  });

  test('as a token that does not exist', async () => {
    const asset = 'CAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD2KM';
    const seller = await openSeller(stage, undefined, { asset });
    const buyer = await stage.buyer({ SVC_MCP_ALLOWED_ASSETS: asset });
    const { structured } = await buyer.pay({ url: seller.url });
    expect(structured).toMatchObject({ errorCode: 'svc_mcp_payment_not_settled' });
    expect(seller.paid()).toEqual([]);
  });
});
