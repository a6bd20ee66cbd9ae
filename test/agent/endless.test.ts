import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { AMOUNT } from '../support/payments.ts';
import { openHttpServer } from './support/httpServer.ts';
import { openSeller, whenPaid, type Visit } from './support/seller.ts';
import { useAgentStage } from './support/stage.ts';
import { openToolServer, TOOL, whenToolPaid } from './support/toolServer.ts';

const stage = useAgentStage();

describe('an answer without end', () => {
  const drip = ({ response }: Visit): void => {
    response.write('drip');
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  };

  test('that drips is cut by the time, where nothing is paid', async () => {
    Object.assign(stage.limits, { probeTimeoutMs: 1_000 });
    const seller = await openSeller(stage, drip);
    const { structured } = await (await stage.searcher()).pay({ url: seller.url });
    expect(structured).toMatchObject({
      paid: false,
      truncated: true,
      result: expect.stringMatching(/^drip\.+$/),
    });
  });

  test('that drips is cut by the time, where it was paid', async () => {
    Object.assign(stage.limits, { paidTimeoutMs: 4_000 });
    const seller = await openSeller(
      stage,
      whenPaid(async (visit) => {
        const receipt = await visit.settle();
        visit.response.setHeader('PAYMENT-RESPONSE', Buffer.from(JSON.stringify(receipt)).toString('base64'));
        drip(visit);
      }),
    );
    const buyer = await stage.buyer();
    const { isError, structured } = await buyer.pay({ url: seller.url });
    expect(isError).toBe(false);
    expect(structured).toMatchObject({ paid: true, truncated: true, payment: { status: 'settled' } });
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('that never begins is svc_mcp_resource_unreachable', async () => {
    Object.assign(stage.limits, { probeTimeoutMs: 300 });
    const seller = await openSeller(stage, () => {});
    const { structured } = await (await stage.searcher()).pay({ url: seller.url });
    expect(structured).toEqual({
      errorCode: 'svc_mcp_resource_unreachable',
      reason: expect.stringContaining('no complete answer in time'),
    });
  });

  test('of 100 MB is cut by its size', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    let sent = 0;
    const seller = await openSeller(stage, ({ response }) => {
      const more = (): void => {
        while (sent < 100 && !response.destroyed) {
          sent += 1;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    const { structured } = await (await stage.searcher()).pay({ url: seller.url });
    expect(structured).toMatchObject({ paid: false, truncated: true });
    expect(structured.result).toHaveLength(256 * 1024);
    expect(sent).toBeLessThan(50);
  });

  test('of an MCP server is cut by its size', async () => {
    const server = await openToolServer(stage, (visit) =>
      visit.deliver('x'.repeat(stage.limits.maxSessionBytes)),
    );
    const { structured } = await (await stage.searcher()).pay({ url: server.url, toolName: TOOL });
    expect(structured).toEqual({
      errorCode: 'svc_mcp_resource_unreachable',
      reason: expect.stringContaining('sent more than'),
    });
  });

  test('of an MCP server that asks more and more is cut by the number of requests', async () => {
    let posts = 0;
    const url = await openHttpServer(async (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method } = JSON.parse(await text(request)) as { id?: number; method?: string };
      const answer = (result: object) =>
        void response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      if (method === 'initialize')
        return answer({
          protocolVersion: '2025-06-18',
          capabilities: {},
          serverInfo: { name: 'x', version: '1' },
        });
      if (method === 'tools/call') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        return void response.write('data: {"jsonrpc":"2.0","id":1,"method":"ping"}\n\n'.repeat(2_000));
      }
      posts += 1;
      if (method === 'notifications/initialized') response.writeHead(202).end();
    });
    const { structured } = await (await stage.searcher()).pay({ url, toolName: TOOL });
    expect(structured).toEqual({
      errorCode: 'svc_mcp_resource_unreachable',
      reason: expect.stringContaining('more than 16 requests'),
    });
    expect(posts).toBeLessThan(16);
  });

  test('of an MCP server that was paid: the ledger says what became of the payment', async () => {
    Object.assign(stage.limits, { paidTimeoutMs: 3_000 });
    const server = await openToolServer(
      stage,
      whenToolPaid(async (visit) => {
        await visit.settle();
        return new Promise(() => {});
      }),
    );
    const buyer = await stage.buyer();
    const { structured } = await buyer.pay({ url: server.url, toolName: TOOL });
    expect(structured).toMatchObject({
      errorCode: 'svc_mcp_payment_not_settled',
      payment: { status: 'settled' },
    });
    expect(buyer.spent()).toBe(AMOUNT);
  });
});
