import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runAccounts, temporaryFolder } from '../accounts/accountsProcess.ts';
import { ask } from '../http/support.ts';
import { startService } from '../kill/process.ts';
import { childEnvironment } from '../support/childEnvironment.ts';
import { withoutRights } from '../support/refusedStart.ts';
import { configure, type Secrets } from '../../src/config/config.ts';

const key = (n: number): Keypair => Keypair.fromRawEd25519Seed(Buffer.alloc(32, n));
const [first, second, third] = [key(1), key(2), key(3)].map((pair) => pair.secret()) as [
  string,
  string,
  string,
];

/** Nothing listens there: a start must not need an RPC. */
const OFFLINE = { RPC_URL: 'http://127.0.0.1:1', DB_PATH: ':memory:' };
const unreadable = (path: string, code = 'ENOENT'): string =>
  `names ${path}, which cannot be read (${code}): name a file that this user may read`;

/** Every user may make files there, and unlike /tmp it is never in memory. */
const ON_DISK = '/var/tmp';
const OWN = { mode: 0o600 };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: string): string {
  const path = join(folder, 'secret');
  writeFileSync(path, content, OWN);
  return path;
}

const configured = (environment: Record<string, string>) =>
  configure({ DB_PATH: ':memory:', ...environment });

function secretsOf(environment: Record<string, string>): Secrets {
  const result = configured(environment);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.secrets;
}

function problems(environment: Record<string, string>): string[] {
  const result = configured(environment);
  return 'problems' in result ? result.problems.map(({ variable, text }) => `${variable} ${text}`) : [];
}

describe('the submitters of a file', () => {
  test.each([
    ['one key', first, [first]],
    ['a key with an end of line, and spaces', `  ${first} \r\n`, [first]],
    ['keys separated by commas', `${first}, ${second}\n`, [first, second]],
    ['keys on lines of their own', `${first}\n${second}\r\n\n${third}\n`, [first, second, third]],
    ['keys separated by both', `${first},\n${second}`, [first, second]],
    ['what the accounts tool writes', `SUBMITTER_SECRET=${first},${second}\n`, [first, second]],
    ['more variables', `FEE_BUMP_SECRET=${third}\nSUBMITTER_SECRET="${first}"\n`, [first]],
  ])('are read: %s', (_what, content, expected) => {
    expect(secretsOf({ SUBMITTER_SECRET_FILE: file(content) }).submitterSecrets).toEqual(expected);
  });

  test('may be a thousand, behind a link', () => {
    const many = Array.from({ length: 1_000 }, (_, n) =>
      Keypair.fromRawEd25519Seed(Buffer.alloc(32, `${n},`)).secret(),
    );
    const link = join(folder, 'link');
    symlinkSync(file(`SUBMITTER_SECRET=${many.join(',')}\n`), link);
    expect(secretsOf({ SUBMITTER_SECRET_FILE: link }).submitterSecrets).toHaveLength(1_000);
  });

  test('and the fee account may come from one file', () => {
    const path = file(`SUBMITTER_SECRET=${first}\nFEE_BUMP_SECRET=${third}\n`);
    expect(secretsOf({ SUBMITTER_SECRET_FILE: path, FEE_BUMP_SECRET_FILE: path })).toEqual({
      submitterSecrets: [first],
      feeBumpSecret: third,
    });
  });
});

describe('a file that cannot be used is told with its variable, and nothing of it', () => {
  const mistyped = `${second.slice(0, -1)}A`;
  const inFolder = (name: string, make: (path: string) => void) => (): string => {
    const path = join(folder, name);
    make(path);
    return path;
  };
  const wrong: [what: string, path: () => string, problem: string][] = [
    ['a folder', inFolder('made', (path) => mkdirSync(path)), 'names something that is not a regular file'],
    [
      'a pipe',
      inFolder('pipe', (path) => execFileSync('mkfifo', [path])),
      'names something that is not a regular file',
    ],
    ['a device', () => '/dev/zero', 'names something that is not a regular file'],
    ['empty', () => file(' \n'), 'names an empty file'],
    ['an empty variable', () => file('SUBMITTER_SECRET=\n'), 'names an empty file'],
    ['too large', () => file(first.padEnd(65_537)), 'names a file of more than 65536 bytes'],
    [
      'a key in place of the path',
      () => first,
      'holds a secret key: put that into a file, and name the file',
    ],
    ['a mistyped key', () => file(mistyped), 'names a file whose text is not a Stellar secret key'],
    [
      'a mistyped key of two',
      () => file(`${first}\n${mistyped}`),
      'names a file whose entry 2 is not a Stellar',
    ],
    ['a public key', () => file(key(1).publicKey()), 'names a file whose text is a public key (G…)'],
    ['a comma at the end', () => file(`${first},\n`), 'names a file whose entry 2 is empty'],
  ];
  test.each(wrong)('%s', (_what, path, problem) => {
    const told = problems({ SUBMITTER_SECRET_FILE: path() });
    expect(told).toEqual([expect.stringContaining(`SUBMITTER_SECRET_FILE ${problem}`)]);
    for (const never of [folder, first.slice(0, 6), second.slice(0, 6)]) expect(told[0]).not.toContain(never);
  });

  test.each([
    ['missing', () => join(folder, 'none'), 'ENOENT'],
    ['below a file', () => join(file(first), 'x'), 'ENOTDIR'],
  ])('but for its path if it cannot be read: %s', (_what, pathOf, code) => {
    const path = pathOf();
    expect(problems({ SUBMITTER_SECRET_FILE: path })).toEqual([
      `SUBMITTER_SECRET_FILE ${unreadable(path, code)}`,
    ]);
  });

  test.each([
    'operator-token-of-32-characters-0',
    'whsec_AbC/dEf+GhI.jKl',
    'postgres://service:password@db.example.com/payments',
    'q1w2e3r4/t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0=',
    'Kq1w2e3r4/t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x',
  ])('which is not shown if it may be the secret itself: %s', (secret) => {
    expect(problems({ SUBMITTER_SECRET: first, OPERATOR_TOKEN_FILE: secret })).toEqual([
      `OPERATOR_TOKEN_FILE ${unreadable('').replace(', which', 'something that')}`,
    ]);
  });

  test('set beside the variable itself', () => {
    const both = { SUBMITTER_SECRET: first, FEE_BUMP_SECRET: third };
    expect(
      problems({ ...both, SUBMITTER_SECRET_FILE: file(first), FEE_BUMP_SECRET_FILE: file(first) }),
    ).toEqual([
      'SUBMITTER_SECRET_FILE is set beside SUBMITTER_SECRET: set one of the two',
      'FEE_BUMP_SECRET_FILE is set beside FEE_BUMP_SECRET: set one of the two',
    ]);
  });

  test('two keys where there is one account', () => {
    const told = problems({ SUBMITTER_SECRET: first, FEE_BUMP_SECRET_FILE: file(`${second}\n${third}`) });
    expect(told).toEqual([expect.stringMatching(/^FEE_BUMP_SECRET is not a Stellar secret key/)]);
  });
});

describe.skipIf(process.platform === 'win32')('a file that other users can read', () => {
  /** What is wrong with a file of a user who is not root. */
  function toldOf(place: string, mode: number, owner: 'user' | 'root' = 'user'): string[] {
    const own = mkdtempSync(join(place, 'exposed-'));
    onTestFinished(() => rmSync(own, { recursive: true }));
    chmodSync(own, 0o777);
    const path = join(own, 'secret');
    const write = (): void => writeFileSync(path, first);
    if (owner === 'root') write();
    else withoutRights(write);
    chmodSync(path, mode);
    return withoutRights(() => problems({ SUBMITTER_SECRET_FILE: path }));
  }

  test.each(['644', '640', '604', '444', '440'])('is refused: %s', (mode) => {
    expect(toldOf(ON_DISK, parseInt(mode, 8))).toEqual([
      'SUBMITTER_SECRET_FILE names a file that other users can read: chmod 600',
    ]);
  });

  test.each(['600', '400'])('is not one of mode %s', (mode) => {
    expect(toldOf(ON_DISK, parseInt(mode, 8))).toEqual([]);
  });

  test.runIf(process.platform === 'linux')('is taken from memory, where Docker puts secrets', () => {
    expect(toldOf('/dev/shm', 0o444)).toEqual([]);
  });

  test.runIf(process.getuid?.() === 0)('is taken if it is root’s, as Kubernetes makes them', () => {
    expect(toldOf(ON_DISK, 0o444, 'root')).toEqual([]);
  });
});

test('the service starts with a key from a file, serves with that account, and exits 0 on SIGTERM', async () => {
  const path = join(temporaryFolder(), 'submitters');
  writeFileSync(path, `${first}\n`, OWN);
  const service = startService({ SUBMITTER_SECRET_FILE: path, ...OFFLINE });
  const { body } = await ask(`${await service.url}/supported`);
  expect(body).toMatchObject({ signers: { 'stellar:*': [key(1).publicKey()] } });
  service.kill('SIGTERM');
  const { code, lines, stderr } = await service.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(lines.at(-1)).toContain('"msg":"stopped"');
  expect(lines.join()).not.toContain(first);
});

test('the accounts tool ends with 78 where it cannot read a file', async () => {
  const own = temporaryFolder();
  const path = join(own, 'none');
  const { code, stderr } = await runAccounts(own, { FUNDER_SECRET_FILE: path }, 'create');
  expect({ code, stderr }).toEqual({ code: 78, stderr: `FUNDER_SECRET_FILE ${unreadable(path)}\n` });
});

test('the tool server for agents takes its key from a file, and ends with 78 where it cannot read it', () => {
  const path = join(temporaryFolder(), 'wallet');
  // It ends when its input does.
  const run = () =>
    spawnSync(process.execPath, ['dist/stellar-facilitator-mcp.js'], {
      env: { ...childEnvironment, CLIENT_STELLAR_PRIVATE_KEY_FILE: path },
      input: '',
      encoding: 'utf8',
    });
  expect(run()).toMatchObject({
    status: 78,
    stderr: `CLIENT_STELLAR_PRIVATE_KEY_FILE ${unreadable(path)}\n`,
  });
  writeFileSync(path, `${first}\n`, OWN);
  const { status, stderr } = run();
  expect(status).toBe(0);
  expect(stderr).toContain(`"wallet":"${key(1).publicKey()}"`);
});
