import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Keypair } from '@stellar/stellar-sdk';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { addressesIn, expectDone, runAccounts, startAccounts, temporaryFolder } from './accountsProcess.ts';

const XLM = 10_000_000n;
const BASE_FEE_STROOPS = 100n;

let sandbox: TestSandbox;
let funder: Keypair;
let environment: Record<string, string>;
let folder: string;
beforeAll(async () => {
  // Fast, so that what no ledger takes is over soon.
  sandbox = await openSandbox({ ledgerMs: 60 });
});
afterAll(() => sandbox.close());
beforeEach(() => {
  folder = temporaryFolder();
  funder = sandbox.keyWithoutAccount();
  environment = { RPC_URL: sandbox.url, FUNDER_SECRET: funder.secret() };
  sandbox.calls.reset();
});
afterEach(() => sandbox.faults.clear());

const file = () => join(folder, 'submitters.env');
const fund = (xlm: bigint) => sandbox.network.createAccount(funder.publicKey(), xlm * XLM);
const balances = () => addressesIn(file()).map((address) => sandbox.native(address));
const sent = () => sandbox.calls.counts()['sendTransaction'] ?? 0;
const resume = () => runAccounts(folder, environment, 'create', '--resume', 'submitters.env');

test('a funder gives each new account 5 XLM unless told otherwise, and pays the fees', async () => {
  fund(100n);
  const ended = await runAccounts(folder, environment, 'create', '--count', '3');
  expectDone(ended);
  expect(balances()).toEqual(Array(3).fill(5n * XLM));
  expect(sandbox.native(funder.publicKey())).toBe(85n * XLM - 3n * BASE_FEE_STROOPS);
  expect(ended.stderr).toContain(funder.publicKey());
});

test("the funder's key may be in a file", async () => {
  fund(100n);
  const path = join(folder, 'funder');
  writeFileSync(path, `${funder.secret()}\n`, { mode: 0o600 });
  expectDone(await runAccounts(folder, { RPC_URL: sandbox.url, FUNDER_SECRET_FILE: path }, 'create'));
  expect(balances()).toEqual([5n * XLM]);
});

test('a funder gives what --starting-balance says, to a hundred accounts per transaction', async () => {
  fund(1_000n);
  expectDone(await runAccounts(folder, environment, 'create', '--count', '101', '--starting-balance', '1.5'));
  expect(balances()).toEqual(Array(101).fill((15n * XLM) / 10n));
  expect(sent()).toBe(2);
});

test('a funder that cannot pay for all is told exactly what is missing, before anything is made', async () => {
  fund(10n);
  const { code, stderr } = await runAccounts(folder, environment, 'create', '--count', '2');
  expect(code).toBe(1);
  expect(stderr).toBe(
    `the funder ${funder.publicKey()} can spend 9 XLM of its 10 XLM (the rest is reserved), but needs 10.002 XLM for ` +
      '2 accounts of 5 XLM each, and up to 0.002 XLM in fees: send it 1.002 XLM more, or lower --count or ' +
      '--starting-balance\n',
  );
  expect(existsSync(file())).toBe(false);
  expect(sent()).toBe(0);
});

test('a funder that can just pay pays', async () => {
  fund(11n);
  sandbox.network.mint(funder.publicKey(), 20_000n, 'native');
  expectDone(await runAccounts(folder, environment, 'create', '--count', '2'));
  expect(balances()).toEqual([5n * XLM, 5n * XLM]);
});

test('a funder without an account is told what to send it', async () => {
  const { code, stderr } = await runAccounts(folder, environment, 'create', '--count', '2');
  expect(code).toBe(1);
  expect(stderr).toContain(`${funder.publicKey()} does not exist on stellar:testnet`);
  expect(stderr).toContain('send it at least 11.002 XLM (1 XLM stay as its reserve)');
  expect(existsSync(file())).toBe(false);
});

test('a lost answer to the submission is followed to its end: one transaction pays once', async () => {
  fund(100n);
  sandbox.faults.add({ kind: 'lostAnswer', methods: ['sendTransaction'], times: 1 });
  const ended = await runAccounts(folder, environment, 'create', '--count', '2');
  expectDone(ended);
  expect(ended.stderr).toContain('the RPC did not answer, asking again');
  expect(balances()).toEqual([5n * XLM, 5n * XLM]);
  expect(sandbox.native(funder.publicKey())).toBe(90n * XLM - 2n * BASE_FEE_STROOPS);
});

test('killed before it learns the outcome, it has paid; --resume sends nothing more', async () => {
  fund(100n);
  sandbox.faults.add({ kind: 'notFound' });
  const run = startAccounts(folder, environment, 'create', '--count', '2');
  await expect.poll(() => sandbox.native(funder.publicKey()), { timeout: 20_000 }).toBeLessThan(91n * XLM);
  run.kill();
  await run.ended;
  sandbox.faults.clear();
  sandbox.calls.reset();
  expectDone(await resume());
  expect(sent()).toBe(0);
  expect(balances()).toEqual([5n * XLM, 5n * XLM]);
});

test('killed while its transaction waits, another one of --resume cannot pay too', async () => {
  fund(100n);
  sandbox.stopLedgers();
  const first = startAccounts(folder, environment, 'create', '--count', '2');
  await expect.poll(sent, { timeout: 20_000 }).toBe(1);
  first.kill();
  await first.ended;
  const otherFee = { ...environment, MAX_INCLUSION_FEE_STROOPS: '9999' };
  const second = runAccounts(folder, otherFee, 'create', '--resume', 'submitters.env');
  await expect.poll(sent).toBe(2);
  sandbox.faults.clear();
  expect(await second).toMatchObject({ code: 1, stderr: expect.stringContaining('txBadSeq') });
  expectDone(await resume());
  expect(balances()).toEqual([5n * XLM, 5n * XLM]);
  expect(sandbox.native(funder.publicKey())).toBe(90n * XLM - 2n * BASE_FEE_STROOPS);
});

test('a transaction that fails in the ledger is said, and --resume funds what it would have', async () => {
  fund(100n);
  sandbox.stopLedgers();
  const run = runAccounts(folder, environment, 'create', '--count', '2');
  await expect.poll(sent).toBe(1);
  const [first] = addressesIn(file());
  sandbox.network.createAccount(first!, 7n * XLM);
  sandbox.faults.clear();
  const { code, stderr } = await run;
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /transaction [0-9a-f]{64} failed in the ledger \(txFailed\): one of its accounts exists/,
  );
  expectDone(await resume());
  expect(balances()).toEqual([7n * XLM, 5n * XLM]);
});

test('a transaction that no ledger takes is given up when it can never apply, and --resume sends another', async () => {
  fund(100n);
  sandbox.faults.add({ kind: 'sendStatus', status: 'PENDING' });
  const { code, stderr } = await runAccounts(folder, environment, 'create');
  expect(code).toBe(1);
  expect(stderr).toMatch(/was not taken by any ledger in time, and never will be/);
  expect(stderr).toMatch(/Nothing is lost.*create --resume \.\/submitters\.env\n$/);
  sandbox.faults.clear();
  expectDone(await resume());
  expect(balances()).toEqual([5n * XLM]);
});

test('a funder offers no more for a ledger than the operator allows, and says so where that is too little', async () => {
  fund(100n);
  sandbox.faults.add({ kind: 'feeSurge', stroops: 5_000 });
  const limited = { ...environment, MAX_INCLUSION_FEE_STROOPS: '4000' };
  const { code, stderr } = await runAccounts(folder, limited, 'create', '--count', '2');
  expect(code).toBe(1);
  expect(stderr).toContain(
    'txInsufficientFee (it bid 4000 stroops per account, the network asks for 10000 in all): ' +
      'the network is busy and asks for more: raise MAX_INCLUSION_FEE_STROOPS, or wait',
  );
  expectDone(await resume());
});

test('an RPC that fails between the file and the transaction loses nothing', async () => {
  fund(100n);
  sandbox.faults.add({ kind: 'httpStatus', status: 502, methods: ['getTransaction'], times: 1 });
  const { code, stderr } = await runAccounts(folder, environment, 'create');
  expect(code).toBe(1);
  expect(stderr).toContain('does not answer as it should, try again later: getTransaction: HTTP status 502');
  expect(stderr).toMatch(/Nothing is lost.*create --resume/);
  expectDone(await resume());
  expect(balances()).toEqual([5n * XLM]);
});
