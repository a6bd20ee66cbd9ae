import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair } from '@stellar/stellar-sdk';
import { expect, onTestFinished, test } from 'vitest';
import { ask } from '../http/support.ts';
import { childEnvironment } from '../support/childEnvironment.ts';

const SUBMITTER_SECRET = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).secret();
/** An RPC that nothing listens on: a start must not need one. */
const RPC_URL = 'http://127.0.0.1:1';

interface Run {
  exit: Promise<{ code: number | null; stdout: string; stderr: string }>;
  listening: Promise<{ url: string }>;
  kill(signal: NodeJS.Signals): void;
}

function start(environment: Record<string, string>): Run {
  const child = spawn(process.execPath, ['src/main.ts'], {
    env: { ...childEnvironment, ...environment },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  const listening = Promise.withResolvers<{ url: string }>();
  child.stdout.on('data', (text: Buffer) => {
    stdout += text.toString();
    const line = stdout.split('\n').find((candidate) => candidate.includes('"listening"'));
    if (line) listening.resolve(JSON.parse(line) as { url: string });
  });
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  const exit = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, stdout, stderr })),
  );
  return { exit, listening: listening.promise, kill: (signal) => void child.kill(signal) };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'facilitator-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('without configuration it exits 78 and says what to do next', async () => {
  const { code, stdout, stderr } = await start({ DB_PATH: ':memory:' }).exit;
  expect(code).toBe(78);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^SUBMITTER_SECRET is missing/);
  expect(stderr).toContain('npm run sandbox');
  expect(stderr).toContain('friendbot');
});

test('every problem of a configuration is one line on stderr, and the exit code is 78', async () => {
  const wrong = { SUBMITTER_SECRET: 'SX', PORT: '99999', FEE_MODE: 'paid', DB_PATH: '/dev/null/catalog.db' };
  const { code, stderr } = await start(wrong).exit;
  expect(code).toBe(78);
  const variables = stderr.trimEnd().split('\n');
  expect(variables.map((line) => line.split(' ')[0])).toEqual([
    'SUBMITTER_SECRET',
    'PORT',
    'FEE_MODE',
    'DB_PATH',
  ]);
  expect(variables.at(-1)).toMatch(/^DB_PATH cannot be written \(\w+\)/);
  expect(stderr).not.toContain('/dev/null');
});

test('a database path whose parent is a file exits 78', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const { code, stderr } = await start({ SUBMITTER_SECRET, RPC_URL, DB_PATH: join(file, 'catalog.db') }).exit;
  expect(code).toBe(78);
  expect(stderr).toMatch(/^DB_PATH cannot be written \(\w+\): .*\n$/);
});

test('a port in use is one line on stderr and exit code 1', async () => {
  const other = createServer().listen(0);
  onTestFinished(() => void other.close());
  const port = String((other.address() as AddressInfo).port);
  const { code, stderr } = await start({ SUBMITTER_SECRET, RPC_URL, DB_PATH: ':memory:', PORT: port }).exit;
  expect(code).toBe(1);
  expect(stderr).toBe(`PORT ${port} is in use: stop what listens there, or set another\n`);
});

test.each([
  ['127.0.0.1', '127.0.0.1', '127.0.0.2'],
  ['127.0.0.2', '127.0.0.2', '127.0.0.1'],
  ['localhost', 'localhost', '127.0.0.2'],
  ['0.0.0.0', '127.0.0.1', undefined],
])('on HOST %s it listens on that address and on no other', async (HOST, shown, other) => {
  const run = start({ SUBMITTER_SECRET, RPC_URL, DB_PATH: ':memory:', HOST, PORT: '0' });
  const { url } = await run.listening;
  expect(new URL(url).hostname).toBe(shown);
  expect((await ask(`${url}/health`)).status).toBe(200);
  const elsewhere = fetch(url.replace(shown, other ?? '127.0.0.2'));
  if (other === undefined) expect((await elsewhere).status).toBe(404);
  else await expect(elsewhere).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
});

test('an address that is not of this machine is one line on stderr and exit code 1', async () => {
  // From the block for documentation (RFC 5737).
  const { exit } = start({ SUBMITTER_SECRET, RPC_URL, DB_PATH: ':memory:', HOST: '192.0.2.1', PORT: '0' });
  const { code, stderr } = await exit;
  expect(code).toBe(1);
  expect(stderr).toBe(
    'HOST 192.0.2.1 cannot be listened on (EADDRNOTAVAIL): name an address of this machine\n',
  );
});

test.each(['SIGTERM', 'SIGINT'] as const)('it listens, answers, and exits 0 on %s', async (signal) => {
  const DB_PATH = join(temporaryFolder(), 'made', 'catalog.db');
  const run = start({ SUBMITTER_SECRET, RPC_URL: `${RPC_URL}/provider-key-of-20-chars`, DB_PATH, PORT: '0' });
  const { url } = await run.listening;
  const { body: health } = await ask(`${url}/health`);
  expect(health).toMatchObject({
    status: 'ok',
    port: Number(new URL(url).port),
    rpcUrl: RPC_URL,
    dbPath: DB_PATH,
  });
  run.kill(signal);
  const { code, stdout } = await run.exit;
  expect(code).toBe(0);
  expect(stdout).toContain('"msg":"stopped"');
  expect(stdout).not.toContain(SUBMITTER_SECRET);
  expect(stdout).not.toContain('provider-key');
});
