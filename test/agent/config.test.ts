import { Keypair } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { findUnknown, takeEnvironment, toMcpConfig, type McpEnvironment } from '../../src/agent/config.ts';
import { createMcpLog } from '../../src/agent/log.ts';
import { contractOfAsset } from '../../src/stellar/assets.ts';
import { USDC } from '../support/payments.ts';

const SECRET = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 5)).secret();
const TOKEN = '0123456789abcdef0123456789abcdef';

function problems(environment: McpEnvironment): string[] {
  const configured = toMcpConfig(environment);
  return 'problems' in configured
    ? configured.problems.map(({ variable, text }) => `${variable} ${text}`)
    : [];
}

describe('the environment', () => {
  test('may be empty: then it is searched on the testnet, at the default port, without a wallet', () => {
    expect(toMcpConfig({})).toEqual({
      config: {
        facilitatorUrl: 'http://127.0.0.1:4021',
        network: 'stellar:testnet',
        rpcUrls: ['https://soroban-testnet.stellar.org'],
        spend: { maxAmount: 10_000_000n, sessionBudget: 100_000_000n, allowedAssets: [USDC] },
        allowedHosts: undefined,
        http: { host: '127.0.0.1', port: 4023, names: [] },
      },
      secret: undefined,
      facilitatorKey: undefined,
      httpToken: undefined,
    });
  });

  test('sets everything', () => {
    expect(
      toMcpConfig({
        FACILITATOR_URL: 'https://f.example/base/',
        FACILITATOR_KEY: 'sf_key',
        CLIENT_STELLAR_PRIVATE_KEY: SECRET,
        SVC_MCP_MAX_AMOUNT: '5',
        SVC_MCP_SESSION_BUDGET: '50',
        SVC_MCP_ALLOWED_ASSETS: USDC,
        SVC_MCP_ALLOWED_HOSTS: 'Api.example.com, [::1]:80,127.0.0.1:4022',
        SVC_MCP_HTTP_HOST: '::',
        SVC_MCP_HTTP_PORT: '0',
        SVC_MCP_HTTP_NAMES: 'Tools.example.com, tools',
        SVC_MCP_HTTP_TOKEN: TOKEN,
        NETWORK: 'stellar:pubnet',
        RPC_URL: 'https://a.example,http://127.0.0.1:8000',
      }),
    ).toEqual({
      config: {
        facilitatorUrl: 'https://f.example/base',
        network: 'stellar:pubnet',
        rpcUrls: ['https://a.example', 'http://127.0.0.1:8000'],
        spend: { maxAmount: 5n, sessionBudget: 50n, allowedAssets: [USDC] },
        allowedHosts: ['api.example.com', '[::1]:80', '127.0.0.1:4022'],
        http: { host: '::', port: 0, names: ['tools.example.com', 'tools'] },
      },
      secret: SECRET,
      facilitatorKey: 'sf_key',
      httpToken: TOKEN,
    });
  });

  test('loses the secrets when it is read', () => {
    const secrets = {
      CLIENT_STELLAR_PRIVATE_KEY: ` ${SECRET} `,
      FACILITATOR_KEY: 'sf_key',
      SVC_MCP_HTTP_TOKEN: TOKEN,
    };
    const source = { ...secrets, FACILITATOR_URL: '  ', PATH: '/bin' };
    expect(takeEnvironment(source)).toEqual({
      CLIENT_STELLAR_PRIVATE_KEY: SECRET,
      FACILITATOR_KEY: 'sf_key',
      SVC_MCP_HTTP_TOKEN: TOKEN,
    });
    expect(source).toEqual({ FACILITATOR_URL: '  ', PATH: '/bin' });
  });

  test.each<[McpEnvironment, RegExp]>([
    [{ FACILITATOR_URL: 'localhost:4021' }, /^FACILITATOR_URL must be an absolute http/],
    [{ FACILITATOR_URL: 'ftp://x' }, /^FACILITATOR_URL must be an absolute http/],
    [{ FACILITATOR_URL: 'http://u:p@x' }, /^FACILITATOR_URL must not hold a user/],
    [{ FACILITATOR_URL: 'http://x?y=1' }, /^FACILITATOR_URL must have neither a query/],
    [{ FACILITATOR_URL: `http://x/${SECRET}` }, /^FACILITATOR_URL holds a secret key/],
    [
      { CLIENT_STELLAR_PRIVATE_KEY: SECRET.slice(1) },
      /^CLIENT_STELLAR_PRIVATE_KEY is not a Stellar secret key/,
    ],
    [
      { CLIENT_STELLAR_PRIVATE_KEY: Keypair.fromSecret(SECRET).publicKey() },
      /^CLIENT_STELLAR_PRIVATE_KEY is a public key/,
    ],
    [{ FACILITATOR_KEY: 'two words' }, /^FACILITATOR_KEY must be a key in ASCII/],
    [{ SVC_MCP_MAX_AMOUNT: '1.5' }, /^SVC_MCP_MAX_AMOUNT must be a whole number/],
    [{ SVC_MCP_MAX_AMOUNT: '-1' }, /^SVC_MCP_MAX_AMOUNT must be a whole number/],
    [{ SVC_MCP_MAX_AMOUNT: '1 USDC' }, /^SVC_MCP_MAX_AMOUNT must be a whole number/],
    [{ SVC_MCP_SESSION_BUDGET: '1e9' }, /^SVC_MCP_SESSION_BUDGET must be a whole number/],
    [
      { SVC_MCP_ALLOWED_ASSETS: 'USDT' },
      /^SVC_MCP_ALLOWED_ASSETS must be USDC, EURC, PYUSD, XLM or contract/,
    ],
    [
      { SVC_MCP_ALLOWED_ASSETS: `${USDC},` },
      /^SVC_MCP_ALLOWED_ASSETS must be USDC, EURC, PYUSD, XLM or contract/,
    ],
    [{ SVC_MCP_ALLOWED_HOSTS: 'https://x.example' }, /^SVC_MCP_ALLOWED_HOSTS must be hosts/],
    [{ SVC_MCP_ALLOWED_HOSTS: 'x.example/path' }, /^SVC_MCP_ALLOWED_HOSTS must be hosts/],
    [{ SVC_MCP_ALLOWED_HOSTS: '*.example' }, /^SVC_MCP_ALLOWED_HOSTS must be hosts/],
    [{ NETWORK: 'testnet' }, /^NETWORK must be/],
    [{ NETWORK: 'stellar:pubnet' }, /^RPC_URL is missing/],
    [{ NETWORK: 'stellar:pubnet', RPC_URL: 'http://rpc.example' }, /^RPC_URL must be https/],
    // Names that only look like this machine.
    [{ NETWORK: 'stellar:pubnet', RPC_URL: 'http://localhost.evil.example' }, /^RPC_URL must be https/],
    [{ NETWORK: 'stellar:pubnet', RPC_URL: 'http://127.0.0.1.evil.example' }, /^RPC_URL must be https/],
    [{ RPC_URL: 'rpc.example' }, /^RPC_URL must be an absolute/],
    [{ RPC_URL: Array(6).fill('https://a.example').join() }, /^RPC_URL names more than 5/],
    [{ RPC_URL: 'https://a.example,' }, /^RPC_URL must be an absolute/],
  ])('%j is wrong', (environment, text) => {
    const found = problems(environment);
    expect(found).toEqual([expect.stringMatching(text)]);
    expect(found[0]).not.toContain(SECRET);
  });

  test('may name assets by the codes that they have on its network', () => {
    const network = 'stellar:pubnet';
    const given = { NETWORK: network, RPC_URL: 'https://a.example', SVC_MCP_ALLOWED_ASSETS: 'EURC, XLM' };
    const allowedAssets = [contractOfAsset('EURC', network), contractOfAsset('XLM', network)];
    expect(toMcpConfig(given)).toMatchObject({ config: { spend: { allowedAssets } } });
  });

  test('with several faults names all of them', () => {
    const wrong = { NETWORK: 'x', RPC_URL: 'x', SVC_MCP_MAX_AMOUNT: 'x', FACILITATOR_URL: 'x' };
    expect(problems(wrong).map((text) => text.split(' ')[0])).toEqual([
      'NETWORK',
      'FACILITATOR_URL',
      'RPC_URL',
      'SVC_MCP_MAX_AMOUNT',
    ]);
  });
});

test('a secret never stands in a line of the log', () => {
  const lines: string[] = [];
  const log = createMcpLog([SECRET], (line) => lines.push(line));
  log.error({ err: new Error(`with ${SECRET}`), nested: { a: [SECRET] } }, SECRET);
  expect(lines.join('')).not.toContain(SECRET);
  expect(lines.join('')).toContain('[hidden]');
});

describe('a variable that is no setting', () => {
  test('is a problem if its name is ours', () => {
    const source = {
      SVC_MCP_MAX_AMOUT: '5',
      SVC_MCP_LIMIT: '5',
      SVC_MCP_ALLOWED_HOSTS: 'a.example',
      SVC_MCP_X: ' ',
    };
    expect(findUnknown(source)).toEqual({
      problems: [
        { variable: 'SVC_MCP_MAX_AMOUT', text: 'is not a setting: did you mean SVC_MCP_MAX_AMOUNT?' },
        { variable: 'SVC_MCP_LIMIT', text: 'is not a setting' },
      ],
      misspelled: [],
    });
  });

  test('is only named if it may be another program’s', () => {
    expect(findUnknown({ FACILITATOR_URI: 'x', PATH: '/bin', FACILITATOR_KEY_FILE: 'x' })).toEqual({
      problems: [],
      misspelled: [{ variable: 'FACILITATOR_URI', meant: 'FACILITATOR_URL' }],
    });
  });
});
