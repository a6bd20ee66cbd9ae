import { describe, expect, test } from 'vitest';
import { AMOUNT } from '../support/payments.ts';
import { openHttpServer } from './support/httpServer.ts';
import { openHttpTools, post, spawnHttpTools, WAYS } from './support/httpTools.ts';
import { FORECAST, openSeller, openSlowSeller, sellHonestly } from './support/seller.ts';
import {
  askSessionless,
  connectSessionless,
  payRaw,
  requestOf,
  REVISION,
  spawnSessionless,
} from './support/sessionless.ts';
import { newWallet, useAgentStage } from './support/stage.ts';
import { gate } from './support/waiting.ts';

const stage = useAgentStage();

const spentBy = (address: string): bigint => 10_000_000n - stage.sandbox.usdc(address);

async function openPayingTools(environment: Record<string, string> = {}, limits: object = {}) {
  const wallet = newWallet(stage);
  const tools = await openHttpTools(
    { ...wallet.environment, ...environment },
    { limits: { ...stage.limits, ...limits } },
  );
  return { ...tools, spent: () => spentBy(wallet.key.publicKey()) };
}

describe('hosts of the revision 2026-07-28 and of earlier ones', () => {
  test('find, call and pay at one URL', async () => {
    const { environment, key } = newWallet(stage);
    const { url, host, output } = await spawnHttpTools(environment);
    const seller = await openSeller(stage);
    await stage.list(
      { url: seller.url, description: 'bothweather' },
      { info: { input: { type: 'http', method: 'GET' } }, schema: { type: 'object' } },
    );
    const older = await host();
    const newer = await connectSessionless(url);
    expect(newer.client.getNegotiatedProtocolVersion()).toBe(REVISION);
    expect(newer.client.getInstructions()).toBe(older.client.getInstructions());
    const named = async (client: { listTools(): Promise<{ tools: object[] }> }) =>
      (await client.listTools()).tools;
    expect(await named(newer.client)).toEqual(await named(older.client));
    for (const { search, pay } of [older, newer]) {
      const { structured: found } = await search('bothweather');
      const { structured } = await pay({ resourceId: found.resources[0].id });
      expect(structured).toMatchObject({ paid: true, result: FORECAST });
    }
    expect(spentBy(key.publicKey())).toBe(2n * AMOUNT);
    expect(output.stderr).not.toContain(key.secret());
  });

  test.each(['auto', 'legacy'] as const)('find, call and pay on stdio: %s', async (mode) => {
    const { environment, key } = newWallet(stage);
    const seller = await openSeller(stage);
    const { client, search, pay } = await spawnSessionless(environment, { mode });
    expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy');
    expect(client.getInstructions()).toContain('search_resources');
    expect((await search('weather')).isError).toBe(false);
    expect((await pay({ url: seller.url })).structured).toMatchObject({ paid: true, result: FORECAST });
    expect(await pay({})).toMatchObject({
      isError: true,
      structured: { errorCode: 'svc_mcp_invalid_arguments' },
    });
    expect(spentBy(key.publicKey())).toBe(AMOUNT);
  });
});

describe('requests without a session', () => {
  test('share one budget, however many they are and whoever sends them', async () => {
    const { url, host, spent } = await openPayingTools({ SVC_MCP_SESSION_BUDGET: String(3n * AMOUNT) });
    const seller = await openSeller(stage);
    const hosts = await Promise.all([connectSessionless(url), connectSessionless(url)]);
    const urlOf = (n: number): string => `${seller.url}?n=${n}`;
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, (_, n) => payRaw(url, { url: urlOf(n) })),
      ...hosts.map(({ pay }, n) => pay({ url: urlOf(10 + n) })),
    ]);
    const told = answers.map((one) => one.structuredContent ?? one.structured);
    expect(told.filter(({ paid }) => paid === true)).toHaveLength(3);
    for (const one of told.filter(({ paid }) => paid !== true))
      expect(one.errorCode).toBe('svc_mcp_payment_declined_by_policy');
    expect((await connectSessionless(url)).client.getProtocolEra()).toBe('modern');
    expect((await payRaw(url, { url: urlOf(20) })).structuredContent.errorCode).toBe(
      'svc_mcp_payment_declined_by_policy',
    );
    expect(spent()).toBe(3n * AMOUNT);
    // A session has a budget of its own still.
    expect((await (await host()).pay({ url: urlOf(30) })).structured).toMatchObject({ paid: true });
  });

  test.each<[string, object]>([
    ['show higher prices', { amount: '10000000' }],
    ['show many others', {}],
  ])('have the lowest prices of all searches, also after others that %s', async (_name, later) => {
    const listing = (url: string, changes: object) => ({
      ...{ type: 'http', resource: url, accepts: [stage.terms(changes)] },
      extensions: { bazaar: { info: { input: { type: 'http', method: 'GET' } } } },
    });
    const seller = await openSeller(stage);
    const others = Array.from({ length: 3 }, (_, n) => listing(`https://other${n}.example/`, {}));
    const FACILITATOR_URL = await openHttpServer(({ url: asked }, response) => {
      const isFirst = asked!.includes('first');
      const resources = isFirst ? [listing(seller.url, { amount: '1' })] : [...others];
      if (!isFirst && 'amount' in later) resources.push(listing(seller.url, later));
      response.end(JSON.stringify({ resources, pagination: { cursor: null } }));
    });
    const { url, spent } = await openPayingTools({ FACILITATOR_URL }, { maxKnownListings: 1 });
    for (const query of ['first', 'second']) await (await connectSessionless(url)).search(query);
    expect((await payRaw(url, { url: seller.url })).structuredContent).toEqual({
      errorCode: 'svc_mcp_payment_declined_by_policy',
      reason: expect.stringContaining('the listed price of 1;'),
    });
    expect(spent()).toBe(0n);
  });

  test('leave places to a session, however many they are', async () => {
    const { opened, open } = gate();
    const seller = await openSeller(stage, async (visit) => {
      await opened;
      visit.deliver();
    });
    const limits = { maxCallsAtOnce: 2, maxCallsOfSession: 1, maxCallsWaiting: 2 };
    const { url, host } = await openPayingTools({}, limits);
    const many = [1, 2, 3, 4].map((n) => payRaw(url, { url: `${seller.url}?n=${n}` }));
    await expect.poll(() => seller.visits.length).toBe(1);
    const one = (await host()).pay({ url: `${seller.url}?session` });
    await expect.poll(() => seller.visits.map(({ path }) => path)).toContain('/weather?session');
    open();
    expect((await one).isError).toBe(false);
    const codes = (await Promise.all(many)).map(({ structuredContent: { errorCode } }) => errorCode);
    expect(codes.filter((code) => code === 'svc_mcp_busy')).toHaveLength(1);
  });

  test('are told that their call is under way', async () => {
    const { seller, open } = await openSlowSeller(stage);
    const { url } = await openPayingTools({}, { progressEveryMs: 20 });
    const { pay } = await connectSessionless(url);
    const told: number[] = [];
    const { structured } = await pay(
      { url: seller.url },
      {
        onprogress({ progress }) {
          told.push(progress);
          if (progress === 3) open();
        },
      },
    );
    expect(structured).toMatchObject({ paid: true });
    expect(told.slice(0, 3)).toEqual([1, 2, 3]);
  });

  test('get what is binary as blocks', async () => {
    const png = Buffer.from('89504e470d0a1a0a', 'hex');
    const seller = await openSeller(
      stage,
      ({ response }) => void response.setHeader('content-type', 'image/png').end(png),
    );
    const { pay } = await connectSessionless((await openPayingTools()).url);
    expect((await pay({ url: seller.url })).blocks).toEqual([
      { type: 'image', mimeType: 'image/png', data: png.toString('base64') },
    ]);
  });

  test('without a wallet can search, and nothing else', async () => {
    const { url } = await openHttpTools(stage.environment());
    const { client, search } = await connectSessionless(url);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['search_resources']);
    expect((await search('weather')).isError).toBe(false);
    expect((await payRaw(url, { url: 'http://127.0.0.1:1/' })).structuredContent.errorCode).toBe(
      'svc_mcp_invalid_arguments',
    );
  });
});

describe('a call without a session whose host hangs up', () => {
  const earlier = { paid: true, fromEarlierCall: true, result: FORECAST };

  test('signs nothing if it had not signed yet', async () => {
    const { opened, open } = gate();
    const seller = await openSeller(stage, async (visit) => {
      await opened;
      await sellHonestly(visit);
    });
    const { url, log } = await openPayingTools();
    const hanging = await connectSessionless(url);
    void hanging.pay({ url: seller.url }).catch(() => {});
    await expect.poll(() => seller.visits.length).toBe(1);
    hanging.hangUp();
    // The server sees it before it answers another request.
    await hanging.client.listTools();
    open();
    expect((await hanging.pay({ url: `${seller.url}?n=2` })).structured).toMatchObject({ paid: true });
    expect(seller.paid()).toHaveLength(1);
    expect(log.filter(({ msg }) => msg === 'payment signed')).toHaveLength(1);
  });

  test('is followed once it has signed: the same call made again tells the rest, and pays nothing more', async () => {
    const { seller, open } = await openSlowSeller(stage);
    const { url, spent } = await openPayingTools();
    const hanging = await connectSessionless(url);
    void hanging.pay({ url: seller.url }).catch(() => {});
    await expect.poll(() => seller.paid().length).toBe(1);
    hanging.hangUp();
    await hanging.client.listTools();
    open();
    expect((await hanging.pay({ url: seller.url })).structured).toMatchObject(earlier);
    expect(spent()).toBe(AMOUNT);
    // It is told now: the next call is another.
    expect((await hanging.pay({ url: seller.url })).structured).not.toHaveProperty('fromEarlierCall');
    expect(spent()).toBe(2n * AMOUNT);
  });

  const unread =
    'is told again if its connection was reset, so that its result was never read: HTTP/%s, %s, %s';
  test.each(WAYS.flatMap((way) => [[...way, 'JSON'] as const, [...way, 'stream'] as const]))(
    unread,
    async (version, connection, form) => {
      const seller = await openSeller(stage);
      const { url, spent } = await openPayingTools({}, form === 'stream' ? { progressEveryMs: 1 } : {});
      const { headers, body } = requestOf('tools/call', {
        name: 'paid_call',
        arguments: { url: seller.url },
      });
      if (form === 'stream') Object.assign(body.params._meta, { progressToken: 1 });
      const socket = await post(url, headers, body, [version, connection]);
      let received = '';
      socket.on('data', (data: Buffer) => (received += data.toString()));
      await expect.poll(() => received).toContain('"paid":true');
      expect(received.includes('event-stream')).toBe(form === 'stream');
      socket.resetAndDestroy();
      await askSessionless(url, 'tools/list');
      expect((await payRaw(url, { url: seller.url })).structuredContent).toMatchObject(earlier);
      expect(spent()).toBe(AMOUNT);
    },
  );

  test('is told if it reads the result and then closes, although the server has ended the connection first', async () => {
    const seller = await openSeller(stage);
    const { url, spent } = await openPayingTools();
    const call = { name: 'paid_call', arguments: { url: seller.url }, headers: { connection: 'close' } };
    for (const paid of [AMOUNT, 2n * AMOUNT]) {
      const { json } = await askSessionless(url, 'tools/call', call);
      expect(json.result.structuredContent).toMatchObject({ paid: true });
      expect(json.result.structuredContent).not.toHaveProperty('fromEarlierCall');
      expect(spent()).toBe(paid);
    }
  });

  test('is one payment beside others at the same time', async () => {
    const seller = await openSeller(stage);
    const { url, spent } = await openPayingTools();
    const same = await Promise.all([1, 2, 3].map((id) => payRaw(url, { url: seller.url }, { id })));
    expect(same.filter(({ structuredContent: { paid } }) => paid === true)).toHaveLength(3);
    expect(spent()).toBe(3n * AMOUNT);
  });
});

test('on SIGTERM a payment under way is finished and told, and the process ends with 0', async () => {
  const { seller, open } = await openSlowSeller(stage);
  const { key, environment } = newWallet(stage);
  const { child, exit, url, output } = await spawnHttpTools(environment);
  const paying = payRaw(url, { url: seller.url });
  await expect.poll(() => seller.paid().length).toBe(1);
  child.kill('SIGTERM');
  await expect.poll(() => output.stderr).toContain('"stopping"');
  open();
  expect((await paying).structuredContent).toMatchObject({ paid: true, result: FORECAST });
  expect(await exit).toBe(0);
  expect(spentBy(key.publicKey())).toBe(AMOUNT);
});
