import { Keypair } from '@stellar/stellar-sdk';
import { expect, onTestFinished, test } from 'vitest';
import { startChild } from '../catalog/child.ts';
import { ask } from '../http/support.ts';
import { startService } from '../kill/process.ts';
import { openSandbox } from '../support/sandbox.ts';
import { toConfig } from '../../src/config/config.ts';
import { createLog } from '../../src/log/log.ts';

const key = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1));
/** Nothing listens there. */
const RPC_URL = 'http://127.0.0.1:1';
const ENVIRONMENT = { SUBMITTER_SECRET: key.secret(), RPC_URL, DB_PATH: ':memory:', PORT: '0' };

test('a start says in one line what runs, with which accounts, and how to try it', async () => {
  const sandbox = await openSandbox();
  onTestFinished(() => sandbox.close());
  const submitter = sandbox.submitter();
  const service = startService({
    ...ENVIRONMENT,
    SUBMITTER_SECRET: submitter.secret(),
    FEE_BUMP_SECRET: sandbox.keyWithoutAccount().secret(),
    RPC_URL: sandbox.url,
  });
  const url = await service.url;
  const started = JSON.parse(await service.line(/"started"/)) as Record<string, unknown>;
  expect(started).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    network: 'stellar:testnet',
    nodes: [sandbox.url],
    accounts: [
      { role: 'fee account', balanceXlm: '0' },
      {
        address: submitter.publicKey(),
        role: 'submitter',
        balanceXlm: String(Number(sandbox.native(submitter.publicKey())) / 1e7),
      },
    ],
    url,
    try: `curl ${url}/supported`,
  });
  expect((await ask(String(started['try']).replace('curl ', ''))).status).toBe(200);
});

test('without an RPC it says the same without balances', async () => {
  const service = startService(ENVIRONMENT);
  const started = JSON.parse(await service.line(/"started"/)) as Record<string, unknown>;
  expect(started['accounts']).toEqual([{ address: key.publicKey(), role: 'submitter' }]);
});

test('each node that does not answer is told in one line, with its fault and without a stack', async () => {
  const service = startService({ ...ENVIRONMENT, RPC_URL: 'http://127.0.0.1:1,http://127.0.0.1:2' });
  await service.line(/"started"/);
  const told = service.lines().filter((line) => line.includes('the RPC does not answer yet'));
  expect(told.map((line) => (JSON.parse(line) as { err: object }).err)).toEqual(
    ['1', '2'].map((port) => ({
      type: 'RpcFault',
      message: expect.stringContaining(`ECONNREFUSED 127.0.0.1:${port}`),
      cause: { type: 'Error', message: expect.stringContaining('ECONNREFUSED') },
    })),
  );
  expect(service.lines().join()).not.toContain('"stack"');
});

test('any other fault is logged with its stack', () => {
  const lines: string[] = [];
  const log = createLog([], { write: (line) => void lines.push(line) });
  log.warn({ err: new Error('a bug', { cause: new Error('its cause') }) }, 'failed');
  const stack = expect.stringContaining('settings.test.ts') as string;
  expect(JSON.parse(lines[0]!)).toMatchObject({ err: { stack, cause: { stack } } });
});

test('LOG_LEVEL leaves out what is less important', async () => {
  const service = startService({ ...ENVIRONMENT, LOG_LEVEL: 'warn' });
  await service.line(/the RPC does not answer yet: check RPC_URL/);
  service.kill('SIGTERM');
  const { code, lines } = await service.ended;
  expect(code).toBe(0);
  // Nothing settles at a start.
  expect(lines.join()).not.toContain('settling');
  expect(new Set(lines.map((line) => (JSON.parse(line) as { level: string }).level))).toEqual(
    new Set(['warn']),
  );
});

test('LOG_FORMAT=pretty is for people, without colours where nobody sees them', async () => {
  const service = startChild(process.execPath, ['dist/stellar-facilitator.js'], {
    env: { ...ENVIRONMENT, LOG_FORMAT: 'pretty' },
  });
  expect(await service.line(/ listening /)).toMatch(/^\d\d:\d\d:\d\d INFO {2}listening url=http:/);
  expect(await service.line(/^ {2}try/)).toMatch(/^ {2}try +curl http/);
});

test.each([
  ['has colours', {}, true],
  ['has none if the user wants none', { NO_COLOR: '1' }, false],
  ['is JSON if asked for', { LOG_FORMAT: 'json' }, false],
])('a terminal %s', async (_what, environment, hasColours) => {
  const command = `"${process.execPath}" dist/stellar-facilitator.js`;
  const service = startChild('script', ['-qec', command, '/dev/null'], {
    env: { ...ENVIRONMENT, ...(environment as Record<string, string>) },
  });
  const line = await service.line(/listening/);
  expect(line.includes('\u001b[')).toBe(hasColours);
  expect(line.startsWith('{')).toBe('LOG_FORMAT' in environment);
});

test.each([
  ['LOG_LEVEL', 'debug', 'must be one of info, warn, error, silent'],
  ['LOG_FORMAT', 'xml', 'must be one of json, pretty'],
])('%s=%s is a problem', (variable, value, text) => {
  const configured = toConfig({ SUBMITTER_SECRET: key.secret(), [variable]: value });
  expect(configured).toEqual({ problems: [{ variable, text }] });
});
