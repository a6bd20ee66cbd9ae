import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Keypair } from '@stellar/stellar-sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { binaries, rowsOf } from '../postgres/server.ts';
import { postgres } from '../postgres/shared.ts';
import { runInside } from '../support/cli.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { NETWORK, NETWORK_NAME, OTHER_NETWORK } from '../support/playedNetwork.ts';

interface Finding {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  text: string;
}

let sandbox: TestSandbox;
let submitter: Keypair;
let folder: string;

beforeAll(async () => {
  sandbox = await openSandbox();
  submitter = sandbox.submitter();
});
beforeEach(() => {
  sandbox.calls.reset();
  folder = mkdtempSync(join(tmpdir(), 'rehearse-'));
});
afterEach(() => {
  sandbox.faults.clear();
  rmSync(folder, { recursive: true });
});
afterAll(() => sandbox.close());

function rehearse(args: string[], changes: Record<string, string | undefined> = {}) {
  const environment = {
    NETWORK,
    RPC_URL: sandbox.url,
    SUBMITTER_SECRET: submitter.secret(),
    DB_PATH: join(folder, 'catalog.db'),
    PORT: '0',
    OPERATOR_PORT: '0',
    ...changes,
  };
  return runInside(['rehearse', ...args], environment);
}

async function findingsOf(changes: Record<string, string | undefined> = {}, args: string[] = []) {
  const { code, stdout } = await rehearse(['--network', NETWORK_NAME, '--json', ...args], changes);
  const { ready, findings } = JSON.parse(stdout) as { ready: boolean; findings: Finding[] };
  expect(code).toBe(ready ? 0 : 1);
  const worst = (status: Finding['status']) =>
    findings.filter((finding) => finding.status === status).map(({ check, text }) => `${check}: ${text}`);
  return { ready, warned: worst('warn'), failed: worst('fail'), findings };
}

const says = (method: string, change: object) =>
  sandbox.faults.add({
    kind: 'rewrite',
    methods: [method],
    rewrite: (_method, result) => ({ ...(result as object), ...change }),
  });

describe('a configuration with which the service can start', () => {
  test('is found ready, check by check, and nothing is sent', async () => {
    const { code, stdout } = await rehearse(['--network', NETWORK_NAME]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/runs protocol \d+/);
    expect(stdout).toMatch(/closed \d s ago by this machine's clock/);
    expect(stdout).toContain(`submitter ${submitter.publicKey()}: has 10000.0000000 XLM`);
    expect(stdout).toContain('The service can start with these settings.');
    expect(sandbox.calls.counts()['sendTransaction']).toBeUndefined();
  });

  test('is found so by the full name of the network, too', async () => {
    expect(await rehearse(['--network', NETWORK])).toMatchObject({ code: 0 });
  });
});

describe('what would keep the service from working is found:', () => {
  test('a submitter without an account', async () => {
    const missing = sandbox.keyWithoutAccount();
    const { failed } = await findingsOf({ SUBMITTER_SECRET: missing.secret() });
    expect(failed).toEqual([expect.stringContaining(`submitter ${missing.publicKey()}: has no account`)]);
  });

  test('a submitter without lumens to spare', async () => {
    const poor = sandbox.keyWithoutAccount();
    sandbox.network.createAccount(poor.publicKey(), 10_040_000n);
    const { failed } = await findingsOf({ SUBMITTER_SECRET: poor.secret() });
    expect(failed).toEqual([expect.stringContaining('enough for 0 settlements')]);
  });

  test('a node of another network', async () => {
    says('getNetwork', { passphrase: 'Another Network ; \u001b[2K' });
    const { failed } = await findingsOf();
    // The operator's terminal shows this text, so its control characters must be escaped.
    const text =
      /^RPC 127\.0\.0\.1:\d+: belongs to another network: its passphrase is "Another Network ; \\u001b\[2K"/;
    expect(failed).toEqual([expect.stringMatching(text)]);
  });

  test('a node that stands still', async () => {
    says('getTransaction', { latestLedgerCloseTime: String(Math.floor(Date.now() / 1000) - 600) });
    expect((await findingsOf()).failed).toEqual([expect.stringMatching(/60\d s ago/)]);
  });

  test('a node that does not answer', async () => {
    sandbox.faults.add({ kind: 'httpStatus', status: 503 });
    expect((await findingsOf()).failed).toEqual([expect.stringContaining('HTTP status 503')]);
  });
});

describe.runIf(binaries)('the database that instances share', () => {
  const changed = (url: string, change: (url: URL) => void): string => {
    const other = new URL(url);
    change(other);
    return other.href;
  };

  test('is tried as a start would, and not changed', async () => {
    const url = await postgres.database();
    const { ready, findings } = await findingsOf({ DATABASE_URL: url });
    expect(ready).toBe(true);
    expect(findings).toContainEqual({
      check: 'database',
      status: 'ok',
      text: 'DATABASE_URL answers, and the service can use it',
    });
    expect(await rowsOf(url, "SELECT FROM pg_namespace WHERE nspname = 'facilitator'")).toEqual([]);
  });

  test.each<[string, (url: string) => string | Promise<string>, RegExp]>([
    [
      'is missing',
      (url) => changed(url, (other) => (other.pathname = '/nobody_made_it')),
      /names a database that does not exist: create it/,
    ],
    [
      'refuses the user',
      (url) => changed(url, (other) => (other.username = 'nobody_made_it')),
      /names a user or a password that the database refuses \(28000\)/,
    ],
    [
      'gives the user no rights',
      async (url) => {
        await postgres.administer('DROP ROLE IF EXISTS rehearsal; CREATE ROLE rehearsal LOGIN');
        return changed(url, (other) => (other.username = 'rehearsal'));
      },
      /names a user without the rights that the service needs: GRANT CREATE/,
    ],
    [
      'cannot hold every text',
      async (url) => {
        const name = `${new URL(url).pathname.slice(1)}_ascii`;
        await postgres.administer(
          `CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`,
        );
        return changed(url, (other) => (other.pathname = `/${name}`));
      },
      /create it with ENCODING UTF8/,
    ],
    [
      'takes no writes',
      async (url) => {
        await rowsOf(
          url,
          `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`,
        );
        return url;
      },
      /takes no writes, as a standby does: name the primary server|holds nothing of this service/,
    ],
    [
      'speaks no TLS',
      (url) => changed(url, (other) => other.searchParams.set('sslmode', 'require')),
      /asks for TLS, which the database does not speak/,
    ],
    [
      'does not answer',
      (url) => changed(url, (other) => (other.port = '1')),
      /does not answer \(ECONNREFUSED\)/,
    ],
  ])('fails if it %s, as a tool that uses it does', async (_, urlOf, says) => {
    const url = await urlOf(await postgres.database());
    expect((await findingsOf({ DATABASE_URL: url })).failed).toEqual([expect.stringMatching(says)]);
    const { code, stderr } = await runInside(['keys', 'list'], { DATABASE_URL: url });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(says);
  });
});

test('a port in use is named, since the service itself may be running', async () => {
  const server = createServer().listen(0);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { ready, warned } = await findingsOf({ PORT: String(port) });
  expect(ready).toBe(true);
  expect(warned).toEqual([`ports: PORT ${port} is in use: by this service, if it is running`]);
});

describe('what may become a problem is named:', () => {
  test('a protocol that is newer than this version of the service', async () => {
    says('getNetwork', { protocolVersion: 31 });
    const { ready, warned } = await findingsOf();
    expect(ready).toBe(true);
    expect(warned).toEqual([expect.stringContaining('runs protocol 31')]);
  });

  test('a clock that is behind', async () => {
    says('getTransaction', { latestLedgerCloseTime: String(Math.floor(Date.now() / 1000) + 100) });
    expect((await findingsOf()).warned).toEqual([expect.stringContaining("ahead of this machine's clock")]);
  });

  test('fees above what is offered', async () => {
    const { warned } = await findingsOf({
      MAX_INCLUSION_FEE_STROOPS: '100',
      MAX_TRANSACTION_FEE_STROOPS: '1000',
    });
    expect(warned).toContainEqual(expect.stringContaining('below what a usual payment needs'));
    says('getFeeStats', { sorobanInclusionFee: { p90: '99999' } });
    expect((await findingsOf()).warned).toContainEqual(expect.stringContaining('99999'));
  });

  // On a disk, the service refuses such a file of its own user.
  test.runIf(process.platform === 'linux')('keys that others can read', async () => {
    const inMemory = mkdtempSync('/dev/shm/rehearse-');
    onTestFinished(() => rmSync(inMemory, { recursive: true }));
    const file = join(inMemory, 'key');
    writeFileSync(file, submitter.secret());
    for (const [mode, problems] of [
      [0o644, 1],
      [0o600, 0],
    ] as const) {
      chmodSync(file, mode);
      const { warned } = await findingsOf({ SUBMITTER_SECRET: undefined, SUBMITTER_SECRET_FILE: file });
      expect(warned).toHaveLength(problems);
    }
  });

  test('a catalog that ends with the process', async () => {
    expect((await findingsOf({ DB_PATH: ':memory:' })).warned).toEqual([expect.stringContaining(':memory:')]);
  });

  test('a node that lags behind the others', async () => {
    const other = await openSandbox();
    const lagging = await openSandbox();
    try {
      for (let i = 0; i < 30; i++) other.network.closeLedger();
      const { warned } = await findingsOf({ RPC_URL: `${lagging.url},${other.url}` });
      expect(warned).toContainEqual(expect.stringContaining('ledgers behind the others'));
    } finally {
      await Promise.all([other.close(), lagging.close()]);
    }
  });
});

describe('a real payment', () => {
  test.each(['open', 'keys'])(
    'of one base unit is made when it is asked for: CALLERS=%s',
    async (CALLERS) => {
      const [payer, seller] = [sandbox.account(100n), sandbox.account(0n).publicKey()];
      const { ready, findings } = await findingsOf({ CALLERS, REHEARSE_PAYER_SECRET: payer.secret() }, [
        '--pay',
        '--to',
        seller,
      ]);
      expect(findings.at(-1)).toMatchObject({
        check: 'payment',
        text: expect.stringMatching(/[0-9a-f]{64}/),
      });
      expect(ready).toBe(true);
      expect([sandbox.usdc(payer.publicKey()), sandbox.usdc(seller)]).toEqual([99n, 1n]);
    },
  );

  test('that cannot be made is a failure that says why', async () => {
    const [payer, seller] = [sandbox.account(0n), sandbox.account(0n).publicKey()];
    const { failed } = await findingsOf({ REHEARSE_PAYER_SECRET: payer.secret() }, ['--pay', '--to', seller]);
    expect(failed).toEqual([expect.stringMatching(/^payment: was not signed: the token refuses it/)]);
  });

  test('is not made, nor signed, where a check has failed', async () => {
    const [payer, seller] = [sandbox.account(100n), sandbox.account(0n).publicKey()];
    const { failed, warned } = await findingsOf(
      { REHEARSE_PAYER_SECRET: payer.secret(), SUBMITTER_SECRET: sandbox.keyWithoutAccount().secret() },
      ['--pay', '--to', seller],
    );
    expect(failed).toEqual([expect.stringMatching(/^submitter G/)]);
    expect(warned).toContain('payment: was not made: first fix what failed');
    expect(sandbox.calls.counts()).not.toHaveProperty('simulateTransaction');
  });

  test.runIf(binaries)('is not made, nor signed, where the database cannot be used', async () => {
    const [payer, seller] = [sandbox.account(100n), sandbox.account(0n).publicKey()];
    const url = new URL('/nobody_made_it', await postgres.database());
    const { failed, warned } = await findingsOf(
      { REHEARSE_PAYER_SECRET: payer.secret(), DATABASE_URL: url.href },
      ['--pay', '--to', seller],
    );
    expect(failed).toEqual([expect.stringMatching(/^database: /)]);
    expect(warned).toContain('payment: was not made: first fix what failed');
    expect(sandbox.calls.counts()).not.toHaveProperty('simulateTransaction');
  });

  test('needs an account that pays', async () => {
    const to = sandbox.account(0n).publicKey();
    expect(await rehearse(['--network', NETWORK_NAME, '--pay', '--to', to])).toMatchObject({
      code: 78,
      stderr: 'REHEARSE_PAYER_SECRET is missing: --pay needs the secret key of the account that pays\n',
    });
  });
});

describe('nothing is done', () => {
  test.each([
    ['without a network', [], '--network is missing: testnet or pubnet'],
    ['with an option that there is not', ['--network', NETWORK_NAME, '--fast'], "Unknown option '--fast'"],
    ['with an option that lacks its value', ['--network'], "Option '--network <value>' argument missing"],
    ['with an argument', [NETWORK_NAME], `Unexpected argument '${NETWORK_NAME}'`],
    ['with --pay and without --to', ['--network', NETWORK_NAME, '--pay'], '--pay needs --to'],
    ['with --to and without --pay', ['--network', NETWORK_NAME, '--to', 'G'], '--to and --asset belong'],
  ])('%s, which is told in a line and exits 64', async (_what, args, problem) => {
    const { code, stdout, stderr } = await rehearse(args);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    const [first, ...others] = stderr.split('\n');
    expect(first).toContain(problem);
    expect(others).toEqual(['See: npx stellar-facilitator rehearse --help', '']);
    expect(sandbox.calls.counts()).toEqual({});
  });

  test('for another network than that of the configuration', async () => {
    expect(await rehearse(['--network', OTHER_NETWORK])).toMatchObject({ code: 78, stdout: '' });
    expect(sandbox.calls.counts()).toEqual({});
  });

  test('with a configuration that is wrong, and each problem is named', async () => {
    const { code, stderr } = await rehearse(['--network', NETWORK_NAME], {
      PORT: 'x',
      SUBMITTER_SECRET: 'S',
    });
    expect(code).toBe(78);
    expect(stderr.trimEnd().split('\n')).toHaveLength(2);
  });

  test('with a secret key on the command line', async () => {
    const args = ['--network', NETWORK_NAME, '--pay', '--to', submitter.secret()];
    expect(await rehearse(args)).toMatchObject({ code: 64 });
  });

  test.each([[['--help']], [['--network', NETWORK_NAME, '-h']]])(
    'when help is asked for: %j',
    async (args) => {
      const { code, stdout, stderr } = await rehearse(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('\n  npx stellar-facilitator rehearse --network testnet|pubnet [--json]\n');
      expect(stdout).toContain('ONE REAL PAYMENT');
      expect(sandbox.calls.counts()).toEqual({});
    },
  );
});
