import { execFile, spawn } from 'node:child_process';
import { access } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { Keypair } from '@stellar/stellar-sdk';
import { expect, test } from 'vitest';
import { childEnvironment } from '../support/childEnvironment.ts';
import { callRpc, get } from './rpcClient.ts';

const MAIN = new URL('../../sandbox/main.ts', import.meta.url).pathname;

function run(environment: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN], { env: { ...childEnvironment, ...environment } });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += chunk));
  child.stderr.on('data', (chunk) => (output.stderr += chunk));
  const exitCode = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, output, exitCode };
}

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
  const { child, output, exitCode } = run({ ...asked, SANDBOX_PORT: '0', SANDBOX_LEDGER_MS: '0' });
  await expect.poll(() => output.stdout, { timeout: 20_000 }).toContain('stops it');
  const [, url] = /RPC_URL=(\S+) NETWORK=stellar:pubnet/.exec(output.stdout)!;
  expect((await callRpc(url!, 'getNetwork')).result).toMatchObject({
    passphrase: 'Public Global Stellar Network ; September 2015',
    protocolVersion: 29,
  });
  child.kill('SIGTERM');
  expect(await exitCode).toBe(0);
});

test('it prints what to paste, serves until SIGTERM, and leaves nothing behind', async () => {
  const { child, output, exitCode } = run({ SANDBOX_PORT: '0', SANDBOX_LEDGER_MS: '0' });
  await expect.poll(() => output.stdout, { timeout: 20_000 }).toContain('stops it');
  const [, url, secret] = /RPC_URL=(\S+) NETWORK=stellar:testnet SUBMITTER_SECRET=(S\S+) npm start/.exec(
    output.stdout,
  )!;
  const submitter = Keypair.fromSecret(secret!).publicKey();
  expect((await get(`${url}/balance?addr=${submitter}`)).body.native).toBe('100000000000');
  expect((await callRpc(url!, 'getHealth')).result.status).toBe('healthy');
  const certificateFile = /NODE_EXTRA_CA_CERTS=(\S+)/.exec(output.stdout)![1]!;
  const httpsUrl = /https:\S+/.exec(output.stdout)![0];
  const script = `fetch('${httpsUrl}/ledgers').then(({ status }) => console.log(status))`;
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificateFile };
  expect((await promisify(execFile)(process.execPath, ['-e', script], { env })).stdout.trim()).toBe('200');
  child.kill('SIGTERM');
  expect(await exitCode).toBe(0);
  await expect(access(certificateFile)).rejects.toThrow('ENOENT');
});
