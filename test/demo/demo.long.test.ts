import { execFile } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { claimBooks } from '../../demo/books.ts';
import type { Balances } from '../../demo/cast.ts';
import { knownKey } from '../../sandbox/knownAccounts.ts';
import { ask, post } from '../http/support.ts';
import { childEnvironment } from '../support/childEnvironment.ts';
import { demo, run, secretsIn } from './run.ts';

/** Checks what a payment's story says, from 402 to receipt, its resource found and paid for again, three refusals. */
function expectStory(stdout: string): void {
  const steps = [...stdout.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
  expect(steps).toEqual(Array.from({ length: 11 }, (_, index) => index + 1));
  expect(stdout).toContain('100000 base units = 0.01 USDC');
  const [, expiration, now] = /valid +until ledger (\d+) \(now (\d+)\)/.exec(stdout)!;
  expect(
    Number(expiration) - Number(now),
    "the buyer learned the ledgers' pace and assumed no 5 s",
  ).toBeGreaterThan(12);
  expect(stdout).toMatch(/POST \/verify +isValid true/);
  expect(stdout).toMatch(/POST \/settle +success true\n +transaction +[0-9a-f]{64}\n/);
  expect(stdout).toMatch(/ledger +\d+\n +carried by +G[A-Z2-7]{55}, the submitter\n/);
  expect(stdout).toMatch(/paid by +G[A-Z2-7]{55}, the fee account\n/);
  expect(stdout).toMatch(/listed +EXTENSION-RESPONSES: bazaar (success|not known yet)\n/);
  expect(stdout).toContain('{"city":"Porto","weather":"sunny","celsius":21}');
  expect(stdout).toMatch(/buyer +10 \(100000000\) +9\.99 \(99900000\) +-0\.01 \(-100000\)/);
  expect(stdout).toMatch(/submitter +0 \(0\) +0 \(0\) +0\n/);

  const [, resource] = /listing +(\S+)\n/.exec(stdout)!;
  expect(stdout).toContain(`found        Sunny Side Forecasts, ${resource}\n`);
  expect(stdout).toContain(`GET          ${resource}?city=Lisbon\n`);
  expect(stdout).toContain('{"city":"Lisbon","weather":"sunny","celsius":21}');
  const hashes = [...stdout.matchAll(/transaction +([0-9a-f]{64})/g)].map(([, hash]) => hash);
  expect(new Set(hashes).size).toBe(2);
  expect(stdout).toMatch(/buyer +9\.99 → 9\.98 USDC \(-0\.01\)\n +seller +1\.01 → 1\.02 USDC\n/);

  const refusals = [...stdout.matchAll(/POST (\S+) +(?:isValid|success) false, (\S+)/g)];
  expect(refusals.map(([, path, code]) => [path, code])).toEqual([
    ['/verify', 'invalid_exact_stellar_payload_simulation_failed'],
    ['/settle', 'invalid_exact_stellar_payload_simulation_failed'],
    ['/verify', 'invalid_exact_stellar_payload_wrong_amount'],
    ['/verify', 'invalid_exact_stellar_payload_simulation_failed'],
  ]);
  const [replayed, , underpaid, forged] = [...stdout.matchAll(/ meaning +((?:.+\n)+?)(?= {3}\S)/g)].map(
    ([, text = '']) => text.trim().replaceAll(/\s+/g, ' '),
  );
  expect(replayed).toBe(
    `The authorization is already used, by transaction ${hashes[0]}: this facilitator has settled the same transfer before.`,
  );
  expect(underpaid).toMatch(/its amount is not paymentRequirements\.amount/);
  expect(forged).toMatch(/a signature is missing or wrong/);
  const told = stdout.slice(0, stdout.indexOf('Done in'));
  const strays = told.split('\n').filter((text) => !/^($| {3}|\d+\. |A payment from 402)/.test(text));
  expect(strays, 'only the story is told').toEqual([]);
  expect(stdout, 'colours are for terminals').not.toContain('\u001b');
}

test('a payment is told; with --keep all that is printed works until SIGINT, and nothing is left behind', async () => {
  const { output, exitCode, printed, kill } = demo('--keep');
  await printed('Ctrl-C stops it');
  expectStory(output.stdout);
  const lines = output.stdout.split('\n').filter((line) => line.trimStart().startsWith('curl '));
  const urls = lines.map((line) => /http[^\s']+/.exec(line)![0]);
  const [weather, supported, health, balance, list, search, verify, settle] = urls as [string, ...string[]] &
    string[];
  const get = async (url: string | undefined) => (await ask(url!)).body;

  expect((await fetch(weather)).status).toBe(402);
  expect(await get(supported)).toMatchObject({ kinds: [{ scheme: 'exact', network: 'stellar:testnet' }] });
  expect(await get(health)).toMatchObject({ status: 'ok' });
  expect(await (await fetch(balance!)).json()).toMatchObject({ usdc: '10200000' });
  const { origin, pathname } = new URL(weather);
  const listing = { resource: origin + pathname, serviceName: 'Sunny Side Forecasts' };
  expect(await get(list)).toMatchObject({ items: [listing], pagination: { total: 1 } });
  expect(await get(search)).toMatchObject({ resources: [listing], partialResults: false });

  const file = /--data @(\S+)/.exec(output.stdout)![1]!;
  const body = await readFile(file, 'utf8');
  const send = async (url: string | undefined) => (await post(url!, body)).body;
  expect(await send(verify)).toMatchObject({ isValid: true });
  expect(await send(settle)).toMatchObject({ success: true });
  const spent = 'invalid_exact_stellar_payload_simulation_failed';
  expect(await send(verify)).toMatchObject({ isValid: false, invalidReason: spent });
  expect(await send(settle)).toMatchObject({ success: false, errorReason: spent });

  const [block] = /^\{\n  "mcpServers"[^]*?^\}$/m.exec(output.stdout)!;
  const { command, args, env: settings } = JSON.parse(block).mcpServers['paid-resources'];
  const checked = await promisify(execFile)(command, [...args, '--check'], {
    env: { ...childEnvironment, ...settings },
  });
  expect(checked.stdout).toMatch(/^free call +would work\npaid call +would work, up to 0\.1 USDC /m);

  kill('SIGINT');
  expect(await exitCode).toBe(0);
  expect(output.stderr).toBe('');
  expect(output.stdout).toContain('"msg":"settlement ended"');
  expect(secretsIn(output.stdout)).toEqual([knownKey('agent').secret()]);
  await expect(access(file)).rejects.toThrow('ENOENT');
});

test('the demo ends quietly once nobody reads on', async () => {
  const { output, exitCode, printed, stopReading } = demo();
  await printed('1. The buyer asks');
  stopReading();
  expect(await exitCode).toBe(0);
  expect(output.stderr).toBe('');
});

test('with --keep, too, and nothing is left behind', async () => {
  const { output, exitCode, printed, stopReading } = demo('--keep');
  await printed('Ctrl-C stops it');
  const file = /--data @(\S+)/.exec(output.stdout)![1]!;
  const supported = /http\S+\/supported/.exec(output.stdout)![0];
  await access(file);
  stopReading();
  // The service logs this request.
  await fetch(supported).catch(() => {});
  expect(await exitCode).toBe(0);
  expect(output.stderr).toBe('');
  await expect(access(file)).rejects.toThrow('ENOENT');
});

test('--help explains the options, and starts nothing', async () => {
  const { output, exitCode } = demo('--help');
  expect(await exitCode).toBe(0);
  for (const option of ['--keep', '--agent', '--wallets'])
    expect(output.stdout).toMatch(new RegExp(`^  ${option} +\\w`, 'm'));
  expect(output.stderr).toBe('');
});

test.each([
  [['--nope'], "Unknown option '--nope'"],
  [['--keep', 'more'], "Unexpected argument 'more'"],
  [['--keep', '--agent'], 'Give only one of --keep, --agent and --wallets'],
])('other arguments are named, with exit code 64: %j', async (args, text) => {
  const { output, exitCode } = demo(...args);
  expect(await exitCode).toBe(64);
  expect(output).toEqual({ stdout: '', stderr: `${text}\nSee: npx stellar-facilitator demo --help\n` });
});

test('a claim that does not hold ends the demo with a line that names it, and exit code 1', async () => {
  const generous = `const real = fetch;
    globalThis.fetch = (to, init) => (String(to).includes('/weather') ? new Response('for free') : real(to, init));`;
  const { output, exitCode } = run(
    '--import',
    `data:text/javascript,${encodeURIComponent(generous)}`,
    'demo/main.ts',
  );
  expect(await exitCode).toBe(1);
  expect(output.stderr).toMatch(/^\nThe demo failed: this claim is false: the seller asks for money .*\n/);
  expect(output.stderr).toContain('"msg":"listening"');
  expect(secretsIn(output.stderr)).toEqual([]);
});

test('a connection that leaves the machine would be noticed', async () => {
  const { output, exitCode } = run('-e', "fetch('https://horizon-testnet.stellar.org').catch(() => {})");
  await exitCode;
  expect(output.stderr).toBe('LEFT THE MACHINE: horizon-testnet.stellar.org\n');
});

const BEFORE: Balances = {
  buyer: { usdc: 500n, stroops: 10n },
  seller: { usdc: 0n, stroops: 10n },
  submitter: { usdc: 0n, stroops: 100n },
  'fee account': { usdc: 0n, stroops: 100n },
};
const AFTER: Balances = {
  ...BEFORE,
  buyer: { usdc: 400n, stroops: 10n },
  seller: { usdc: 100n, stroops: 10n },
  'fee account': { usdc: 0n, stroops: 93n },
};
const books = (after: Balances) => ({ before: BEFORE, after, price: 100n, feeStroops: 7n });

test('books in which the price and the fee have moved are accepted', () => {
  expect(() => claimBooks(books(AFTER))).not.toThrow();
});

test.each<[string, Partial<Balances>]>([
  ['the buyer pays exactly the price', { buyer: { usdc: 399n, stroops: 10n } }],
  ['the seller gets exactly the price', { seller: { usdc: 99n, stroops: 10n } }],
  ['the submitter never touches the money', { submitter: { usdc: 1n, stroops: 100n } }],
  ['the fee account never touches the money', { 'fee account': { usdc: 1n, stroops: 93n } }],
  ['the fee account pays exactly the fee', { 'fee account': { usdc: 0n, stroops: 92n } }],
  ['the submitter pays no fee', { submitter: { usdc: 0n, stroops: 99n } }],
  ['the buyer pays no fee', { buyer: { usdc: 400n, stroops: 9n } }],
])('the demo fails where it does not hold that %s', (text, wrong) => {
  expect(() => claimBooks(books({ ...AFTER, ...wrong }))).toThrow(`this claim is false: ${text}`);
});
