import { execFile } from 'node:child_process';
import { Keypair } from '@stellar/stellar-sdk';
import { expect, test } from 'vitest';
import { checkSetUp } from '../../src/agent/check.ts';
import { toMcpConfig } from '../../src/agent/config.ts';
import { signerFromSecret } from '../../src/agent/wallet/index.ts';
import { lumensOf } from '../../src/stellar/assets.ts';
import { childEnvironment } from '../support/childEnvironment.ts';
import { openHttpServer } from './support/httpServer.ts';
import { newWallet, useAgentStage } from './support/stage.ts';

const stage = useAgentStage({ ledgerMs: 400 });
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:1';

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the check as people do. No output ever has a secret key in it. */
async function run(environment: Record<string, string>): Promise<Result> {
  const env = { ...childEnvironment, ...stage.environment(), ...environment };
  const { promise, resolve } = Promise.withResolvers<Result>();
  execFile(process.execPath, ['src/agent/main.ts', '--check'], { env }, (error, stdout, stderr) =>
    resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
  );
  const result = await promise;
  expect(result.stdout + result.stderr).not.toMatch(/S[A-Z2-7]{55}/);
  return result;
}

/** The same check in this process: what is said of each kind of call. */
async function check(environment: Record<string, string>) {
  const configured = toMcpConfig({ ...stage.environment(), ...environment });
  if ('problems' in configured) throw new Error(JSON.stringify(configured.problems));
  const { config, secret, facilitatorKey } = configured;
  const signer = secret === undefined ? undefined : signerFromSecret(secret);
  const { lines, canPay } = await checkSetUp({ config, signer, facilitatorKey, limits: stage.limits });
  const said = new Map(lines);
  return { canPay, free: said.get('free call'), paid: said.get('paid call') };
}

/** A facilitator with an empty catalog that serves these kinds. */
const facilitatorOf = (kinds: object[]) =>
  openHttpServer(({ url }, response) =>
    response.end(JSON.stringify(url === '/supported' ? { kinds } : { items: [], pagination: { total: 0 } })),
  );

test('shows wallet, balances, limits, network and facilitator, and ends with 0 if a paid call would work', async () => {
  const { key, environment } = newWallet(stage);
  const limits = {
    SVC_MCP_MAX_AMOUNT: '500',
    SVC_MCP_SESSION_BUDGET: '2000',
    SVC_MCP_APPROVE_ABOVE: '400',
    SVC_MCP_ALLOWED_HOSTS: 'a.example',
  };
  const checked = await run({ ...environment, ...limits });
  expect(checked.stdout.split('\n')).toEqual([
    `wallet       ${key.publicKey()}`,
    `network      stellar:testnet, ${stage.sandbox.url}`,
    'balance      1 USDC (10000000 base units)',
    'balance      10000 XLM (100000000000 base units)',
    'limits       500 base units for one payment, 2000 for all payments of a session',
    'approval     asks a person before it pays more than 400 base units',
    'assets       USDC',
    'hosts        a.example',
    expect.stringMatching(`^facilitator  ${stage.facilitator.url}, whose catalog has \\d+ listings?$`),
    'free call    would work',
    'paid call    would work, up to 0.00005 USDC (500 base units)',
    '',
  ]);
  expect(checked).toMatchObject({ code: 0, stderr: '' });
});

test('ends with 1 if it would not, and with 78 if the configuration is wrong', async () => {
  const searcher = await run({});
  expect(searcher.code).toBe(1);
  expect(searcher.stdout).toMatch(/^wallet +none: CLIENT_STELLAR_PRIVATE_KEY is not set$/m);
  const wrong = await run({ SVC_MCP_MAX_AMOUNT: 'all' });
  expect(wrong).toMatchObject({ code: 78, stdout: '' });
  expect(wrong.stderr).toMatch(/^SVC_MCP_MAX_AMOUNT must be/);
});

test('sends nothing and pays nothing', async () => {
  const key = stage.sandbox.account();
  stage.sandbox.calls.reset();
  expect(await check(wallet(key))).toMatchObject({ canPay: true });
  expect(stage.sandbox.calls.counts()).not.toHaveProperty('sendTransaction');
  expect(stage.sandbox.usdc(key.publicKey())).toBe(10_000_000n);
});

test('a call may cost no more than the wallet has', async () => {
  const { paid } = await check(wallet(stage.sandbox.account(7n)));
  expect(paid).toBe('would work, up to 0.0000007 USDC (7 base units)');
});

test('the first allowed asset that can pay does', async () => {
  const environment = {
    ...wallet(stage.sandbox.submitter()),
    SVC_MCP_ALLOWED_ASSETS: `USDC,${lumensOf('stellar:testnet')}`,
  };
  expect((await check(environment)).paid).toBe('would work, up to 1 XLM (10000000 base units)');
});

type Environment = Record<string, string>;
const EXACT = { scheme: 'exact', network: 'stellar:testnet', extra: { areFeesSponsored: true } };

test.each<[string, () => Environment | Promise<Environment>, RegExp]>([
  ['there is no wallet', () => ({}), /there is no wallet/],
  ['the wallet is empty', () => wallet(stage.sandbox.account(0n)), /USDC: the wallet has none/],
  ['it has no trustline', () => wallet(stage.sandbox.submitter()), /USDC: .* has no trustline/],
  ['it has no account', () => wallet(Keypair.random()), /USDC: the account does not exist/],
  ['the cap is zero', () => ({ ...wallet(), SVC_MCP_MAX_AMOUNT: '0' }), /above the cap of 0/],
  ['the budget is zero', () => ({ ...wallet(), SVC_MCP_SESSION_BUDGET: '0' }), /session's budget/],
  ['the RPC does not answer', () => ({ ...wallet(), RPC_URL: NOWHERE }), /RPC_URL names does not answer/],
  [
    'the RPC is of another network',
    async () => ({
      ...wallet(),
      NETWORK: 'stellar:pubnet',
      FACILITATOR_URL: await facilitatorOf([{ ...EXACT, network: 'stellar:pubnet' }]),
    }),
    /belongs to another network/,
  ],
  [
    'the facilitator serves another network',
    () => ({ ...wallet(), NETWORK: 'stellar:pubnet' }),
    /serves no exact payments on stellar:pubnet/,
  ],
  [
    'the facilitator serves other assets',
    async () => ({
      ...wallet(),
      FACILITATOR_URL: await facilitatorOf([
        { ...EXACT, extra: { areFeesSponsored: true, assets: [stage.payTo] } },
      ]),
    }),
    /USDC: the facilitator does not serve it/,
  ],
])('where %s, a free call would work and a paid one would not', async (_where, environment, why) => {
  const { canPay, free, paid } = await check(await environment());
  expect({ canPay, free }).toEqual({ canPay: false, free: 'would work' });
  expect(paid).toMatch(/^would not work: /);
  expect(paid).toMatch(why);
});

test('where no facilitator answers, neither call would work', async () => {
  const { canPay, free, paid } = await check({ ...wallet(), FACILITATOR_URL: NOWHERE });
  expect(canPay).toBe(false);
  expect(free).toMatch(/^would not work: The facilitator at \S+ does not answer/);
  expect(paid).toBe(free);
});

function wallet(key: Keypair = stage.sandbox.account()): Environment {
  return { CLIENT_STELLAR_PRIVATE_KEY: key.secret() };
}
