import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Keypair } from '@stellar/stellar-sdk';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { KNOWN_ACCOUNTS, knownKey } from '../../sandbox/knownAccounts.ts';
import { createNetwork } from '../../sandbox/network.ts';
import { readSettings } from '../../sandbox/settings.ts';
import { childEnvironment } from '../support/childEnvironment.ts';
import { withoutRights } from '../support/refusedStart.ts';
import { callRpc, get, post } from './rpcClient.ts';

const MAIN = new URL('../../sandbox/main.ts', import.meta.url).pathname;

const home = mkdtempSync(join(tmpdir(), 'sandbox-home-'));
afterAll(() => rmSync(home, { recursive: true }));

function run(environment: Record<string, string>, ...args: string[]) {
  const env = { ...childEnvironment, HOME: home, ...environment };
  const child = spawn(process.execPath, [MAIN, ...args], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += chunk));
  child.stderr.on('data', (chunk) => (output.stderr += chunk));
  const exitCode = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, output, exitCode };
}

/** Starts a network on free ports, which closes ledgers only when asked. Returns its URL. */
async function start(environment: Record<string, string> = {}, ...args: string[]) {
  const started = run({ SANDBOX_PORT: '0', SANDBOX_LEDGER_MS: '0', ...environment }, ...args);
  await expect.poll(() => started.output.stdout, { timeout: 20_000 }).toContain('stops it');
  return { ...started, url: /RPC_URL=(\S+)/.exec(started.output.stdout)![1]! };
}

test.each(['--help', '-h'])('%s tells its option and every variable, and starts nothing', async (option) => {
  const { output, exitCode } = run({ SANDBOX_PORT: 'wrong' }, option);
  expect(await exitCode).toBe(0);
  expect(output.stderr).toBe('');
  const settings = readFileSync(new URL('../../sandbox/settings.ts', import.meta.url), 'utf8');
  const variables = new Set(settings.match(/SANDBOX_[A-Z_]+/g));
  expect(variables.size).toBe(5);
  for (const name of ['--state <file>', ...variables])
    expect(output.stdout).toMatch(new RegExp(`^  ${name} +\\w`, 'm'));
});

test('every wrong setting is named, and the exit code is 78', async () => {
  const { output, exitCode } = run({
    SANDBOX_PORT: '65535',
    SANDBOX_LEDGER_MS: 'fast',
    SANDBOX_PROTOCOL: '28',
    SANDBOX_NETWORK: 'futurenet',
  });
  expect(await exitCode).toBe(78);
  expect(output.stderr).toContain('SANDBOX_PORT must be an integer from 0 to 65534');
  expect(output.stderr).toContain('SANDBOX_LEDGER_MS must be an integer from 0 to 600000');
  expect(output.stderr).toContain('SANDBOX_PROTOCOL must be 30 or 29');
  expect(output.stderr).toContain('SANDBOX_NETWORK must be testnet or pubnet');
});

test('ten accounts are printed with their keys, and have what is printed', async () => {
  const { output, url } = await start();
  const printed = [...output.stdout.matchAll(/^ {2}(.+?) +(G\S{55}) (S\S{55})(?: {2}(\d+) USDC)?$/gm)];
  expect(printed.map(([, label]) => label)).toEqual(KNOWN_ACCOUNTS.map(({ label }) => label));
  for (const [, , address, secret, usdc = '0'] of printed) {
    expect(Keypair.fromSecret(secret!).publicKey()).toBe(address);
    expect((await get(`${url}/balance?addr=${address}`)).body).toMatchObject({
      native: '100000000000',
      usdc: String(BigInt(usdc) * 10_000_000n),
    });
  }
});

test('the printed commands name one seller and one buyer, and the certificate at the place of its port', async () => {
  const { output } = await start();
  const httpsPort = /https:\/\/127\.0\.0\.1:(\d+)/.exec(output.stdout)![1];
  const certificate = join(home, '.stellar-sandbox', `ca-${httpsPort}.pem`);
  const lines = output.stdout.split('\n').map((line) => line.trim());
  expect(lines).toContain(`PAY_TO=${knownKey('seller 1').publicKey()} node seller.mjs`);
  expect(lines).toContain(
    `NODE_EXTRA_CA_CERTS=${certificate} STELLAR_RPC_URL=https://127.0.0.1:${httpsPort} ` +
      `CLIENT_STELLAR_PRIVATE_KEY=${knownKey('buyer 1').secret()} node buyer.mjs`,
  );
  expect(readFileSync(certificate, 'utf8')).toContain('BEGIN CERTIFICATE');
});

test('with --state a restart goes on where it stopped, also after a kill', async () => {
  const file = join(home, 'state.json');
  const address = knownKey('seller 1').publicKey();
  const first = await start({}, '--state', file);
  await get(`${first.url}/mint?addr=${address}&amount=7`);
  await post(`${first.url}/close`, '');
  first.child.kill('SIGTERM');
  expect(await first.exitCode).toBe(0);

  const second = await start({}, '--state', file);
  const { body } = await get(`${second.url}/balance?addr=${address}`);
  expect(body).toMatchObject({ ledger: 1001, usdc: '7' });
  second.child.kill('SIGKILL');
  await second.exitCode;

  const third = await start({}, '--state', file);
  expect((await get(`${third.url}/balance?addr=${address}`)).body).toEqual(body);
});

test('SANDBOX_HOST lets other machines in, and must be an address', async () => {
  const { url } = await start({ SANDBOX_HOST: '0.0.0.0' });
  // Loopback has more than one address, of which the default has one.
  const { port } = new URL(url);
  expect((await get(`http://127.0.0.2:${port}/balance?addr=${knownKey('agent').publicKey()}`)).status).toBe(
    200,
  );
  const { output, exitCode } = run({ SANDBOX_HOST: 'everywhere' });
  expect(await exitCode).toBe(78);
  expect(output.stderr).toContain('SANDBOX_HOST must be an IPv4 address');
});

test.each([
  [['--sate', 'x'], "Unknown option '--sate'"],
  [['extra'], "Unexpected argument 'extra'"],
])('arguments that it does not know are named, and the exit code is 64: %j', async (args, text) => {
  const { output, exitCode } = run({}, ...args);
  expect(await exitCode).toBe(64);
  expect(output.stderr).toBe(`${text}\nSee: npx stellar-facilitator sandbox --help\n`);
});

test('a misspelled variable is told in one line, and stops nothing', async () => {
  const { output } = await start({ SANDBOX_PROT: '1' });
  expect(output.stderr).toBe('SANDBOX_PROT is not a setting: did you mean SANDBOX_PORT?\n');
});

test.each([
  ['a file of anything else', MAIN, `--state ${MAIN} is not a state that a sandbox saved`],
  ['a folder', home, `--state ${home} cannot be read (EISDIR)`],
  [
    'a file in no folder',
    join(home, 'nowhere', 'x'),
    `--state: there is no folder ${join(home, 'nowhere')}\n`,
  ],
])('a state that is %s ends the start with 78', async (_what, path, text) => {
  const { output, exitCode } = run({}, '--state', path);
  expect(await exitCode).toBe(78);
  expect(output.stderr).toContain(text);
});

test('a state in a folder that may not be written is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-foreign-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o500);
  expect(withoutRights(() => readSettings(join(folder, 'state.json'), {}))).toEqual({
    problems: [`--state: no file can be made in the folder ${folder} (EACCES)`],
  });
});

test('the state of one network is not taken for another', async () => {
  const file = join(home, 'pubnet.json');
  writeFileSync(file, JSON.stringify(createNetwork({ network: 'pubnet' }).save()));
  const { output, exitCode } = run({}, '--state', file);
  expect(await exitCode).toBe(78);
  expect(output.stderr).toContain('holds a network of SANDBOX_NETWORK=pubnet');
});

test('a port in use is told in one line', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => squatter.once('listening', resolve));
  const { port } = squatter.address() as AddressInfo;
  const { output, exitCode } = run({ SANDBOX_PORT: String(port) });
  expect(await exitCode).toBe(1);
  expect(output.stderr.trim().split('\n')).toEqual([expect.stringContaining(`port ${port} is in use`)]);
  squatter.close();
});

test('it runs the chosen network and protocol', async () => {
  const asked = { SANDBOX_PROTOCOL: '29', SANDBOX_NETWORK: 'pubnet' };
  const { child, output, exitCode, url } = await start(asked);
  expect(output.stdout).toContain(`RPC_URL=${url} NETWORK=stellar:pubnet`);
  expect((await callRpc(url, 'getNetwork')).result).toMatchObject({
    passphrase: 'Public Global Stellar Network ; September 2015',
    protocolVersion: 29,
  });
  child.kill('SIGTERM');
  expect(await exitCode).toBe(0);
});

test('it prints what to paste, serves until SIGTERM, and leaves nothing behind', async () => {
  const { child, output, exitCode, url } = await start();
  const { secret } =
    /NETWORK=stellar:testnet DB_PATH=:memory: SUBMITTER_SECRET=(?<secret>S\S+) npx stellar-facilitator$/m.exec(
      output.stdout,
    )!.groups!;
  expect(secret).toBe(knownKey('submitter 1').secret());
  expect((await callRpc(url, 'getHealth')).result.status).toBe('healthy');
  const certificateFile = /NODE_EXTRA_CA_CERTS=(\S+)/.exec(output.stdout)![1]!;
  const httpsUrl = /https:\S+/.exec(output.stdout)![0];
  const script = `fetch('${httpsUrl}/ledgers').then(({ status }) => console.log(status))`;
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificateFile };
  expect((await promisify(execFile)(process.execPath, ['-e', script], { env })).stdout.trim()).toBe('200');
  child.kill('SIGTERM');
  expect(await exitCode).toBe(0);
  await expect(access(certificateFile)).rejects.toThrow('ENOENT');
});
