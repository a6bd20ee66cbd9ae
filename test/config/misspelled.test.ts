import { readFileSync } from 'node:fs';
import { Keypair } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../../src/config/config.ts';
import { findMisspelled } from '../../src/config/misspelled.ts';
import { startChild } from '../catalog/child.ts';
import { startService } from '../kill/process.ts';

const SECRET = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).secret();
const OFFLINE = { RPC_URL: 'http://127.0.0.1:1', DB_PATH: ':memory:' };

const meantBy = (variable: string, text = 'x'): string | undefined =>
  findMisspelled({ [variable]: text }, SETTINGS)[0]?.meant;

describe('a variable that looks like a setting', () => {
  test.each([
    ['SUBMITER_SECRET', 'SUBMITTER_SECRET'],
    ['SUBMITTER_SECRETS', 'SUBMITTER_SECRET'],
    ['SUBMITTER_SECERT', 'SUBMITTER_SECRET'],
    ['SUBMITTER_SECRETFILE', 'SUBMITTER_SECRET_FILE'],
    ['CALERS', 'CALLERS'],
    ['RPC_URLS', 'RPC_URL'],
    ['DBPATH', 'DB_PATH'],
    ['TRUSTED_PROXY', undefined],
    ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
    ['port', 'PORT'],
    ['Rpc_Url', 'RPC_URL'],
    ['DATABASE_URL_FILE', 'DATABASE_URL'],
  ])('%s is named with what was meant: %s', (variable, meant) => {
    expect(meantBy(variable)).toBe(meant);
  });

  test('is not named if it is empty', () => {
    expect(meantBy('SUBMITER_SECRET', ' ')).toBeUndefined();
  });
});

test.each([
  ...['PATH', 'HOME', 'HOSTNAME', 'POST', 'GHOST', 'NODE_ENV', 'LOGNAME', 'SHELL', 'NO_COLOR', 'http_proxy'],
  ...[
    'KUBERNETES_PORT',
    'KUBERNETES_SERVICE_HOST',
    'POSTGRES_PORT',
    'OPERATOR_NAME',
    'npm_config_user_agent',
  ],
  ...['OTEL_BLRP_SCHEDULE_DELAY', 'OTEL_METRICS_EXPORTER', 'OTEL_LOGS_EXPORTER', 'OTEL_PROPAGATORS'],
  ...[
    'SANDBOX_PORT',
    'FUNDER_SECRET',
    'REHEARSE_PAYER_SECRET',
    'DOCTOR_PAYER_SECRET',
    'FACILITATOR_URL',
    'PAY_TO',
  ],
])('%s belongs to another program, and is not named', (variable) => {
  expect(meantBy(variable)).toBeUndefined();
});

test('no setting of the reference is taken for another one', () => {
  const page = readFileSync('docs/operator-reference.md', 'utf8');
  const table = page.slice(page.indexOf('## Settings'), page.indexOf('## Keys in files'));
  const names = [...table.matchAll(/^\| (`\w+`(?:, `\w+`)*)/gm)].flatMap(([, cell = '']) =>
    cell.replaceAll('`', '').split(', '),
  );
  expect(names.length).toBeGreaterThan(40);
  expect(SETTINGS).toEqual(expect.arrayContaining(names.filter((name) => !name.startsWith('OTEL_'))));
  expect(findMisspelled(Object.fromEntries(SETTINGS.map((name) => [name, 'x'])), SETTINGS)).toEqual([]);
});

test('a start that fails tells it first, without the value', async () => {
  const env = { ...OFFLINE, SUBMITER_SECRET: SECRET };
  const { code, stderr } = await startChild(process.execPath, ['src/main.ts'], { env }).ended;
  expect(code).toBe(78);
  expect(stderr).toMatch(
    /^SUBMITER_SECRET is not a setting: did you mean SUBMITTER_SECRET\?\nSUBMITTER_SECRET is/,
  );
  expect(stderr).not.toContain(SECRET);
});

test('any other start tells it in the log, and goes on', async () => {
  const service = startService({ ...OFFLINE, SUBMITTER_SECRET: SECRET, CALERS: 'keys' });
  await service.url;
  const line = service.lines().find((one) => one.includes('is not a setting'));
  expect(JSON.parse(line!)).toMatchObject({
    level: 'warn',
    variable: 'CALERS',
    msg: 'CALERS is not a setting: did you mean CALLERS?',
  });
});
