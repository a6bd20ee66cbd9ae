import type { BlockList } from 'node:net';
import { Keypair } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { DEFAULT_FEES, toConfig, type Configured } from '../../src/config/config.ts';
import { DEFAULT_CALLERS } from '../../src/config/callers.ts';
import { DEFAULT_POLICY } from '../../src/config/policy.ts';
import { readEnvironment } from '../../src/config/environment.ts';
import { CHECK_SECRET } from '../support/policy.ts';
import { servingSettings } from '../../src/config/serving.ts';

/** Keys from fixed seeds, so that every run has the same. */
const key = (n: number): Keypair => Keypair.fromRawEd25519Seed(Buffer.alloc(32, n));
const [first, second, third] = [key(1), key(2), key(3)];
const SUBMITTER_SECRET = first.secret();
const SEEDS = [4, 5].map((n) => Buffer.alloc(32, n).toString('base64'));

const configured = (environment: Record<string, string>): Configured =>
  toConfig(readEnvironment(environment));

function accepted(environment: Record<string, string>) {
  const result = configured({ SUBMITTER_SECRET, ...environment });
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result;
}

/** The problems as lines, as they are printed. */
function problems(environment: Record<string, string>): string[] {
  const result = configured({ SUBMITTER_SECRET, ...environment });
  return 'problems' in result ? result.problems.map(({ variable, text }) => `${variable} ${text}`) : [];
}

describe('what is set and what is not', () => {
  test('the submitter secret alone is a configuration; everything else has a default', () => {
    expect(configured({ SUBMITTER_SECRET })).toEqual({
      config: {
        network: 'stellar:testnet',
        rpcUrls: ['https://soroban-testnet.stellar.org'],
        port: 4021,
        operator: { host: '127.0.0.1', port: 4022, isPortChosen: false },
        dbPath: './data/catalog.db',
        feeMode: 'free',
        fees: DEFAULT_FEES,
        policy: DEFAULT_POLICY,
        callers: DEFAULT_CALLERS,
        corsOrigins: [],
        feeBalances: { warningStroops: undefined, floorStroops: undefined },
        serving: {},
        newListingsPerHour: 1_000,
        log: { level: 'info' },
      },
      secrets: { submitterSecrets: [SUBMITTER_SECRET], feeBumpSecret: undefined },
    });
  });

  test('every variable is read', () => {
    const set = {
      SUBMITTER_SECRET: `${first.secret()},${second.secret()}`,
      NETWORK: 'stellar:pubnet',
      RPC_URL: 'https://rpc.example/key?k=1',
      HOST: '::1',
      PORT: '0',
      OPERATOR_HOST: '127.0.0.2',
      OPERATOR_PORT: '0',
      OPERATOR_TOKEN: CHECK_SECRET,
      SETTLEMENTS_KEPT: '1000',
      DB_PATH: '/data/c.db',
      FEE_BUMP_SECRET: third.secret(),
      MAX_TRANSACTION_FEE_STROOPS: '4294967295',
      REFUSE_ZERO_PAYMENTS: 'on',
      REFUSE_SELF_PAYMENTS: 'on',
      SERIAL_AFTER_FAILURES: '1',
      REFUSE_AFTER_FAILURES: '2',
      LEAST_AMOUNT_TIMES_FEE: '3',
      POLICY_FILE: './policy.yaml',
      POLICY_CHECK_SECRET: CHECK_SECRET,
      SERVING: 'private',
      CALLERS: 'keys',
      CALLERS_DISCOVERY: 'open',
      TRUSTED_PROXIES: '10.0.0.0/8',
      CORS_ORIGINS: 'https://shop.example, http://localhost:3000',
      VERIFIES_PER_MINUTE: '1',
      SETTLES_PER_MINUTE: '2',
      MAX_SETTLEMENTS_IN_FLIGHT: '3',
      MAX_CONNECTIONS: '4',
      ANONYMOUS_FEE_BUDGET_STROOPS: '5',
      SERVICE_FEE_BUDGET_STROOPS: '6',
      FEE_BALANCE_WARNING_STROOPS: '8',
      FEE_BALANCE_FLOOR_STROOPS: '7',
      FEE_MODE: 'free',
      MAX_NEW_LISTINGS_PER_RECIPIENT_PER_HOUR: '7',
      SEARCH_RANKING: 'hybrid',
      SEARCH_MODEL: './model',
      LISTING_OPERATIONS: 'https://Shop.example:443/pay/',
      PROOFS: 'on',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'pretty',
      WEBHOOK_URL: 'https://shop.example/hooks',
      WEBHOOK_SECRET: CHECK_SECRET,
      RECEIPT_SECRET: SEEDS.join(', '),
    };
    expect(configured(set)).toEqual({
      config: {
        network: 'stellar:pubnet',
        rpcUrls: ['https://rpc.example/key?k=1'],
        host: '::1',
        port: 0,
        operator: { host: '127.0.0.2', port: 0, isPortChosen: true },
        settlementsKept: 1_000,
        dbPath: '/data/c.db',
        feeMode: 'free',
        fees: { ...DEFAULT_FEES, ceilingStroops: 4_294_967_295 },
        policy: {
          ...DEFAULT_POLICY,
          refusesZero: true,
          refusesSelf: true,
          serialAfterFailures: 1,
          refusedAfterFailures: 2,
          leastTimesFee: 3,
          file: './policy.yaml',
        },
        callers: {
          needKey: true,
          discoveryNeedsKey: false,
          trustedProxies: expect.toSatisfy((proxies: BlockList) => proxies.check('10.1.2.3')),
          limits: {
            verifiesPerMinute: 1,
            settlesPerMinute: 2,
            settlementsInFlight: 3,
            connections: 4,
          },
          anonymousFeeBudgetStroops: 5,
          serviceFeeBudgetStroops: 6,
        },
        corsOrigins: ['https://shop.example', 'http://localhost:3000'],
        feeBalances: { warningStroops: 8, floorStroops: 7 },
        serving: servingSettings(readEnvironment(set)),
        newListingsPerHour: 7,
        hybridSearch: { modelFolder: './model' },
        listingOperations: 'https://shop.example/pay',
        proofs: 'public',
        log: { level: 'warn', format: 'pretty' },
        webhooks: { url: 'https://shop.example/hooks' },
      },
      secrets: {
        submitterSecrets: [first.secret(), second.secret()],
        feeBumpSecret: third.secret(),
        policyCheckSecret: CHECK_SECRET,
        operatorToken: CHECK_SECRET,
        webhookSecret: CHECK_SECRET,
        receiptSeeds: SEEDS,
      },
    });
  });

  test('an empty or blank variable counts as absent', () => {
    const blank = { NETWORK: '', RPC_URL: ' ', PORT: '', DB_PATH: '', FEE_BUMP_SECRET: '', FEE_MODE: '\t' };
    expect(accepted(blank)).toEqual(accepted({}));
    expect(problems({ SUBMITTER_SECRET: ' ' })).toEqual([
      expect.stringMatching(/^SUBMITTER_SECRET is missing/),
    ]);
  });

  test('spaces around the submitters of a list are tolerated', () => {
    const list = ` ${first.secret()} , ${second.secret()} `;
    const { secrets } = accepted({ SUBMITTER_SECRET: list });
    expect(secrets.submitterSecrets).toEqual([first.secret(), second.secret()]);
  });
});

describe('every wrong value is a problem that names its variable', () => {
  const wrong: [what: string, environment: Record<string, string>, problem: RegExp][] = [
    ['a malformed secret', { SUBMITTER_SECRET: 'SABC' }, /^SUBMITTER_SECRET is not a Stellar secret key/],
    ['a public key', { SUBMITTER_SECRET: first.publicKey() }, /^SUBMITTER_SECRET is a public key/],
    [
      'a mistyped secret',
      { SUBMITTER_SECRET: `${SUBMITTER_SECRET.slice(0, -1)}A` },
      /^SUBMITTER_SECRET is not a/,
    ],
    [
      'an empty list entry',
      { SUBMITTER_SECRET: `${SUBMITTER_SECRET},` },
      /^SUBMITTER_SECRET entry 2 is empty/,
    ],
    [
      'a duplicate submitter',
      { SUBMITTER_SECRET: [first, second, first].map((k) => k.secret()).join() },
      /^SUBMITTER_SECRET entry 3 repeats entry 1/,
    ],
    [
      'a malformed fee-bump secret',
      { FEE_BUMP_SECRET: 'nope' },
      /^FEE_BUMP_SECRET is not a Stellar secret key/,
    ],
    ['a public fee-bump key', { FEE_BUMP_SECRET: third.publicKey() }, /^FEE_BUMP_SECRET is a public key/],
    [
      'a fee-bump key that is a submitter',
      { FEE_BUMP_SECRET: SUBMITTER_SECRET },
      new RegExp(`^FEE_BUMP_SECRET is also a submitter \\(${first.publicKey()}\\)`),
    ],
    [
      'an unknown network',
      { NETWORK: 'testnet' },
      /^NETWORK must be one of stellar:testnet, stellar:pubnet$/,
    ],
    ['pubnet without an RPC', { NETWORK: 'stellar:pubnet' }, /^RPC_URL is missing/],
    [
      'plain http to another machine on pubnet',
      { NETWORK: 'stellar:pubnet', RPC_URL: 'http://rpc.example' },
      /^RPC_URL must be https on stellar:pubnet/,
    ],
    [
      'plain http to a name that only looks like this machine',
      { NETWORK: 'stellar:pubnet', RPC_URL: 'http://127.0.0.1.example.com' },
      /^RPC_URL must be https on stellar:pubnet/,
    ],
    ['a relative RPC URL', { RPC_URL: '/rpc' }, /^RPC_URL must be an absolute http or https URL$/],
    ['an RPC URL without slashes', { RPC_URL: 'https:rpc.example' }, /^RPC_URL must be an absolute/],
    [
      'an RPC URL with a broken escape',
      { RPC_URL: 'https://a%zz:b@rpc.example' },
      /^RPC_URL has a malformed escape/,
    ],
    ['an RPC URL of another protocol', { RPC_URL: 'ws://rpc.example' }, /^RPC_URL must be an absolute/],
    ...['65536', '-1', '80.5', '1e3', 'http', '0x50'].map(
      (PORT): [string, Record<string, string>, RegExp] => [
        `port ${PORT}`,
        { PORT },
        /^PORT must be a whole number/,
      ],
    ),
    ...['all', '*', '[::1]', '127.0.0.1:80', 'http://127.0.0.1', '256.0.0.1', '127.1', 'host.example'].map(
      (HOST): [string, Record<string, string>, RegExp] => [
        `host ${HOST}`,
        { HOST },
        /^HOST must be an IP address of this machine/,
      ],
    ),
    ...['0', '-5', '1.5', '4294967296', 'lots'].map((fee): [string, Record<string, string>, RegExp] => [
      `fee ceiling ${fee}`,
      { MAX_TRANSACTION_FEE_STROOPS: fee },
      /^MAX_TRANSACTION_FEE_STROOPS must be a whole number of stroops/,
    ]),
    [
      'a switch that is neither on nor off',
      { REFUSE_ZERO_PAYMENTS: 'yes' },
      /^REFUSE_ZERO_PAYMENTS must be on or off/,
    ],
    ['another such switch', { REFUSE_SELF_PAYMENTS: '1' }, /^REFUSE_SELF_PAYMENTS must be on or off/],
    ['an unknown preset', { SERVING: 'everybody' }, /^SERVING must be private or strangers$/],
    ['callers that are neither', { CALLERS: 'key' }, /^CALLERS must be open or keys$/],
    ['such callers of discovery', { CALLERS_DISCOVERY: 'on' }, /^CALLERS_DISCOVERY must be open or keys$/],
    ...['10.0.0.0/33', 'fd00::/129', '10.0.0', 'proxy.example', '10.0.0.0/', '10.0.0.0/8/8'].map(
      (TRUSTED_PROXIES): [string, Record<string, string>, RegExp] => [
        `the proxy ${TRUSTED_PROXIES}`,
        { TRUSTED_PROXIES },
        /^TRUSTED_PROXIES entry 1 must be an IP address or a network, such as/,
      ],
    ),
    ...[
      ...['*', 'null', 'shop.example', 'https://shop.example/', 'https://Shop.example', 'ftp://shop.example'],
      ...['https://shop.example:443', 'https://user@shop.example', 'https://*.shop.example/', 'https://a,'],
    ].map((CORS_ORIGINS): [string, Record<string, string>, RegExp] => [
      `the origin ${CORS_ORIGINS}`,
      { CORS_ORIGINS },
      /^CORS_ORIGINS entry [12] must be an origin as browsers send it, such as https:/,
    ]),
    ...['on', 'shop.example', 'ftp://shop.example', 'https://u@shop.example', 'https://a.example/?b=1'].map(
      (LISTING_OPERATIONS): [string, Record<string, string>, RegExp] => [
        `the public URL ${LISTING_OPERATIONS}`,
        { LISTING_OPERATIONS },
        /^LISTING_OPERATIONS must be off, or the URL at which sellers reach this service/,
      ],
    ),
    ...['0', '-1', '1.5', '10000000000', '5 XLM'].map((budget): [string, Record<string, string>, RegExp] => [
      `the fee budget ${budget}`,
      { SERVICE_FEE_BUDGET_STROOPS: budget },
      /^SERVICE_FEE_BUDGET_STROOPS must be a whole number of stroops from 1 to 9999999999 \(or off\)$/,
    ]),
    [
      'a floor above the warning',
      { FEE_BALANCE_WARNING_STROOPS: '7', FEE_BALANCE_FLOOR_STROOPS: '8' },
      /^FEE_BALANCE_WARNING_STROOPS must not be below FEE_BALANCE_FLOOR_STROOPS$/,
    ],
    [
      'no failures allowed',
      { SERIAL_AFTER_FAILURES: '0' },
      /^SERIAL_AFTER_FAILURES must be a whole number of failures from 1 to 1000/,
    ],
    [
      'more failures than may be',
      { REFUSE_AFTER_FAILURES: '1001' },
      /^REFUSE_AFTER_FAILURES must be a whole number/,
    ],
    [
      'a payer that is refused before it is slowed down',
      { SERIAL_AFTER_FAILURES: '5', REFUSE_AFTER_FAILURES: '4' },
      /^REFUSE_AFTER_FAILURES must not be below SERIAL_AFTER_FAILURES/,
    ],
    [
      'an amount that must be worth too many fees',
      { LEAST_AMOUNT_TIMES_FEE: '1001' },
      /^LEAST_AMOUNT_TIMES_FEE must be a whole number from 0 to 1000 \(0 for no such rule\)$/,
    ],
    ...['hunter2', 'whsec_', `whsec_${btoa('x'.repeat(23))}`, `${CHECK_SECRET}A`, CHECK_SECRET.slice(6)].map(
      (secret): [string, Record<string, string>, RegExp] => [
        `${secret} as the secret of the check`,
        { POLICY_CHECK_SECRET: secret },
        /^POLICY_CHECK_SECRET must be whsec_ and 24 to 64 random bytes in base64/,
      ],
    ),
    ...['0', '-1', '1.5', '1000001', 'off'].map((count): [string, Record<string, string>, RegExp] => [
      `${count} new listings in an hour`,
      { MAX_NEW_LISTINGS_PER_RECIPIENT_PER_HOUR: count },
      /^MAX_NEW_LISTINGS_PER_RECIPIENT_PER_HOUR must be a whole number from 1 to 1000000$/,
    ]),
    ['proofs neither on nor off', { PROOFS: 'yes' }, /^PROOFS must be on, off or local$/],
    [
      'proofs of a network of one’s own on pubnet',
      { PROOFS: 'local', NETWORK: 'stellar:pubnet', RPC_URL: 'https://rpc.example' },
      /^PROOFS must not be local on stellar:pubnet/,
    ],
    ['callers neither open nor with keys', { CALLERS: 'closed' }, /^CALLERS must be open or keys$/],
    [
      'discovery neither open nor with keys',
      { CALLERS_DISCOVERY: '1' },
      /^CALLERS_DISCOVERY must be open or keys$/,
    ],
    [
      'keys that nothing holds',
      { CALLERS: 'keys', DB_PATH: ':memory:' },
      /^CALLERS is keys, but DB_PATH :memory:/,
    ],
    ['an unknown ranking', { SEARCH_RANKING: 'best' }, /^SEARCH_RANKING must be lexical or hybrid$/],
    [
      'a model that nothing uses',
      { SEARCH_MODEL: './model' },
      /^SEARCH_MODEL needs SEARCH_RANKING to be hybrid$/,
    ],
    ['a fee mode other than free', { FEE_MODE: 'paid' }, /^FEE_MODE must be free/],
  ];
  test.each(wrong)('%s', (_what, environment, problem) => {
    expect(problems(environment)).toEqual([expect.stringMatching(problem)]);
  });

  test('all problems are told at once', () => {
    const told = problems({ SUBMITTER_SECRET: 'x', NETWORK: 'x', RPC_URL: 'x', PORT: 'x', FEE_MODE: 'x' });
    expect(told.map((line) => line.split(' ')[0])).toEqual([
      'SUBMITTER_SECRET',
      'NETWORK',
      'RPC_URL',
      'PORT',
      'FEE_MODE',
    ]);
  });

  test('several RPC nodes are read in their order, and every wrong one is told by its place', () => {
    const { config } = accepted({ RPC_URL: 'https://one.example/key, https://two.example' });
    expect(config.rpcUrls).toEqual(['https://one.example/key', 'https://two.example']);
    expect(problems({ RPC_URL: 'https://one.example,ftp://two.example,https://one.example' })).toEqual([
      expect.stringMatching(/^RPC_URL entry 2 must be an absolute http or https URL/),
      'RPC_URL entry 3 repeats entry 1',
    ]);
    const many = Array.from({ length: 9 }, (_, nth) => `https://node${nth}.example`).join(',');
    expect(problems({ RPC_URL: many })).toEqual(['RPC_URL names 9 URLs, and may name at most 8']);
  });

  test('the offer for inclusion is a percentile that the network tells, within bounds in their order', () => {
    const { config } = accepted({
      INCLUSION_FEE_PERCENTILE: '99',
      MIN_INCLUSION_FEE_STROOPS: '200',
      MAX_INCLUSION_FEE_STROOPS: '300',
    });
    expect(config.fees).toMatchObject({
      percentile: 99,
      minInclusionStroops: 200,
      maxInclusionStroops: 300,
    });
    expect(problems({ INCLUSION_FEE_PERCENTILE: '42' })).toEqual([
      'INCLUSION_FEE_PERCENTILE must be one of 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99',
    ]);
    expect(problems({ MIN_INCLUSION_FEE_STROOPS: '500', MAX_INCLUSION_FEE_STROOPS: '400' })).toEqual([
      'MAX_INCLUSION_FEE_STROOPS must not be below MIN_INCLUSION_FEE_STROOPS',
    ]);
  });

  test('plain http is fine on testnet, and on pubnet to this machine', () => {
    expect(accepted({ RPC_URL: 'http://rpc.example:8000' }).config.rpcUrls).toEqual([
      'http://rpc.example:8000',
    ]);
    for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]']) {
      const RPC_URL = `http://${host}:8000/rpc`;
      expect(accepted({ NETWORK: 'stellar:pubnet', RPC_URL }).config.rpcUrls).toEqual([RPC_URL]);
    }
  });
});

describe('a secret is never shown', () => {
  const variables = [
    'NETWORK',
    'RPC_URL',
    'HOST',
    'PORT',
    'DB_PATH',
    'MAX_TRANSACTION_FEE_STROOPS',
    'FEE_MODE',
  ];
  const secret = second.secret();

  test.each(variables)('a secret pasted into %s is refused and not repeated', (variable) => {
    const told = problems({ [variable]: secret });
    expect(told).toContainEqual(expect.stringMatching(`^${variable} holds a secret key`));
    expect(told.join().toUpperCase()).not.toContain(secret.slice(0, 6));
  });

  test.each([
    ['in the path of the RPC URL', { RPC_URL: `https://rpc.example/${secret}` }],
    ['as the host of the RPC URL', { RPC_URL: `https://${secret.toLowerCase()}/` }],
    ['in a database path', { DB_PATH: `./data/${secret}.db` }],
  ])('%s', (_where, environment) => {
    const told = problems(environment);
    expect(told).toEqual([expect.stringMatching(/ holds a secret key/)]);
    expect(told.join().toUpperCase()).not.toContain(secret.slice(0, 6));
  });

  test('no problem with a secret repeats any part of it', () => {
    const mistyped = `${secret.slice(0, -1)}A`;
    const told = problems({
      SUBMITTER_SECRET: `${secret},${secret},${mistyped}`,
      FEE_BUMP_SECRET: secret,
    }).join();
    for (let at = 0; at + 6 <= secret.length; at += 1) expect(told).not.toContain(secret.slice(at, at + 6));
  });
});
