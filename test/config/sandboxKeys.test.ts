import { Keypair } from '@stellar/stellar-sdk';
import { expect, test } from 'vitest';
import { KNOWN_ACCOUNTS, knownKey } from '../../sandbox/knownAccounts.ts';
import { toMcpConfig } from '../../src/agent/config.ts';
import { toConfig } from '../../src/config/config.ts';
import { SANDBOX_ACCOUNTS } from '../../src/config/sandboxKeys.ts';
import { runInside } from '../support/cli.ts';

const [submitter, feeAccount, agent, buyer, funder] = [
  'submitter 1',
  'fee account',
  'agent',
  'buyer 1',
  'funder',
].map((label) => knownKey(label).secret()) as [string, string, string, string, string];
const PUBLIC = { NETWORK: 'stellar:pubnet', RPC_URL: 'https://rpc.example' };
const NAMED = /the sandbox's account “[\w ]+”: this is a sandbox key that everybody knows/;

const problemsOf = (configured: object): string[] =>
  ('problems' in configured ? (configured.problems as { variable: string; text: string }[]) : []).map(
    ({ variable, text }) => `${variable} ${text}`,
  );

test('the keys that are refused are those of the sandbox, by their labels', () => {
  const known = KNOWN_ACCOUNTS.map(({ key, label }) => [key.publicKey(), label]);
  expect([...SANDBOX_ACCOUNTS]).toEqual(known);
  expect(known).toHaveLength(10);
});

test.each([
  ['the testnet', {}],
  ['the public network', PUBLIC],
  ['a network of which one node is elsewhere', { RPC_URL: 'http://127.0.0.1:8000,https://rpc.example' }],
  ['an address of the local network', { RPC_URL: 'http://192.168.0.7:8000' }],
  ['a name that only looks like this machine', { RPC_URL: 'http://127.0.0.1.rpc.example' }],
  ['an IPv6 address', { RPC_URL: 'http://[2001:db8::1]:8000' }],
])('on %s the service and the wallet refuse each of them by name', (_network, environment) => {
  const service = problemsOf(
    toConfig({ ...environment, SUBMITTER_SECRET: submitter, FEE_BUMP_SECRET: feeAccount }),
  );
  const wallet = problemsOf(toMcpConfig({ ...environment, CLIENT_STELLAR_PRIVATE_KEY: agent }));
  const found = [...service, ...wallet].filter((line) => NAMED.test(line));
  expect(found.map((line) => line.split(' ')[0])).toEqual([
    'SUBMITTER_SECRET',
    'FEE_BUMP_SECRET',
    'CLIENT_STELLAR_PRIVATE_KEY',
  ]);
  for (const secret of [submitter, feeAccount, agent]) expect(found.join()).not.toContain(secret);
});

test.each(['http://127.0.0.1:8000', 'https://localhost:8001', 'http://[::1]:8000', 'http://sandbox:8000'])(
  'with an RPC at %s they are keys like any other',
  (RPC_URL) => {
    expect(toConfig({ RPC_URL, SUBMITTER_SECRET: submitter, FEE_BUMP_SECRET: feeAccount })).toHaveProperty(
      'config',
    );
    expect(toMcpConfig({ RPC_URL, CLIENT_STELLAR_PRIVATE_KEY: agent })).toHaveProperty('config');
  },
);

test.each([
  ['accounts list', ['accounts', 'list'], { SUBMITTER_SECRET: submitter }],
  ['accounts create', ['accounts', 'create', '--out', 'never.env'], { FUNDER_SECRET: funder }],
  [
    'rehearse --pay',
    ['rehearse', '--network', 'pubnet', '--pay', '--to', knownKey('seller 1').publicKey()],
    { SUBMITTER_SECRET: Keypair.random().secret(), REHEARSE_PAYER_SECRET: buyer },
  ],
  ['doctor --pay', ['doctor', 'http://127.0.0.1:1/', '--pay', '1'], { DOCTOR_PAYER_SECRET: buyer }],
])('%s refuses them, too', async (_name, args, secrets) => {
  const { code, stderr } = await runInside(args, { ...PUBLIC, DB_PATH: ':memory:', ...secrets });
  expect(code).toBe(78);
  expect(stderr).toMatch(NAMED);
});
