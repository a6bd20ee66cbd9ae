import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { knownKey } from '../../sandbox/knownAccounts.ts';

const read = (file: string): string => readFileSync(file, 'utf8');

/** The variables of the settings table. */
function documented(): string[] {
  const [, table = ''] = /## Settings\n([^]*?)\n## /.exec(read('docs/operator-reference.md')) ?? [];
  const first = table.split('\n').flatMap((line) => /^\| (`[^|]+?) *\|/.exec(line)?.[1] ?? []);
  return first.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!));
}

describe('.env.example', () => {
  const named = [...read('.env.example').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name!);

  test('has each documented setting, and no other; of a secret it names the file', () => {
    const names = documented();
    const inFiles = names.filter((name) => names.includes(`${name}_FILE`));
    expect(names.length).toBeGreaterThan(40);
    expect(named.toSorted()).toEqual(names.filter((name) => !inFiles.includes(name)).toSorted());
  });

  test('sets nothing: of the unit’s own settings, a copy of it would take the place', () => {
    expect(read('ops/stellar-facilitator.service')).toMatch(
      /^EnvironmentFile=[^]*^Environment=SUBMITTER_SECRET_FILE=/m,
    );
    expect(read('.env.example').match(/^[A-Z_]+=.*$/gm)).toBeNull();
  });
});

describe('.nvmrc', () => {
  test('names the Node that npm scripts use', () => {
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    const majors = Object.values(optionalDependencies).map((version) => version.split('.')[0]);
    expect(new Set(majors)).toEqual(new Set([read('.nvmrc').trim()]));
  });
});

interface Compose {
  services: Record<
    string,
    { image?: string; environment?: Record<string, string>; profiles?: string[]; read_only?: boolean }
  >;
  configs: Record<string, { content: string }>;
}

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml')) as Compose;

  test('starts a sandbox and the service on it, which has the key of a known account; TLS if asked', () => {
    const { services } = compose;
    expect(Object.keys(services)).toEqual(['sandbox', 'facilitator', 'gateway']);
    expect(services['facilitator']?.environment).toMatchObject({
      SUBMITTER_SECRET: knownKey('submitter 1').secret(),
      RPC_URL: 'http://sandbox:8000',
      DB_PATH: ':memory:',
    });
    expect(services['gateway']?.profiles).toEqual(['tls']);
  });

  test('runs on a root file system that nothing writes to', () => {
    const { sandbox, facilitator } = compose.services;
    expect([sandbox?.read_only, facilitator?.read_only]).toEqual([true, true]);
  });
});

describe('the image', () => {
  const lines = read('Dockerfile').split('\n');

  test('has bases that are pinned by their digests, and no user with rights', () => {
    const bases = lines.filter((line) => line.startsWith('ARG '));
    expect(bases).toHaveLength(2);
    for (const line of bases) expect(line).toMatch(/@sha256:[0-9a-f]{64}$/);
    expect(lines.findLast((line) => line.startsWith('USER '))).toBe('USER 1000:1000');
  });

  test('is started without a shell, so that signals arrive', () => {
    expect(lines.at(-2)).toMatch(/^ENTRYPOINT \["\/nodejs\/bin\/node", "\/app\/dist\/[\w-]+\.js"\]$/);
  });

  test('is built without keys, databases and what was built elsewhere', () => {
    const ignored = read('.dockerignore').trim().split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['*.env', 'data', 'dist', 'node_modules', '.git']));
  });
});

describe('the systemd unit', () => {
  const unit = 'ops/stellar-facilitator.service';
  const analyze = globSync('/{usr/,}bin/systemd-analyze')[0];

  test.runIf(analyze !== undefined)('has no setting that systemd does not know', () => {
    const { stderr } = spawnSync(analyze!, ['verify', '--man=no', unit], { encoding: 'utf8' });
    // The program is not installed here; all else would be a mistake.
    const lines = stderr.split('\n').filter((line) => line !== '' && !line.includes('is not executable'));
    expect(lines).toEqual([]);
  });

  test.runIf(analyze !== undefined)('leaves an attacker of the process little', () => {
    const { status, stdout } = spawnSync(
      analyze!,
      ['security', '--offline=yes', '--no-pager', '--threshold=20', unit],
      { encoding: 'utf8' },
    );
    expect(stdout).toContain('Overall exposure level');
    expect({ status, stdout }).toMatchObject({ status: 0 });
  });

  test('does not restart a service whose settings are wrong, and gives a stop the time it may take', () => {
    expect(read(unit)).toMatch(/^RestartPreventExitStatus=78$/m);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(read(unit))?.[1])).toBeGreaterThanOrEqual(45);
  });

  test('names documents that the package has', () => {
    const [, path] = /node_modules\/stellar-facilitator\/(docs\/[\w-]+\.md)/.exec(read(unit)) ?? [];
    expect(existsSync(path!)).toBe(true);
  });
});
