import { describe, expect, test } from 'vitest';
import { openSeller, type Seller } from './support/seller.ts';
import { useAgentStage } from './support/stage.ts';
import { ask, begin, INITIALIZE, openHttpTools } from './support/httpTools.ts';
import { gate } from './support/waiting.ts';

const stage = useAgentStage();

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const visited = ({ visits }: Seller): string[] => visits.map(({ path }) => path.split('=')[1]!);

function wallet() {
  return { ...stage.environment(), CLIENT_STELLAR_PRIVATE_KEY: stage.sandbox.account().secret() };
}

describe('sessions over HTTP', () => {
  test('are limited, and one too many is told when to try again', async () => {
    const { url } = await openHttpTools({}, { streamable: { maxSessions: 2 } });
    const first = await begin(url);
    const second = await begin(url);
    const flood = await Promise.all(Array.from({ length: 20 }, () => ask(url, { body: INITIALIZE })));
    expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([503]));
    expect(flood[0]!.headers['retry-after']).toBe('30');
    for (const headers of [first, second]) expect((await ask(url, { headers, body: list })).status).toBe(200);
  });

  test('that are opened at once do not exceed the limit either', async () => {
    const { url } = await openHttpTools({}, { streamable: { maxSessions: 3 } });
    const flood = await Promise.all(Array.from({ length: 20 }, () => ask(url, { body: INITIALIZE })));
    expect(flood.filter(({ status }) => status === 200)).toHaveLength(3);
  });

  test('end by DELETE, and leave their place', async () => {
    const { url } = await openHttpTools({}, { streamable: { maxSessions: 1 } });
    const headers = await begin(url);
    expect((await ask(url, { method: 'DELETE', headers })).status).toBe(200);
    expect((await ask(url, { headers, body: list })).status).toBe(404);
    await begin(url);
  });

  test('end when they were idle for long, unless a stream is open', async () => {
    const { url, host } = await openHttpTools({}, { streamable: { idleMs: 100, sweepMs: 20 } });
    const connected = await host();
    const headers = await begin(url);
    // Each look begins its idle time anew, so there is a pause in between.
    const look = async () => (await ask(url, { headers, body: list })).status;
    await expect.poll(look, { interval: 500 }).toBe(404);
    expect((await connected.client.listTools()).tools).toHaveLength(1);
  });

  test('make room only if they were idle, hold no stream and have paid nothing', async () => {
    const seller = await openSeller(stage);
    const { url, host } = await openHttpTools(wallet(), {
      streamable: { maxSessions: 3, replaceableAfterMs: 0 },
    });
    const connected = await host();
    const paying = await begin(url);
    const call = { name: 'paid_call', arguments: { url: seller.url } };
    await ask(url, { headers: paying, body: { ...list, method: 'tools/call', params: call } });
    const unused = await begin(url);
    const newest = await begin(url);
    expect((await ask(url, { headers: unused, body: list })).status).toBe(404);
    for (const headers of [paying, newest])
      expect((await ask(url, { headers, body: list })).status).toBe(200);
    expect((await connected.client.listTools()).tools).toHaveLength(2);
  });

  test('without a wallet can search, and nothing else, whoever asks', async () => {
    const { host } = await openHttpTools({ ...stage.environment(), SVC_MCP_HTTP_HOST: '0.0.0.0' });
    const { client, search, call } = await host();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['search_resources']);
    expect(client.getInstructions()).not.toContain('paid_call');
    expect((await search('weather')).isError).toBe(false);
    expect(await call('paid_call', { url: 'http://127.0.0.1:1/' })).toMatchObject({
      isError: true,
      structured: { errorCode: 'svc_mcp_invalid_arguments' },
    });
  });

  test('may not use an id for two requests at once', async () => {
    const { opened, open } = gate();
    const seller = await openSeller(stage, async (visit) => {
      await opened;
      visit.deliver();
    });
    const { url } = await openHttpTools(wallet());
    const headers = await begin(url);
    const params = { name: 'paid_call', arguments: { url: seller.url } };
    const first = ask(url, { headers, body: { ...list, method: 'tools/call', params } });
    await expect.poll(() => seller.visits.length).toBe(1);
    expect((await ask(url, { headers, body: list })).status).toBe(400);
    open();
    expect((await first).text).toContain('"paid":false');
    expect((await ask(url, { headers, body: list })).status).toBe(200);
  });
});

describe('calls of several sessions', () => {
  const limits = { maxCallsAtOnce: 2, maxCallsOfSession: 1, maxCallsWaiting: 4 };

  /** Two hosts, and a seller that answers once it is let. */
  async function twoHosts(changes: Partial<typeof limits> = {}) {
    const { opened, open } = gate();
    const seller = await openSeller(stage, async (visit) => {
      await opened;
      visit.deliver();
    });
    const tools = await openHttpTools(wallet(), { limits: { ...limits, ...changes } });
    const call = async (name: string) => {
      const { pay } = await tools.host();
      return (n: number) => pay({ url: seller.url, input: { call: `${name}${n}` } });
    };
    return { seller, open, greedy: await call('greedy'), modest: await call('modest') };
  }

  test('run although one session calls more than may run', async () => {
    const { seller, open, greedy, modest } = await twoHosts();
    const many = [1, 2, 3, 4].map((n) => greedy(n));
    await expect.poll(() => visited(seller)).toEqual(['greedy1']);
    const one = modest(1);
    await expect.poll(() => visited(seller)).toEqual(['greedy1', 'modest1']);
    open();
    for (const { isError } of await Promise.all([...many, one])) expect(isError).toBe(false);
  });

  test('take turns', async () => {
    const { seller, open, greedy, modest } = await twoHosts({ maxCallsAtOnce: 1 });
    const many = [1, 2, 3].map((n) => greedy(n));
    await expect.poll(() => visited(seller)).toEqual(['greedy1']);
    const one = modest(1);
    open();
    for (const { isError } of await Promise.all([...many, one])) expect(isError).toBe(false);
    expect(visited(seller)).toHaveLength(4);
  });

  test('find room in a line that another session has filled: its newest call has to go', async () => {
    const { seller, open, greedy, modest } = await twoHosts({ maxCallsAtOnce: 1, maxCallsWaiting: 2 });
    const first = greedy(1);
    await expect.poll(() => visited(seller)).toEqual(['greedy1']);
    const waiting = [greedy(2), greedy(3)];
    const refused = greedy(4);
    expect((await refused).structured).toMatchObject({ errorCode: 'svc_mcp_busy' });
    const one = modest(1);
    expect((await waiting[1]!).structured).toMatchObject({ errorCode: 'svc_mcp_busy' });
    open();
    for (const { isError } of await Promise.all([first, waiting[0]!, one])) expect(isError).toBe(false);
    expect(visited(seller).toSorted()).toEqual(['greedy1', 'greedy2', 'modest1']);
  });
});
