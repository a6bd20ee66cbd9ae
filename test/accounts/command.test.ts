import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@stellar/stellar-sdk';
import { beforeEach, describe, expect, test } from 'vitest';
import { runInside } from '../support/cli.ts';
import { runAccounts, startAccounts, temporaryFolder } from './accountsProcess.ts';

const SECRET = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 7)).secret();
/** An RPC that nothing listens on: what is wrong here is found without one. */
const RPC_URL = 'http://127.0.0.1:1/provider-key-of-20-chars';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const run = (args: string[], environment: Record<string, string> = {}) =>
  runInside(['accounts', ...args], { RPC_URL, ...environment });

describe('wrong usage exits 64 and says what is wrong', () => {
  test.each([
    [[], 'name a command: create or list'],
    [['fund'], 'there is no command "fund": name create or list'],
    [['create', '--count', '0'], '--count must be a whole number from 1 to 1000'],
    [['create', '--count', '1001'], '--count must be a whole number from 1 to 1000'],
    [['create', '--count', '2.5'], '--count must be a whole number from 1 to 1000'],
    [['create', '--count', '-1'], "Option '--count' argument is ambiguous"],
    [['create', '--count'], "Option '--count <value>' argument missing"],
    [['create', '20'], "Unexpected argument '20'"],
    [['create', '--sum', '5'], "Unknown option '--sum'"],
    [['create', '--out', ''], '--out needs the name of a file'],
    [['create', '--resume', 'a.env', '--count', '2'], '--resume continues with the accounts of a file'],
    [['create', '--starting-balance', 'much'], '--starting-balance must be an amount in XLM'],
    [['create', '--starting-balance', '0.99'], 'from 1 XLM (the reserve of an account'],
    [['create', '--starting-balance', '100001'], 'to 100000 XLM'],
    [['create', '--starting-balance', '5'], 'FUNDER_SECRET is missing'],
    [['list', '--count', '2'], "Unknown option '--count'"],
    [['toString'], 'there is no command "toString": name create or list'],
  ])('%j', async (args, text) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toContain(text);
    expect(stderr).toMatch(/See: npx stellar-facilitator accounts --help\n$/);
  });

  test.each([['create', SECRET], ['create', '--out', `${SECRET}.env`], [SECRET]])(
    'a secret key among the arguments, which is never repeated: %#',
    async (...args) => {
      const { code, stderr } = await runAccounts(folder, { RPC_URL }, ...args);
      expect(code).toBe(64);
      expect(stderr).toMatch(/^a secret key is on the command line/);
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});

test.each([[['help']], [['--help']], [['-h']], [['create', '--help']], [['list', '-h']]])(
  '%j explains everything and exits 0',
  async (args) => {
    const { code, stdout } = await run(args);
    expect(code).toBe(0);
    for (const word of [
      'create',
      'list',
      '--count',
      '--out',
      '--resume',
      '--starting-balance',
      '--file',
      '--json',
    ])
      expect(stdout).toContain(word);
    expect(stdout).toContain('FUNDER_SECRET');
    expect(stdout).toContain('\n  npx stellar-facilitator accounts create --resume <file>');
  },
);

describe('wrong configuration exits 78 and names the variable', () => {
  test.each([
    ['create', { FUNDER_SECRET: 'SX' }, 'FUNDER_SECRET is not a Stellar secret key'],
    ['create', { FUNDER_SECRET: Keypair.fromSecret(SECRET).publicKey() }, 'FUNDER_SECRET is a public key'],
    ['create', { NETWORK: 'stellar:mars' }, 'NETWORK must be one of stellar:testnet, stellar:pubnet'],
    ['create', { NETWORK: 'stellar:pubnet', RPC_URL: '' }, 'RPC_URL is missing'],
    ['create', { NETWORK: 'stellar:pubnet' }, 'FUNDER_SECRET is missing: nobody gives lumens away'],
    ['create', { RPC_URL: `http://127.0.0.1/${SECRET}` }, 'RPC_URL holds a secret key'],
    ['list', {}, 'SUBMITTER_SECRET is missing'],
    ['list', { SUBMITTER_SECRET: `${SECRET},S` }, 'SUBMITTER_SECRET entry 2 is not a Stellar secret key'],
    ['list', { SUBMITTER_SECRET: SECRET, FEE_BUMP_SECRET: SECRET }, 'FEE_BUMP_SECRET is also a submitter'],
  ])('%s with %o', async (command, environment, text) => {
    const { code, stdout, stderr } = await run([command], environment);
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toContain(text);
  });

  test.each([
    ['is not there', undefined, 'does not exist'],
    ['has no keys', 'PORT=4021\n', 'SUBMITTER_SECRET is missing'],
    [
      'has a broken key',
      `SUBMITTER_SECRET=${SECRET},${SECRET.slice(0, 40)}\n`,
      'SUBMITTER_SECRET entry 2 is not',
    ],
    ['has a key twice', `SUBMITTER_SECRET=${SECRET},${SECRET}\n`, 'SUBMITTER_SECRET entry 2 repeats entry 1'],
    ['is no text file', `${'x'.repeat(1024 * 1024)}x`, 'is too large for a file with keys'],
  ])('a file that %s', async (_what, content, text) => {
    const file = join(folder, 'some.env');
    if (content !== undefined) writeFileSync(file, content);
    for (const args of [
      ['list', '--file', file],
      ['create', '--resume', file],
    ]) {
      const { code, stderr } = await run(args);
      expect(code).toBe(78);
      expect(stderr).toContain(file);
      expect(stderr).toContain(text);
    }
  });

  test('what the accounts do not depend on may be wrong', async () => {
    const { code, stderr } = await run(['create'], { PORT: 'x', DB_PATH: '/dev/null/x', FEE_MODE: 'paid' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^the RPC of RPC_URL does not answer as it should/);
  });
});

test.each([[[SECRET]], [['backup', SECRET]], [['rehearse', '--to', SECRET]]])(
  'a secret key is refused wherever it is on the command line: %#',
  async (args) => {
    const { code, stderr } = await runInside(args, {});
    expect(code).toBe(64);
    expect(stderr).toMatch(/^a secret key is on the command line/);
  },
);

test('a bug exits 1 and shows its stack, without keys', async () => {
  const { code, stdout, stderr } = await runInside(['accounts', 'list'], {
    get NETWORK(): string {
      throw new TypeError(`cannot read ${SECRET}`);
    },
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^unexpected fault: TypeError: cannot read \[hidden\]\n +at /);
});

test('an RPC that is not there exits 1, without the key in its URL, and nothing is made', async () => {
  const { code, stdout, stderr } = await startAccounts(folder, { RPC_URL }, 'create').ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^the RPC of RPC_URL does not answer as it should, try again later: getNetwork: .*ECONNREFUSED/,
  );
  expect(stderr).not.toContain('provider-key');
  expect(existsSync(join(folder, 'submitters.env'))).toBe(false);
});
