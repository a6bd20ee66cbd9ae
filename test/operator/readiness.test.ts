import { describe, expect, test } from 'vitest';
import { createChecks } from '../../src/operator/checks.ts';
import { createReadiness } from '../../src/operator/readiness.ts';
import type { SchemeState } from '../../src/scheme/index.ts';
import { useStage } from '../support/serviceStage.ts';
import type { Facilitator } from '../support/service.ts';
import { ask } from './asking.ts';

const stage = useStage();

/** The names of the checks that fail, and what they say. */
async function failing({ operatorUrl }: Facilitator): Promise<Record<string, string>> {
  const { status, body } = await ask(operatorUrl, '/ready');
  const failed = body.checks.filter(({ ok }: { ok: boolean }) => !ok);
  expect(status).toBe(failed.length === 0 ? 200 : 503);
  expect(body.ready).toBe(failed.length === 0);
  return Object.fromEntries(failed.map(({ name, message }: Record<string, string>) => [name, message]));
}

const eventually = (facilitator: Facilitator) =>
  expect.poll(() => failing(facilitator), { timeout: 25_000, interval: 250 });

test('a service that can settle is ready, with each check by its name', async () => {
  const facilitator = await stage.open({ operator: {} });
  await eventually(facilitator).toEqual({});
  const { body } = await ask(facilitator.operatorUrl, '/ready');
  expect(body.checks.map(({ name }: { name: string }) => name)).toEqual([
    'rpc',
    'accounts',
    'journal',
    'catalog',
    'keys',
    'policy',
  ]);
});

test('however many probe, the RPC is asked no more than once per ledger', async () => {
  const facilitator = await stage.open({ operator: {} });
  await eventually(facilitator).toEqual({});
  const { sandbox } = stage;
  sandbox.calls.reset();
  const from = sandbox.network.latestLedger;
  for (let turn = 0; turn < 20; turn += 1)
    await Promise.all(Array.from({ length: 20 }, () => ask(facilitator.operatorUrl, '/ready')));
  const ledgers = sandbox.network.latestLedger - from + 1;
  const calls = Object.values(sandbox.calls.counts()).reduce((sum, count) => sum + count, 0);
  expect(calls).toBeLessThanOrEqual(ledgers);
});

test('it is not ready without an account that can pay, and says so', async () => {
  const { sandbox } = stage;
  const missing = await stage.open({ operator: {}, submitters: [sandbox.keyWithoutAccount()] });
  await eventually(missing).toEqual({ accounts: expect.stringContaining('1 missing') });
});

test('with a token, only who sends it or has a session is told what is wrong', async () => {
  const token = 'token-of-this-test';
  const submitters = [stage.sandbox.keyWithoutAccount()];
  const { operatorUrl } = await stage.open({ operator: { token }, submitters });
  const accountsFor = async (headers: Record<string, string> = {}) => {
    const { status, body } = await ask(operatorUrl, '/ready', { headers });
    return [status, body.checks.find(({ name }: { name: string }) => name === 'accounts')];
  };
  const told = [503, { name: 'accounts', ok: false, message: expect.stringContaining('1 missing') }];
  const untold = [503, { name: 'accounts', ok: false }];
  const authorization = `Bearer ${token}`;
  await expect.poll(() => accountsFor({ authorization })).toEqual(told);
  const origin = operatorUrl;
  const { headers } = await ask(operatorUrl, '/session', {
    method: 'POST',
    headers: { origin },
    body: { token },
  });
  const [cookie] = [headers['set-cookie'] ?? ''].flat();
  expect(await accountsFor({ cookie: cookie!.split(';')[0]! })).toEqual(told);
  for (const strangers of [{}, { authorization: 'Bearer x' }, { cookie: 'facilitator_session=x' }])
    expect(await accountsFor(strangers)).toEqual(untold);
});

describe('a check', () => {
  const state = (ledger: SchemeState['ledger'], node: SchemeState['nodes'][number]['state']) =>
    ({
      accounts: [{ address: 'G', state: 'free', balanceStroops: 1 }],
      nodes: [{ rpc: 'https://rpc.example', state: node }],
      ledger,
    }) as unknown as SchemeState;

  const checksOf = (current: SchemeState) =>
    createChecks({
      scheme: { state: () => current, readBalances: async () => {} },
      journal: { checkWritable: () => {} },
      catalog: { checkWritable: async () => {} },
      keys: { isCurrent: () => true },
      policy: { problem: () => undefined },
    });
  const problemOf = (current: SchemeState) => checksOf(current).rpc();

  test('finds that no ledger was seen for too long', async () => {
    expect(await problemOf(state({ latest: 7, lagMs: 19_000 }, 'sound'))).toBeUndefined();
    expect(await problemOf(state({ latest: 7, lagMs: 21_000 }, 'sound'))).toMatch(/new ledger for 21 s/);
    expect(await problemOf(state({ latest: 7, lagMs: 9_000 }, 'stale'))).toMatch(/is stale/);
  });

  test('finds that every account is low, whatever each does at the moment', async () => {
    const withAccounts = (those: { state: string; isLow: boolean }[]) => {
      const accounts = those.map((account) => ({ ...account, balanceStroops: 1 }));
      return checksOf({
        ...state({ latest: 7, lagMs: 0 }, 'sound'),
        accounts,
      } as unknown as SchemeState).accounts();
    };
    const low = ['low', 'busy', 'held', 'elsewhere'].map((one) => ({ state: one, isLow: true }));
    const others = ['missing', 'resting'].map((one) => ({ state: one, isLow: true }));
    expect(await withAccounts([...low, ...others])).toMatch(
      /carry a payment: 4 low, 1 missing, 1 resting\. /,
    );
    for (const usable of ['free', 'busy', 'held', 'elsewhere'])
      expect(await withAccounts([...low, { state: usable, isLow: false }]), usable).toBeUndefined();
  });

  test('finds that no node has told the balances yet', async () => {
    const accounts = [{ address: 'G', state: 'free', isLow: false }];
    const unread = { ...state({ latest: 7, lagMs: 0 }, 'sound'), accounts } as unknown as SchemeState;
    expect(await checksOf(unread).accounts()).toMatch(/not known/);
  });

  test('that hangs holds up no answer, and fails by and by', async () => {
    let now = 0;
    const never = new Promise<undefined>(() => {});
    const limits = { resultMs: 100, waitMs: 20, checkWithinMs: 5_000 };
    const fine = (): undefined => undefined;
    const checks = {
      rpc: () => never,
      accounts: fine,
      journal: fine,
      catalog: fine,
      keys: fine,
      policy: fine,
    };
    const readiness = createReadiness(checks, limits, () => now);
    const failed = async () => (await readiness()).checks.filter(({ ok }) => !ok);
    expect(await failed()).toEqual([
      { name: 'rpc', ok: false, message: 'The check of rpc has not ended yet.' },
    ]);
    now = 6_000;
    expect(await failed()).toMatchObject([
      { name: 'rpc', message: 'The check of rpc has not ended for 6 s.' },
    ]);
  });
});
