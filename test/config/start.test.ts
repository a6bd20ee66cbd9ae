import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Keypair } from '@stellar/stellar-sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { configure } from '../../src/config/config.ts';
import { SILENT_LOG } from '../../src/log/log.ts';
import { openService } from '../../src/service.ts';
import { openHttpServer } from '../agent/support/httpServer.ts';
import { startChild, type Ended } from '../catalog/child.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { ask } from '../http/support.ts';
import { startService } from '../kill/process.ts';
import { catalogDouble } from '../support/catalogDouble.ts';

const SUBMITTER_SECRET = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).secret();
/** An RPC that nothing listens on: a start must not need one. */
const RPC_URL = 'http://127.0.0.1:1';
const ENVIRONMENT = { SUBMITTER_SECRET, RPC_URL, DB_PATH: ':memory:' };

/** For a start that fails. */
const start = (env: Record<string, string>): Promise<Ended> =>
  startChild(process.execPath, ['dist/stellar-facilitator.js'], { env }).ended;

test('without configuration it exits 78 and says what to do next', async () => {
  const { code, lines, stderr } = await start({ DB_PATH: ':memory:' });
  expect({ code, lines }).toEqual({ code: 78, lines: [] });
  expect(stderr).toMatch(/^SUBMITTER_SECRET is missing/);
  expect(stderr).toContain('npx stellar-facilitator sandbox');
  expect(stderr).toContain('friendbot');
});

test('every problem of a configuration is one line on stderr, and the exit code is 78', async () => {
  // No pipe without a writer holds the start up.
  const SUBMITTER_SECRET_FILE = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [SUBMITTER_SECRET_FILE]);
  const wrong = { FEE_BUMP_SECRET: 'SX', PORT: '99999', FEE_MODE: 'paid', DB_PATH: '/dev/null/catalog.db' };
  const { code, stderr } = await start({ SUBMITTER_SECRET_FILE, ...wrong });
  expect(code).toBe(78);
  const variables = stderr.trimEnd().split('\n');
  expect(variables.map((line) => line.split(' ')[0])).toEqual([
    'SUBMITTER_SECRET_FILE',
    'FEE_BUMP_SECRET',
    'PORT',
    'FEE_MODE',
    'DB_PATH',
  ]);
  expect(variables[0]).toBe('SUBMITTER_SECRET_FILE names something that is not a regular file');
  expect(variables.at(-1)).toMatch(/^DB_PATH cannot be written \(\w+\)/);
  expect(stderr).not.toContain('/dev/null');
});

test('a database path whose parent is a file is a problem', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  expect(configure({ ...ENVIRONMENT, DB_PATH: join(file, 'catalog.db') })).toEqual({
    problems: [{ variable: 'DB_PATH', text: expect.stringMatching(/^cannot be written \(\w+\): .*$/) }],
  });
});

test.skipIf(process.platform !== 'linux').each([
  ['/proc/self/catalog.db', undefined],
  ['/proc/made/here/catalog.db', undefined],
  ['/proc/sys/kernel/hostname', undefined],
  ['/sys/catalog.db', undefined],
  ['/dev/catalog.db', undefined],
  ['/tmp/../proc/made/catalog.db', undefined],
  ['linked/made/catalog.db', '/proc'],
])('a database in a folder of the kernel is a problem: %s', async (path, linked) => {
  const folder = temporaryFolder();
  if (linked !== undefined) symlinkSync(linked, join(folder, 'linked'));
  const DB_PATH = linked === undefined ? path : join(folder, path);
  // In a process of its own, since a folder that is made there may take forever.
  const { code, stderr } = await start({ ...ENVIRONMENT, DB_PATH });
  expect(code).toBe(78);
  expect(stderr).toBe(
    'DB_PATH is in a folder of the kernel, which keeps no files: name a file elsewhere, or :memory:\n',
  );
});

test.skipIf(process.platform !== 'linux')('a database in shared memory is none', () => {
  const folder = mkdtempSync('/dev/shm/catalog-');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(configure({ ...ENVIRONMENT, DB_PATH: join(folder, 'catalog.db') })).toHaveProperty('config');
});

test('a port in use is one line on stderr and exit code 1', async () => {
  const other = createServer().listen(0);
  onTestFinished(() => void other.close());
  const port = String((other.address() as AddressInfo).port);
  const { code, stderr } = await start({ ...ENVIRONMENT, PORT: port });
  expect(code).toBe(1);
  expect(stderr).toBe(`PORT ${port} is in use: stop what listens there, or set another\n`);
});

test.each([
  ['127.0.0.1', '127.0.0.1', '127.0.0.2'],
  // Nothing else listens on the third, whatever its port.
  ['127.0.0.2', '127.0.0.2', '127.0.0.3'],
  ['localhost', 'localhost', '127.0.0.3'],
  ['0.0.0.0', '127.0.0.1', undefined],
])('on HOST %s it listens on that address and on no other', async (HOST, shown, other) => {
  const configured = configure({ ...ENVIRONMENT, HOST, PORT: '0' });
  if ('problems' in configured) throw new Error(JSON.stringify(configured.problems));
  const service = await openService({ ...configured, log: SILENT_LOG, parts: { catalog: catalogDouble() } });
  onTestFinished(() => service.close());
  const { url } = service;
  expect(new URL(url).hostname).toBe(shown);
  expect((await ask(`${url}/health`)).status).toBe(200);
  const elsewhere = fetch(url.replace(shown, other ?? '127.0.0.2'));
  if (other === undefined) expect((await elsewhere).status).toBe(200);
  else await expect(elsewhere).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
});

test('an address that is not of this machine is one line on stderr and exit code 1', async () => {
  // From the block for documentation (RFC 5737).
  const { code, stderr } = await start({ ...ENVIRONMENT, HOST: '192.0.2.1', PORT: '0' });
  expect(code).toBe(1);
  expect(stderr).toBe(
    'HOST 192.0.2.1 cannot be listened on (EADDRNOTAVAIL): name an address of this machine\n',
  );
});

describe('RPC nodes of another network', () => {
  /** A node of the public network. It has nothing else to say. */
  const foreign = (): Promise<string> =>
    openHttpServer(async (request, response) => {
      const { id } = JSON.parse(await text(request)) as { id: number };
      const result = { passphrase: 'Public Global Stellar Network ; September 2015' };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });

  test('end the start with 78 if there are no others', async () => {
    const rpcUrl = `${await foreign()},${await foreign()}/v1`;
    const { code, lines, stderr } = await start({ ...ENVIRONMENT, RPC_URL: rpcUrl, PORT: '0' });
    expect(code).toBe(78);
    expect(stderr).toBe(
      'RPC_URL names nodes of another network than stellar:testnet: name others, or set NETWORK\n',
    );
    expect(lines.join()).not.toContain('listening');
  });

  test('end no start beside one that does not answer yet', async () => {
    const service = startService({ ...ENVIRONMENT, RPC_URL: `${await foreign()},${RPC_URL}` });
    await service.url;
    expect(service.lines().join()).toContain('the RPC node belongs to another network');
  });
});

test('it listens, answers, shows no key, and exits 0 on SIGINT', async () => {
  const reports = temporaryFolder();
  const DB_PATH = join(reports, 'made', 'catalog.db');
  const service = startService({
    SUBMITTER_SECRET,
    RPC_URL: `${RPC_URL}/provider-key-of-20-chars`,
    DB_PATH,
    NODE_OPTIONS: `--report-on-signal --report-directory=${reports}`,
  });
  const url = await service.url;
  const { body: health } = await ask(`${url}/health`);
  expect(health).toMatchObject({
    status: 'ok',
    port: Number(new URL(url).port),
    rpcUrl: RPC_URL,
    dbPath: DB_PATH,
  });
  // A diagnostic report shows the environment, and then the libraries.
  service.kill('SIGUSR2');
  const report = (): string =>
    globSync(`${reports}/report.*.json`)
      .map((path) => readFileSync(path, 'utf8'))
      .join();
  await expect.poll(report).toContain('"sharedObjects"');
  expect(report()).toContain(DB_PATH);
  expect(report()).not.toContain(SUBMITTER_SECRET);
  service.kill('SIGINT');
  const { code, lines } = await service.ended;
  expect(code).toBe(0);
  const stdout = lines.join('\n');
  expect(stdout).toContain('"msg":"stopped"');
  expect(stdout).not.toContain(SUBMITTER_SECRET);
  expect(stdout).not.toContain('provider-key');
});
