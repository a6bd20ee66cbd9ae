import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { TargetFetch } from '../../src/agent/http/fetch.ts';
import { createHttpTarget } from '../../src/agent/target/httpTarget.ts';
import { openSeller, whenPaid, type Visit } from './support/seller.ts';
import { useAgentStage } from './support/stage.ts';

const stage = useAgentStage();
const free = (visit: Visit) => visit.deliver({ got: visit.body.toString() });

describe('the result', () => {
  async function resultOf(bytes: Buffer | string, contentType: string, headers: Record<string, string> = {}) {
    const seller = await openSeller(stage, ({ response }) => {
      if (contentType !== '') response.setHeader('content-type', contentType);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      response.end(bytes);
    });
    return (await stage.searcher()).pay({ url: seller.url });
  }

  test.each([
    ['application/json', '{"a":1}', { a: 1 }],
    ['application/problem+json', '[1]', [1]],
    ['application/json', '{"a":', '{"a":'],
    ['application/json', `"${'\\"'.repeat(100_000)}`, `"${'\\"'.repeat(100_000)}`],
    ['application/json', '[['.repeat(50_000), '[['.repeat(50_000)],
    ['text/html; charset=utf-8', '<h1>hi</h1>', '<h1>hi</h1>'],
    ['text/plain', '', null],
    ['', 'a plain text', 'a plain text'],
    ['application/octet-stream', '{"a":1}', '{"a":1}'],
  ])('of type %j is given as it is', async (contentType, body, expected) => {
    const { structured } = await resultOf(body, contentType);
    expect(structured).toMatchObject({ result: expected, truncated: false });
  });

  test.each(['12345678901234567891', '{"id":[1e999]}', '[-9007199254740993]'])(
    'with numbers that JSON in programs cannot hold is given as text: %s',
    async (body) => {
      expect((await resultOf(body, 'application/json')).structured.result).toBe(body);
    },
  );

  test('is such as every host can read, whatever the seller cut in half', async () => {
    const answer = await resultOf('{"text":"caf\\ud800","\\udc00":["\\ud83d"]}', 'application/json');
    expect(answer.structured.result).toEqual({ text: 'caf\ufffd', '\ufffd': ['\ufffd'] });
    expect(JSON.stringify(answer)).not.toMatch(/\\ud[89a-f]/i);
  });

  test('of a target that takes no GET says what is missing where that is an MCP server', async () => {
    const seller = await openSeller(stage, ({ response }) => void response.writeHead(405).end());
    expect((await (await stage.searcher()).pay({ url: seller.url })).structured).toEqual({
      errorCode: 'svc_mcp_resource_error',
      reason:
        'Nothing was paid. The target answered 405. If it is an MCP server, name the tool to call as toolName.',
    });
  });

  test('is given unpacked', async () => {
    const { structured } = await resultOf(gzipSync('{"a":1}'), 'application/json', {
      'content-encoding': 'gzip',
    });
    expect(structured.result).toEqual({ a: 1 });
  });

  test.each([
    ['image/png', 'image'],
    ['audio/mpeg', 'audio'],
    ['application/pdf', 'resource'],
    ['', 'resource'],
  ])('of type %j is handed over as a block of its own, and described', async (contentType, type) => {
    const bytes = Buffer.from([0, 1, 2, 255]);
    const { structured, blocks } = await resultOf(bytes, contentType);
    const mimeType = contentType || 'application/octet-stream';
    expect(structured.result).toMatchObject({ binary: true, bytes: 4, mimeType, handedOver: true });
    const [block] = blocks as [any];
    expect(block.type).toBe(type);
    expect(block.data ?? block.resource.blob).toBe(bytes.toString('base64'));
  });

  test('that is binary and large is described only', async () => {
    const { structured, blocks } = await resultOf(Buffer.alloc(2 * 1024 * 1024), 'application/zip');
    expect(structured.result).toMatchObject({ binary: true, handedOver: false, bytes: 2 * 1024 * 1024 });
    expect(blocks).toEqual([]);
  });

  test('has a media type on one line, and no longer than one is', async () => {
    const { structured } = await resultOf('x', `text/plain; a="${'IGNORE '.repeat(1_000)}"`);
    expect(structured.contentType).toMatch(/^text\/plain; a="IGNORE .*…$/);
    expect(structured.contentType.length).toBeLessThanOrEqual(128);
  });

  test('that is long is cut, and says so', async () => {
    const { structured } = await resultOf('x'.repeat(600_000), 'text/plain');
    expect(structured.truncated).toBe(true);
    expect(structured.result).toHaveLength(256 * 1024);
  });
});

describe('redirects', () => {
  const to =
    (location: string, status = 302) =>
    ({ response }: Visit) =>
      void response.writeHead(status, { location }).end();

  test('within the origin are followed before anything is paid, and the payment goes where they lead', async () => {
    const seller = await openSeller(stage, async (visit) => {
      if (visit.path === '/weather') return to('/v2/weather?x=1')(visit);
      if (visit.payment === undefined) return visit.askToPay();
      visit.deliver({}, await visit.settle());
    });
    const buyer = await stage.buyer();
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({ paid: true });
    expect(seller.visits.map(({ path, payment }) => [path, payment !== undefined])).toEqual([
      ['/weather', false],
      ['/v2/weather?x=1', false],
      ['/v2/weather?x=1', true],
    ]);
  });

  test.each([
    ['to another origin on this machine', 302],
    ['to another origin on this machine', 308],
  ])('%s (%i) are neither followed nor named', async (_name, status) => {
    const other = await openSeller(stage, free);
    const seller = await openSeller(stage, to(`${other.origin}/secret`, status));
    const { structured } = await (await stage.buyer()).pay({ url: seller.url });
    expect(structured).toMatchObject({
      errorCode: 'svc_mcp_resource_error',
      reason: expect.stringContaining('not a public address'),
    });
    expect(structured.reason).not.toContain(other.origin);
    expect(other.visits).toEqual([]);
  });

  test('to a public address elsewhere are named, and not followed', async () => {
    const seller = await openSeller(stage, to('https://8.8.8.8/weather'));
    const { structured } = await (await stage.buyer()).pay({ url: seller.url });
    expect(structured).toMatchObject({
      errorCode: 'svc_mcp_resource_error',
      reason: expect.stringMatching(
        /^Nothing was paid\. .* not followed.* “https:\/\/8\.8\.8\.8\/weather”\.$/,
      ),
    });
  });

  test('to https are followed where its port is allowed too', async () => {
    const follow = async (mayCall: (url: URL) => boolean): Promise<string[]> => {
      const asked: string[] = [];
      const fetch: TargetFetch = async ({ href, protocol }) => {
        asked.push(href);
        const headers = { location: 'https://api.example/' };
        return new Response(null, protocol === 'http:' ? { status: 307, headers } : { status: 200 });
      };
      const request = {
        url: new URL('http://api.example/'),
        method: 'GET',
        headers: {},
        body: undefined,
      } as const;
      await createHttpTarget({ fetch, reach: 'any', mayCall, limits: stage.limits }, request).ask(1_000);
      return asked;
    };
    expect(await follow(() => true)).toEqual(['http://api.example/', 'https://api.example/']);
    expect(await follow(({ protocol }) => protocol === 'http:')).toEqual(['http://api.example/']);
  });

  test.each([
    ['data:text/plain,x'],
    ['file:///etc/passwd'],
    ['http://169.254.169.254/latest'],
    ['//127.0.0.2/x'],
    ['http://u:p@127.0.0.1/'],
  ])('to %s are not followed', async (location) => {
    const seller = await openSeller(stage, to(location));
    const { structured } = await (await stage.buyer()).pay({ url: seller.url });
    expect(structured).toMatchObject({ errorCode: 'svc_mcp_resource_error' });
    expect(seller.visits).toHaveLength(1);
  });

  test('without end are followed a few times', async () => {
    const seller = await openSeller(stage, to('/again'));
    expect((await (await stage.buyer()).pay({ url: seller.url })).structured).toMatchObject({
      errorCode: 'svc_mcp_resource_error',
    });
    expect(seller.visits).toHaveLength(4);
  });

  test('of a request with a payment are not followed, not even within the origin', async () => {
    const other = await openSeller(stage, free);
    const seller = await openSeller(stage, whenPaid(to(`${other.origin}/take`, 307)));
    const buyer = await stage.buyer();
    const { structured } = await buyer.pay({ url: seller.url });
    expect(structured).toMatchObject({
      errorCode: 'svc_mcp_payment_not_settled',
      status: 307,
      payment: { status: 'notSettled' },
    });
    expect(other.visits).toEqual([]);
    expect(seller.visits).toHaveLength(2);
    expect(buyer.spent()).toBe(0n);
  });
});

describe('nothing is paid, and svc_mcp_resource_unreachable says why', () => {
  test('where nothing listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const { structured } = await (await stage.buyer()).pay({ url: `http://127.0.0.1:${port}/` });
    expect(structured).toEqual({
      errorCode: 'svc_mcp_resource_unreachable',
      reason: `Nothing was paid. http://127.0.0.1:${port} does not answer: the connection is refused.`,
    });
  });

  test('where the connection is cut, or the headers are huge', async () => {
    const cut = await openSeller(stage, ({ response }) => void response.destroy());
    const huge = await openSeller(
      stage,
      ({ response }) => void response.writeHead(402, { 'payment-required': 'A'.repeat(200_000) }).end(),
    );
    for (const { url } of [cut, huge])
      expect((await (await stage.buyer()).pay({ url })).structured).toMatchObject({
        errorCode: 'svc_mcp_resource_unreachable',
      });
  });

  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://[fe80::1]/',
    'http://0.0.0.0/',
    'http://[::ffff:169.254.1.1]/',
  ])('where the address is none for a seller: %s', async (url) => {
    const { structured } = await (await stage.buyer()).pay({ url });
    expect(structured).toMatchObject({
      errorCode: 'svc_mcp_resource_unreachable',
      reason: expect.stringContaining('not one for a seller'),
    });
  });
});
