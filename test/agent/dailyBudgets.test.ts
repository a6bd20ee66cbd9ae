import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { toMcpConfig } from '../../src/agent/config.ts';
import { openDailyBudgets } from '../../src/agent/wallet/dailyBudgets.ts';
import { lumensOf } from '../../src/stellar/assets.ts';
import { AMOUNT, USDC } from '../support/payments.ts';
import { openAgent, spawnAgent } from './support/agent.ts';
import { openSeller, sellHonestly, whenPaid } from './support/seller.ts';
import { newWallet, paidBy, useAgentStage } from './support/stage.ts';

const stage = useAgentStage();

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'budget-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'budget.db');
}

const budgets = (limits: { asset?: bigint; host?: bigint }, file = newFile()): Record<string, string> => ({
  SVC_MCP_BUDGET_FILE: file,
  ...(limits.asset !== undefined && { SVC_MCP_DAILY_ASSET_BUDGET: String(limits.asset) }),
  ...(limits.host !== undefined && { SVC_MCP_DAILY_HOST_BUDGET: String(limits.host) }),
});

const declined = (whose: string, left: bigint, budget: bigint) => ({
  errorCode: 'svc_mcp_payment_declined_by_policy',
  reason: expect.stringContaining(`today's budget for ${whose}: ${left} of ${budget}.`),
});

describe('the budget of a day', () => {
  test('holds over a restart, over stdio', async () => {
    const seller = await openSeller(stage);
    const { key, environment } = newWallet(stage);
    const limited = { ...environment, ...budgets({ asset: 2n * AMOUNT - 1n }) };
    const before = await spawnAgent(limited);
    expect((await before.pay({ url: seller.url })).structured).toMatchObject({ paid: true });
    await before.close();
    const after = await spawnAgent(limited);
    expect((await after.pay({ url: seller.url })).structured).toEqual(
      declined(USDC, AMOUNT - 1n, 2n * AMOUNT - 1n),
    );
    expect(stage.sandbox.usdc(key.publicKey())).toBe(10_000_000n - AMOUNT);
  });

  test.each([':memory:', 'file:budget?mode=memory'])('stands in a file, even in one named %s', (name) => {
    const before = process.cwd();
    process.chdir(dirname(newFile()));
    onTestFinished(() => process.chdir(before));
    const limits = { file: name, perAsset: 10n, perHost: undefined };
    for (const left of [10n, 1n]) {
      const opened = openDailyBudgets(limits);
      expect(opened.left({ asset: USDC, host: 'a' })).toMatchObject([{ left }]);
      opened.take({ asset: USDC, host: 'a', amount: 9n });
      opened.close();
    }
  });

  test('of a host binds all its ports, and no other host', async () => {
    const [first, second] = [await openSeller(stage), await openSeller(stage)];
    const buyer = await stage.buyer(budgets({ host: AMOUNT }));
    expect((await buyer.pay({ url: first.url })).structured).toMatchObject({ paid: true });
    expect((await buyer.pay({ url: second.url })).structured).toEqual(declined('127.0.0.1', 0n, AMOUNT));
    const elsewhere = second.url.replace('127.0.0.1', 'localhost');
    expect((await buyer.pay({ url: elsewhere })).structured).toMatchObject({ paid: true });
  });

  test('of an asset binds no other asset', async () => {
    const lumens = lumensOf('stellar:testnet');
    const [dollars, others] = [
      await openSeller(stage),
      await openSeller(stage, undefined, { asset: lumens }),
    ];
    const buyer = await stage.buyer({
      ...budgets({ asset: AMOUNT }),
      SVC_MCP_ALLOWED_ASSETS: `${USDC},${lumens}`,
    });
    expect((await buyer.pay({ url: dollars.url })).structured).toMatchObject({ paid: true });
    expect((await buyer.pay({ url: dollars.url })).structured).toEqual(declined(USDC, 0n, AMOUNT));
    expect((await buyer.pay({ url: others.url })).structured).toMatchObject({ paid: true });
  });

  test('is one for all processes that name the file, at the same time', async () => {
    const seller = await openSeller(stage, undefined, { maxTimeoutSeconds: 120 });
    const { key, environment } = newWallet(stage);
    const limited = { ...environment, ...budgets({ asset: 5n * AMOUNT }) };
    const agents = [await spawnAgent(limited), await spawnAgent(limited)];
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, n) => agents[n % 2]!.pay({ url: seller.url, input: { n } })),
    );
    expect(paidBy(answers)).toBe(5n * AMOUNT);
    expect(stage.sandbox.usdc(key.publicKey())).toBe(10_000_000n - 5n * AMOUNT);
    for (const { structured } of answers.filter(({ isError }) => isError))
      expect(structured.errorCode).toBe('svc_mcp_payment_declined_by_policy');
  });

  test('gets back what was certainly not paid', async () => {
    let isSelling = false;
    const seller = await openSeller(
      stage,
      whenPaid((visit) => (isSelling ? sellHonestly(visit) : visit.deliver())),
      { maxTimeoutSeconds: 8 },
    );
    const buyer = await stage.buyer(budgets({ asset: AMOUNT, host: AMOUNT }));
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({
      payment: { status: 'notSettled' },
    });
    isSelling = true;
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({ paid: true });
  });

  test('begins anew with each day, and what yesterday gives back is not for today', () => {
    let day = '2026-01-31';
    const daily = openDailyBudgets({ file: newFile(), perAsset: 10n, perHost: undefined }, () => day);
    onTestFinished(() => daily.close());
    const spending = { asset: USDC, host: 'a.example', amount: 10n };
    const left = (): unknown[] => daily.left(spending).map((one) => one.left);
    const giveBack = daily.take(spending)!;
    expect([left(), daily.take({ ...spending, amount: 1n })]).toEqual([[0n], undefined]);
    day = '2026-02-01';
    expect(left()).toEqual([10n]);
    expect(daily.take({ ...spending, amount: 4n })).toBeDefined();
    giveBack();
    expect(left()).toEqual([6n]);
  });

  test('is not renewed by a clock that is set forward and back', () => {
    let day = '2026-01-31';
    const daily = openDailyBudgets({ file: newFile(), perAsset: 10n, perHost: undefined }, () => day);
    onTestFinished(() => daily.close());
    const spending = { asset: USDC, host: 'a.example', amount: 10n };
    for (const set of ['2026-01-31', '2036-01-31']) {
      day = set;
      expect(daily.take(spending)).toBeDefined();
    }
    day = '2026-01-31';
    expect(daily.take({ ...spending, amount: 1n })).toBeUndefined();
  });

  test('holds also on a day before all that the file remembers', () => {
    let day = '';
    const daily = openDailyBudgets({ file: newFile(), perAsset: 10n, perHost: undefined }, () => day);
    onTestFinished(() => daily.close());
    const spending = { asset: USDC, host: 'a.example', amount: 10n };
    for (let nth = 0; nth < 450; nth += 1) {
      day = new Date(Date.UTC(2026, 0, nth)).toISOString().slice(0, 10);
      expect(daily.take(spending)).toBeDefined();
    }
    day = '1970-01-01';
    expect([daily.take(spending) === undefined, daily.take(spending)]).toEqual([false, undefined]);
  });

  test('that was not limited counts once it is', async () => {
    const file = newFile();
    const seller = await openSeller(stage);
    await (await stage.buyer(budgets({ asset: AMOUNT }, file))).pay({ url: seller.url });
    const buyer = await stage.buyer(budgets({ host: AMOUNT }, file));
    expect((await buyer.pay({ url: seller.url })).structured).toEqual(declined('127.0.0.1', 0n, AMOUNT));
  });
});

describe('the file of the budgets', () => {
  test('can be read by no other user, whatever its mode was', async () => {
    const [fresh, wide] = [newFile(), newFile()];
    writeFileSync(wide, '');
    chmodSync(wide, 0o666);
    for (const file of [fresh, wide]) {
      await openAgent({ ...stage.environment(), ...budgets({ asset: 1n }, file) });
      for (const one of [file, `${file}-wal`]) expect(statSync(one).mode & 0o777).toBe(0o600);
    }
  });

  test('must be named for a budget', () => {
    expect(toMcpConfig({ SVC_MCP_DAILY_HOST_BUDGET: '5' })).toEqual({
      problems: [{ variable: 'SVC_MCP_BUDGET_FILE', text: expect.stringMatching(/^is missing/) }],
    });
  });

  test('must be named with a budget: alone it would limit nothing', () => {
    const file = newFile();
    expect(toMcpConfig({ SVC_MCP_BUDGET_FILE: file })).toEqual({
      problems: [{ variable: 'SVC_MCP_BUDGET_FILE', text: expect.stringMatching(/^limits nothing/) }],
    });
    const wrong = { SVC_MCP_BUDGET_FILE: file, SVC_MCP_DAILY_HOST_BUDGET: '1.5' };
    expect(toMcpConfig(wrong)).toMatchObject({ problems: [{ variable: 'SVC_MCP_DAILY_HOST_BUDGET' }] });
  });

  test.each<[string, (file: string) => string]>([
    ['in a folder that does not exist', (file) => join(file, 'budget.db')],
    ['of another kind', (file) => (writeFileSync(file, 'x'.repeat(5_000)), file)],
  ])('%s ends the start', async (_name, place) => {
    const environment = { ...stage.environment(), ...budgets({ asset: 1n }, place(newFile())) };
    await expect(openAgent(environment)).rejects.toMatchObject({ name: 'UnusableFile', file: 'budget' });
  });
});
