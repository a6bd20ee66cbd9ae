import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AMOUNT } from '../support/payments.ts';
import { ask, begin, openHttpTools, post, spawnHttpTools, WAYS, type HttpHost } from './support/httpTools.ts';
import { FORECAST, openSeller, openSlowSeller, sellHonestly } from './support/seller.ts';
import { newWallet, paidBy, useAgentStage } from './support/stage.ts';
import { gate, withShortCalls } from './support/waiting.ts';

const stage = useAgentStage();

const spentBy = (address: string): bigint => 10_000_000n - stage.sandbox.usdc(address);

/** The tools over HTTP with a wallet of their own. */
async function openPayingTools(environment: Record<string, string> = {}) {
  const wallet = newWallet(stage);
  const tools = await openHttpTools({ ...wallet.environment, ...environment }, { limits: stage.limits });
  return { ...tools, spent: () => spentBy(wallet.key.publicKey()) };
}

/** Hangs up a call once its payment was sent. */
async function hangUpOncePaid(host: HttpHost, { seller }: Awaited<ReturnType<typeof openSlowSeller>>) {
  const before = seller.paid().length;
  void host.pay({ url: seller.url }).catch(() => {});
  await expect.poll(() => seller.paid().length).toBe(before + 1);
  host.hangUp();
}

test("the SDK's own client finds, calls and pays over HTTP, and the person of each session is asked for its own calls", async () => {
  const { key, environment } = newWallet(stage);
  const { host, output } = await spawnHttpTools({ ...environment, SVC_MCP_APPROVE_ABOVE: '0' });
  const seller = await openSeller(stage);
  await stage.list(
    { url: seller.url, description: 'httpweather' },
    { info: { input: { type: 'http', method: 'GET' } }, schema: { type: 'object' } },
  );
  const asked: string[] = [];
  const approving = await host({
    person: () => {
      asked.push('one');
      return { action: 'accept', content: { approve: true } };
    },
  });
  const declining = await host({
    person: () => {
      asked.push('other');
      return { action: 'decline' };
    },
  });
  const { structured: found } = await approving.search('httpweather');
  const resourceId = found.resources[0].id;
  expect((await approving.pay({ resourceId })).structured).toMatchObject({ paid: true, result: FORECAST });
  expect(asked).toEqual(['one']);
  expect((await declining.pay({ resourceId })).structured.errorCode).toBe('svc_mcp_payment_not_approved');
  expect(asked).toEqual(['one', 'other']);
  expect(spentBy(key.publicKey())).toBe(AMOUNT);
  expect(output.stderr).not.toContain(key.secret());
});

describe('the budgets', () => {
  const declined = { errorCode: 'svc_mcp_payment_declined_by_policy' };

  test('of two sessions are separate', async () => {
    const { host, spent } = await openPayingTools({ SVC_MCP_SESSION_BUDGET: String(AMOUNT) });
    const { url } = await openSeller(stage);
    for (const { pay } of [await host(), await host()]) {
      expect((await pay({ url })).structured).toMatchObject({ paid: true });
      expect((await pay({ url })).structured).toMatchObject(declined);
    }
    expect(spent()).toBe(2n * AMOUNT);
  });

  test('of a day are shared', async () => {
    const { host, spent } = await openPayingTools({
      SVC_MCP_BUDGET_FILE: join(mkdtempSync(join(tmpdir(), 'budget-')), 'budget.db'),
      SVC_MCP_DAILY_ASSET_BUDGET: String(AMOUNT),
    });
    const { url } = await openSeller(stage);
    const [one, other] = [await host(), await host()];
    expect((await one.pay({ url })).structured).toMatchObject({ paid: true });
    expect((await other.pay({ url })).structured).toMatchObject(declined);
    expect(spent()).toBe(AMOUNT);
  });
});

describe('a call whose host hangs up', () => {
  const earlier = { paid: true, fromEarlierCall: true, result: FORECAST };

  test('signs nothing if it had not signed yet', async () => {
    const { opened, open } = gate();
    const seller = await openSeller(stage, async (visit) => {
      await opened;
      await sellHonestly(visit);
    });
    const { host, log } = await openPayingTools();
    const hanging = await host();
    void hanging.pay({ url: seller.url }).catch(() => {});
    await expect.poll(() => seller.visits.length).toBe(1);
    hanging.hangUp();
    // The server sees it before another request of the same session.
    await hanging.client.ping();
    open();
    await expect.poll(() => JSON.stringify(log)).toContain('No connection established');
    expect(JSON.stringify(log)).not.toContain('payment signed');
    expect(seller.paid()).toEqual([]);
  });

  test('is followed once it has signed: the same call made again tells the rest, and pays nothing more', async () => {
    const slow = await openSlowSeller(stage);
    const { host, spent } = await openPayingTools();
    const hanging = await host();
    await hangUpOncePaid(hanging, slow);
    slow.open();
    expect((await hanging.pay({ url: slow.seller.url })).structured).toMatchObject(earlier);
    expect(spent()).toBe(AMOUNT);
    // It is told now: the next call is another.
    expect((await hanging.pay({ url: slow.seller.url })).structured).not.toHaveProperty('fromEarlierCall');
    expect(spent()).toBe(2n * AMOUNT);
  });

  const unread = 'is told again if its connection was reset, so that its result was never read: HTTP/%s, %s';
  test.each(WAYS)(unread, async (...way) => {
    const seller = await openSeller(stage);
    const { url, spent } = await openPayingTools();
    const headers = await begin(url);
    const params = { name: 'paid_call', arguments: { url: seller.url } };
    const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
    const socket = await post(url, headers, call(1), way);
    let received = '';
    socket.on('data', (data: Buffer) => (received += data.toString()));
    await expect.poll(() => received).toContain('"paid":true');
    socket.resetAndDestroy();
    await ask(url, { headers, body: { jsonrpc: '2.0', id: 2, method: 'ping' } });
    const again = await ask(url, { headers, body: call(3) });
    expect(again.text).toContain('"fromEarlierCall":true');
    expect(spent()).toBe(AMOUNT);
  });

  test('is left to any session once its own has ended', async () => {
    const slow = await openSlowSeller(stage);
    const { host, spent } = await openPayingTools();
    const ending = await host();
    await hangUpOncePaid(ending, slow);
    await ending.end();
    slow.open();
    const { pay } = await host();
    expect((await pay({ url: slow.seller.url })).structured).toMatchObject(earlier);
    expect(spent()).toBe(AMOUNT);
  });

  test('is left to no other session while its own lives', async () => {
    const slow = await openSlowSeller(stage);
    const { host, spent } = await openPayingTools();
    const hanging = await host();
    await hangUpOncePaid(hanging, slow);
    slow.open();
    const { pay } = await host();
    expect((await pay({ url: slow.seller.url })).structured).not.toHaveProperty('fromEarlierCall');
    expect((await hanging.pay({ url: slow.seller.url })).structured).toMatchObject(earlier);
    expect(spent()).toBe(2n * AMOUNT);
  });
});

test('a call that could not tell the outcome is left at once: made again on another connection, it pays nothing more', async () => {
  withShortCalls(stage);
  const slow = await openSlowSeller(stage);
  const { url, spent } = await openPayingTools();
  const headers = await begin(url);
  const params = { name: 'paid_call', arguments: { url: slow.seller.url } };
  const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
  const socket = await post(url, headers, call(1));
  let received = '';
  socket.on('data', (data: Buffer) => (received += data.toString()));
  await expect.poll(() => received).toContain('"status":"unknown"');
  slow.open();
  const again = await ask(url, { headers, body: call(2) });
  expect(again.text).toContain('"fromEarlierCall":true');
  expect(slow.seller.paid()).toHaveLength(1);
  expect(spent()).toBe(AMOUNT);
});

test('a call that its host cancels is given up, and its response ends', async () => {
  const { opened, open } = gate();
  const seller = await openSeller(stage, async (visit) => {
    await opened;
    visit.deliver();
  });
  const { url } = await openPayingTools();
  const headers = await begin(url);
  const params = { name: 'paid_call', arguments: { url: seller.url } };
  const call = ask(url, { headers, body: { jsonrpc: '2.0', id: 'one', method: 'tools/call', params } });
  await expect.poll(() => seller.visits.length).toBe(1);
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'one' } };
  expect((await ask(url, { headers, body: cancelled })).status).toBe(202);
  expect((await call).status).toBe(200);
  open();
});

test('50 calls at once over 5 sessions, of which many hang up: the wallet has paid what was told', async () => {
  const seller = await openSeller(stage, undefined, { maxTimeoutSeconds: 120 });
  const { host, spent } = await openPayingTools();
  const hosts = await Promise.all(Array.from({ length: 5 }, () => host()));
  const urlOf = (n: number): string => `${seller.url}?n=${n}`;
  const told = new Map<number, any>();
  const call = async (n: number, by: HttpHost): Promise<void> => {
    const { structured } = await by.pay({ url: urlOf(n) });
    expect(told.has(n)).toBe(false);
    told.set(n, structured);
  };
  // Two of five sessions hang up, one of these ends, too.
  const [ending, hanging, ...staying] = hosts as [HttpHost, HttpHost, ...HttpHost[]];
  const { opened: leaving, open: leave } = gate();
  const calls = Array.from({ length: 50 }, (_, n) => {
    const made = call(n, hosts[n % 5]!);
    return n % 5 < 2 ? Promise.race([made, leaving]) : made;
  });
  await expect.poll(() => seller.paid().length).toBeGreaterThan(20);
  for (const one of [ending, hanging]) one.hangUp();
  await ending.end();
  leave();
  await Promise.all(calls);
  const untold = Array.from({ length: 50 }, (_, n) => n).filter((n) => !told.has(n));
  await Promise.all(untold.map((n) => call(n, n % 5 === 0 ? staying[0]! : hanging)));
  const answers = [...told.values()].map((structured) => ({ isError: false, structured, blocks: [] }));
  expect(answers).toHaveLength(50);
  expect(answers.filter(({ structured }) => structured.paid !== true)).toEqual([]);
  expect(paidBy(answers)).toBe(50n * AMOUNT);
  expect(spent()).toBe(50n * AMOUNT);
}, 60_000);

test('on SIGTERM a payment under way is finished and told, streams are closed, and the process ends with 0', async () => {
  const { seller, open } = await openSlowSeller(stage);
  const { key, environment } = newWallet(stage);
  const { child, exit, host, output } = await spawnHttpTools(environment);
  const { pay, client } = await host();
  const paying = pay({ url: seller.url });
  await expect.poll(() => seller.paid().length).toBe(1);
  child.kill('SIGTERM');
  await expect.poll(() => output.stderr).toContain('"stopping"');
  open();
  expect((await paying).structured).toMatchObject({ paid: true, result: FORECAST });
  expect(await exit).toBe(0);
  expect(spentBy(key.publicKey())).toBe(AMOUNT);
  await client.close();
});
