/** What goes wrong is named by /ready, by a metric that an alert watches, and by the console's overview, within 30 s. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { journalPathOf } from '../../src/config/databasePath.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { binaries, openPostgres } from '../postgres/server.ts';
import { openSandbox } from '../support/sandbox.ts';
import { useStage } from '../support/serviceStage.ts';
import { ask } from './asking.ts';

const WITHIN_MS = 30_000;
const maySmallDisk = mayMount();
if (!maySmallDisk) console.log('skipped: a full disk, as only root on Linux may mount a small one');
if (binaries === undefined)
  console.log('skipped: a database that is down, as this machine has no PostgreSQL');

const stage = useStage({ withFeeBump: false });

function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

interface Told {
  /** The failing checks, and what they say. */
  readonly ready: Record<string, string>;
  /** The same as the console shows them. */
  readonly console: Record<string, string>;
  /** The checks that the alert FacilitatorNotReady watches, of those that fail. */
  readonly metric: string[];
}

type Check = Record<'name' | 'message', string> & { ok: boolean };

const failing = (checks: readonly Check[]): Record<string, string> =>
  Object.fromEntries(checks.filter(({ ok }) => !ok).map(({ name, message }) => [name, message]));

async function told(operatorUrl: string): Promise<Told> {
  const [ready, overview, metrics] = await Promise.all(
    ['/ready', '/overview', '/metrics'].map((path) => ask(operatorUrl, path)),
  );
  expect(ready!.status).toBe(ready!.body.ready ? 200 : 503);
  const watched = metrics!.text.matchAll(/^facilitator_check_ok\{check="(\w+)"\} 0$/gm);
  return {
    ready: failing(ready!.body.checks),
    console: failing(overview!.body.readiness.checks),
    metric: [...watched].map(([, name]) => name!),
  };
}

/** Holds all three to the names of the checks and a part of what they say. */
async function expectTold(operatorUrl: string, causes: Record<string, string>): Promise<void> {
  const names = Object.keys(causes);
  const texts = Object.fromEntries(
    names.map((name) => [name, expect.stringContaining(causes[name]!) as unknown]),
  );
  const want = { ready: texts, console: texts, metric: expect.toSatisfy(isSetOf(names)) as unknown };
  await expect.poll(() => told(operatorUrl), { timeout: WITHIN_MS, interval: 500 }).toEqual(want);
}

const isSetOf =
  (names: readonly string[]) =>
  (found: readonly string[]): boolean =>
    found.toSorted().join() === [...names].toSorted().join();

const expectWell = (operatorUrl: string): Promise<void> => expectTold(operatorUrl, {});

describe('the RPC', () => {
  test.each([
    ['is dead', { kind: 'httpStatus', status: 500 }, 'node'],
    ['hangs', { kind: 'hang' }, 'node'],
    ['has no new ledgers', { kind: 'ledgersStop' }, 'node'],
    ['answers nonsense', { kind: 'wrongJson' }, 'node'],
  ] as const)('%s', async (_what, fault, text) => {
    const { operatorUrl } = await stage.open({ operator: {} });
    await expectWell(operatorUrl);
    stage.sandbox.faults.add(fault);
    await expectTold(operatorUrl, { rpc: text });
    stage.sandbox.faults.clear();
    await expectWell(operatorUrl);
  });

  test('is of another network', async () => {
    const other = await openSandbox();
    onTestFinished(() => other.close());
    other.faults.add({
      kind: 'rewrite',
      rewrite: (method: string, result: object) =>
        method === 'getNetwork' ? { ...result, passphrase: 'Another Network' } : result,
    } as never);
    const { operatorUrl } = await stage.open({
      operator: {},
      // With this one alone it would not start.
      rpcUrl: [other.url, 'http://127.0.0.1:9'],
      submitters: [other.submitter()],
    });
    await expect
      .poll(async () => (await told(operatorUrl)).ready['rpc'], { timeout: WITHIN_MS })
      .toContain('another network');
  });

  test('has one dead node of two: the service stays ready, and metrics and console name the node', async () => {
    const dead = await openSandbox();
    await dead.close();
    const { operatorUrl } = await stage.open({ operator: {}, rpcUrl: [dead.url, stage.sandbox.url] });
    await expectWell(operatorUrl);
    const nodes = async () => (await ask(operatorUrl, '/overview')).body.nodes;
    await expect
      .poll(nodes, { timeout: WITHIN_MS, interval: 500 })
      .toMatchObject([{ rpc: dead.url, state: 'resting' }, { state: 'sound' }]);
    const { text } = await ask(operatorUrl, '/metrics');
    expect(text).toContain(`facilitator_rpc_node_state{node="${dead.url}",state="resting"} 1`);
    expect((await told(operatorUrl)).ready).toEqual({});
  });
});

describe('the accounts', () => {
  test('a submitter is empty', async () => {
    const poor = stage.sandbox.keyWithoutAccount();
    stage.sandbox.network.createAccount(poor.publicKey(), 10_000_001n);
    const { operatorUrl } = await stage.open({ operator: {}, submitters: [poor] });
    await expectTold(operatorUrl, { accounts: '1 low' });
  });

  test('a submitter does not exist', async () => {
    const { operatorUrl } = await stage.open({
      operator: {},
      submitters: [stage.sandbox.keyWithoutAccount()],
    });
    await expectTold(operatorUrl, { accounts: '1 missing' });
  });

  test('the fee account does not exist', async () => {
    const { operatorUrl } = await stage.open({ operator: {}, feeBump: stage.sandbox.keyWithoutAccount() });
    await expectTold(operatorUrl, { accounts: 'fund it' });
  });
});

describe('the stores', () => {
  test.each([
    ['journal', journalPathOf],
    ['catalog', (path: string) => path],
  ] as const)('the %s is locked by another program', async (name, pathOf) => {
    const dbPath = join(temporaryFolder(), 'catalog.db');
    const { operatorUrl } = await stage.open({ operator: {}, dbPath });
    await expectWell(operatorUrl);
    const other = new DatabaseSync(pathOf(dbPath));
    other.exec('BEGIN IMMEDIATE');
    await expectTold(operatorUrl, { [name]: 'database is locked' });
    other.close();
    await expectWell(operatorUrl);
  });

  test.skipIf(!maySmallDisk)('the disk is full', async () => {
    const folder = temporaryFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]);
    onTestFinished(() => void execFileSync('umount', ['-l', folder]));
    const { operatorUrl } = await stage.open({ operator: {}, dbPath: join(folder, 'catalog.db') });
    await expectWell(operatorUrl);
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(join(folder, 'other'), Buffer.alloc(bavail * bsize));
    await expectTold(operatorUrl, { journal: 'disk is full', catalog: 'disk is full' });
    rmSync(join(folder, 'other'));
    await expectWell(operatorUrl);
  });

  test.skipIf(binaries === undefined)('the database is down', async () => {
    const postgres = await openPostgres();
    onTestFinished(() => postgres.close());
    const { operatorUrl } = await stage.open({ operator: {}, databaseUrl: await postgres.database() });
    await expectWell(operatorUrl);
    await postgres.kill();
    await expectTold(operatorUrl, { journal: 'database', catalog: 'database', keys: 'keys' });
    await postgres.start();
    await expectWell(operatorUrl);
  });
});

test('the policy file is wrong: the service stays ready, and /ready, a metric and the console say so', async () => {
  const file = join(temporaryFolder(), 'policy.yaml');
  writeFileSync(file, 'version: 1\n');
  const facilitator = await stage.open({ operator: {}, policy: { file } });
  await expectWell(facilitator.operatorUrl);
  writeFileSync(file, 'odd: 1\n');
  facilitator.readPolicyAgain();
  const { operatorUrl } = facilitator;
  const warning = { name: 'policy', ok: true, message: expect.stringContaining('odd') as unknown };
  const seen = async () => {
    const [ready, overview] = await Promise.all(
      ['/ready', '/overview'].map((path) => ask(operatorUrl, path)),
    );
    return [ready!.body.checks, overview!.body.readiness.checks];
  };
  const warned = expect.arrayContaining([warning]) as unknown;
  await expect.poll(seen, { timeout: WITHIN_MS }).toEqual([warned, warned]);
  await expectWell(operatorUrl);
  expect((await ask(operatorUrl, '/metrics')).text).toContain('facilitator_check_warning{check="policy"} 1');
});
