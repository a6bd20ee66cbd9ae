import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { Asset, Keypair, nativeToScVal, StrKey, xdr } from '@stellar/stellar-sdk';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { usdcOf } from '../../src/stellar/assets.ts';
import { ABOUT } from '../interop/bazaarDeclarations.ts';
import { openShop, type Shop } from '../interop/bazaarShop.ts';
import { runInside } from '../support/cli.ts';
import { freePort } from '../support/freePort.ts';
import { NETWORK, OTHER_NETWORK, USDC, USDC_ISSUER } from '../support/playedNetwork.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openFacilitator } from '../support/service.ts';
import { playSeller, requiredHeader, type PlayedAnswer } from './seller.ts';

interface Finding {
  check: string;
  status: string;
  text: string;
  mend?: string;
  code?: string;
}

let sandbox: TestSandbox;
let payTo: string;

beforeAll(async () => {
  sandbox = await openSandbox();
  payTo = sandbox.account(0n).publicKey();
});
afterEach(() => sandbox.faults.clear());
afterAll(() => sandbox.close());

const CODES = { fine: 0, unpaid: 1, unlisted: 2, unchecked: 3 };

/** Examines a URL. Returns the verdict, and what is not ok. */
async function examine(url: string, args: string[] = [], environment = {}) {
  const { code, stdout } = await runInside(['doctor', url, '--json', ...args], {
    RPC_URL: sandbox.url,
    ...environment,
  });
  const { verdict, findings } = JSON.parse(stdout) as { verdict: keyof typeof CODES; findings: Finding[] };
  expect(code).toBe(CODES[verdict]);
  return { verdict, findings, wrong: findings.filter(({ status }) => status !== 'ok') };
}

type Content = Record<string, any>;

const termsFor = (changes: object = {}): Content => ({
  scheme: 'exact',
  network: NETWORK,
  asset: USDC,
  amount: '100000',
  payTo,
  maxTimeoutSeconds: 60,
  extra: { areFeesSponsored: true },
  ...changes,
});

/** A 402 without a defect, but for the changes. */
const contentFor = (url: string, { terms = {}, resource = {}, ...changes }: Content = {}): Content => ({
  x402Version: 2,
  accepts: [termsFor(terms as object)],
  resource: { url, ...ABOUT, ...resource },
  extensions: {
    bazaar: { info: { input: { type: 'http', method: 'GET' } }, schema: { type: 'object' } },
  },
  ...changes,
});

const sellerOf = (changes?: Content): Promise<string> =>
  playSeller((url) => ({ headers: requiredHeader(contentFor(url, changes)) }));

/** Examines a seller with one defect, and expects one finding that is not ok. */
async function defectOf(changes: Content): Promise<Finding & { verdict: string }> {
  const { verdict, wrong } = await examine(await sellerOf(changes));
  expect(wrong).toHaveLength(1);
  return { verdict, ...wrong[0]! };
}

/** A seller on the stock packages, and its facilitator. */
async function openStockShop(): Promise<Shop> {
  const facilitator = await openFacilitator({ rpcUrl: sandbox.url, submitters: [sandbox.submitter()] });
  onTestFinished(() => facilitator.close());
  const extensions = declareDiscoveryExtension({ input: { city: 'Lisbon' } });
  const shop = await openShop(
    { sandbox, facilitatorUrl: facilitator.url },
    { 'GET /weather': { ...ABOUT, extensions } },
  );
  onTestFinished(() => shop.close());
  return shop;
}

describe('a seller without a defect', () => {
  test('on the stock packages is found fine', async () => {
    const shop = await openStockShop();
    const { verdict, wrong } = await examine(`${shop.origin}/weather?city=Faro`);
    expect({ verdict, wrong }).toEqual({ verdict: 'fine', wrong: [] });
  });

  test('is told so in lines for people, with the price in its unit, and nothing is sent to the network', async () => {
    sandbox.calls.reset();
    const { code, stdout } = await runInside(['doctor', await sellerOf()], { RPC_URL: sandbox.url });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {8}answer: is 402/);
    expect(stdout).toContain('accepts[0].amount: is 0.01 USDC (100000 base units, 7 decimals)\n');
    expect(stdout).toContain(`resource.serviceName: searches see "${ABOUT.serviceName}"\n`);
    expect(stdout).toMatch(/\nIt would be paid and, once it is, listed\.\n$/);
    expect(sandbox.calls.counts()['sendTransaction']).toBeUndefined();
  });

  test('is asked by the method that its route takes', async () => {
    const url = await playSeller((own) => ({ headers: requiredHeader(contentFor(own)) }));
    expect(await examine(url, ['--method', 'post'])).toMatchObject({ verdict: 'fine' });
  });

  test('may offer other networks, too', async () => {
    const changes = { accepts: [termsFor({ network: 'eip155:8453' }), termsFor()] };
    expect(await examine(await sellerOf(changes))).toMatchObject({ verdict: 'fine', wrong: [] });
  });

  test('may be paid at a contract that has held the asset, or at a muxed account', async () => {
    const contract = sandbox.contractPayer(1n).address;
    const muxed = StrKey.encodeMed25519PublicKey(
      Buffer.concat([Keypair.fromPublicKey(payTo).rawPublicKey(), Buffer.alloc(8, 1)]),
    );
    for (const address of [contract, muxed])
      expect(await examine(await sellerOf({ terms: { payTo: address } }))).toMatchObject({ verdict: 'fine' });
  });

  test('may be the issuer of the asset, or sell for lumens without a trustline', async () => {
    const lumens = Asset.native().contractId(sandbox.network.passphrase);
    const holder = sandbox.submitter().publicKey();
    const { wrong } = await examine(await sellerOf({ terms: { asset: lumens, payTo: holder } }));
    expect(wrong).toEqual([]);
    expect((await examine(await sellerOf({ terms: { payTo: USDC_ISSUER } }))).findings).toContainEqual(
      expect.objectContaining({ check: 'accepts[0].payTo', text: expect.not.stringContaining('trustline') }),
    );
  });
});

describe('what keeps a seller from being paid at all is found:', () => {
  const header = (text: string) => ({ 'payment-required': text });
  const answers: [string, PlayedAnswer, string, RegExp][] = [
    ['a route that is free', { status: 200 }, 'answer', /status 200/],
    ['a redirect', { status: 301, headers: { location: '/x' } }, 'answer', /redirects/],
    ['a route that is not there', { status: 404 }, 'answer', /status 404/],
    ['a seller that fails', { status: 500 }, 'answer', /status 500/],
    ['no header', {}, 'PAYMENT-REQUIRED', /^is missing$/],
    ['terms in the body alone', { body: '{"accepts":[]}' }, 'PAYMENT-REQUIRED', /version 1/],
    ['a header that is not base64', { headers: header('{}') }, 'PAYMENT-REQUIRED', /not base64$/],
    ['a header that is not JSON', { headers: header('AAAA') }, 'PAYMENT-REQUIRED', /of JSON$/],
    ['a header without an object', { headers: header('W10=') }, 'PAYMENT-REQUIRED', /not an object/],
  ];
  test.each(answers)('%s', async (_what, answer, check, text) => {
    const { verdict, wrong } = await examine(await playSeller(() => answer));
    expect(verdict).toBe('unpaid');
    expect(wrong).toEqual([
      { check, status: 'unpaid', text: expect.stringMatching(text), mend: expect.any(String) },
    ]);
  });

  test('a seller that does not run', async () => {
    const { verdict, wrong } = await examine(`http://127.0.0.1:${await freePort()}/`);
    expect(verdict).toBe('unpaid');
    expect(wrong).toMatchObject([{ check: 'answer', text: expect.stringContaining('ECONNREFUSED') }]);
  });
});

describe('what is wrong with the terms is found:', () => {
  const terms: [string, object, string, RegExp, RegExp][] = [
    ['no network of Stellar', { network: 'stellar:mainnet' }, '', /no network of Stellar/, /stellar:pubnet/],
    ['another scheme', { scheme: 'upto' }, '', /scheme "upto"/, /exact/],
    ['the code of an asset', { asset: 'USDC' }, '.asset', /not the address/, new RegExp(USDC)],
    [
      'an asset with its issuer',
      { asset: `USDC:${USDC_ISSUER}` },
      '.asset',
      /not the address/,
      new RegExp(USDC),
    ],
    [
      'an asset of the other network',
      { asset: usdcOf(OTHER_NETWORK) },
      '.asset',
      /is no contract on/,
      new RegExp(USDC),
    ],
    ['no recipient', { payTo: 'me' }, '.payTo', /"me"/, /Stellar address/],
    ['an amount with a point', { amount: '0.01' }, '.amount', /"0.01"/, /1 USDC is "10000000"/],
    ['an amount that is a number', { amount: 100_000 }, '.amount', /100000/, /text of digits/],
    ['an amount of nothing', { amount: '0' }, '.amount', /"0"/, /base units/],
    ['no timeout', { maxTimeoutSeconds: undefined }, '.maxTimeoutSeconds', /missing/, /60/],
    ['a timeout within one ledger', { maxTimeoutSeconds: 1 }, '.maxTimeoutSeconds', /1 ledger closes/, /60/],
    ['no sponsored fees', { extra: {} }, '.extra', /areFeesSponsored missing/, /supported/],
    [
      'another flow',
      { extra: { areFeesSponsored: true, paymentFlow: 'x' } },
      '.extra',
      /paymentFlow "x"/,
      /supported/,
    ],
  ];
  test.each(terms)('%s', async (_what, changes, place, text, mend) => {
    const { verdict, findings } = await examine(await sellerOf({ terms: changes }));
    expect(verdict).toBe('unpaid');
    const unpaid = findings.filter(({ status }) => status === 'unpaid');
    expect(unpaid[0]).toMatchObject({
      check: `accepts[0]${place}`,
      text: expect.stringMatching(text),
      mend: expect.stringMatching(mend),
    });
    // Without an offer, this is told, too.
    expect(unpaid.slice(1).map(({ check }) => check)).toEqual(place === '' ? ['accepts'] : []);
  });

  test('another version', async () => {
    expect(await defectOf({ x402Version: 1 })).toMatchObject({ verdict: 'unpaid', check: 'x402Version' });
  });

  test.each([[[]], ['none'], [undefined]])('nothing that is offered: %j', async (accepts) => {
    const { verdict, wrong } = await examine(await sellerOf({ accepts }));
    expect(verdict).toBe('unpaid');
    expect(wrong[0]).toMatchObject({ check: 'accepts', status: 'unpaid' });
  });

  test('a timeout that is short, which is a warning', async () => {
    expect(await defectOf({ terms: { maxTimeoutSeconds: 10 } })).toMatchObject({
      verdict: 'fine',
      check: 'accepts[0].maxTimeoutSeconds',
    });
  });
});

describe('a token of its own', () => {
  test('that tells no decimals is a warning, and its recipient needs nothing', async () => {
    const terms = { asset: sandbox.network.deploy('plain', []), payTo: sandbox.submitter().publicKey() };
    expect(await defectOf({ terms })).toMatchObject({
      verdict: 'fine',
      check: 'accepts[0].asset',
      text: expect.stringContaining('decimals'),
    });
  });

  test('is a warning, and its amount is shown with its own decimals', async () => {
    const results = [{ xdr: xdr.ScVal.scvU32(2).toXdr('base64') }];
    sandbox.faults.add({
      kind: 'rewrite',
      methods: ['simulateTransaction'],
      rewrite: (_method, { latestLedger }) => ({ latestLedger, results }),
    });
    const url = await sellerOf({ terms: { asset: sandbox.network.deploy('plain', []), amount: '150' } });
    const { verdict, wrong, findings } = await examine(url);
    expect({ verdict, wrong }).toMatchObject({
      verdict: 'fine',
      wrong: [{ text: expect.stringContaining('token of its own') }],
    });
    expect(findings).toContainEqual(
      expect.objectContaining({ text: 'is 1.5 units (150 base units, 2 decimals)' }),
    );
  });
});

describe('what is wrong with the recipient on the ledger is found:', () => {
  /** Makes the node show the ledger's entries otherwise. */
  function show(change: (data: xdr.LedgerEntryData) => xdr.LedgerEntryData): void {
    sandbox.faults.add({
      kind: 'rewrite',
      methods: ['getLedgerEntries'],
      rewrite: (_method, result) => ({
        ...(result as object),
        entries: (result['entries'] as { xdr: string }[]).map((entry) => ({
          ...entry,
          xdr: change(xdr.LedgerEntryData.fromXdr(entry.xdr, 'base64')).toXdr('base64'),
        })),
      }),
    });
  }
  const showTrustline = (changes: Partial<xdr.TrustLineEntry>): void =>
    show((data) =>
      data.type === 'trustline'
        ? xdr.LedgerEntryData.trustline(new xdr.TrustLineEntry({ ...data.trustLine, ...changes }))
        : data,
    );

  test('no account', async () => {
    const terms = { payTo: sandbox.keyWithoutAccount().publicKey() };
    expect(await defectOf({ terms })).toMatchObject({
      verdict: 'unpaid',
      check: 'accepts[0].payTo',
      text: expect.stringContaining('no account'),
    });
  });

  test('no trustline', async () => {
    const terms = { payTo: sandbox.submitter().publicKey() };
    expect(await defectOf({ terms })).toMatchObject({
      verdict: 'unpaid',
      text: expect.stringContaining('no trustline for USDC'),
      mend: expect.stringContaining(`USDC:${USDC_ISSUER}`),
    });
  });

  test('a trustline that the issuer has not authorized', async () => {
    showTrustline({ flags: 2 });
    expect(await defectOf({})).toMatchObject({
      verdict: 'unpaid',
      text: expect.stringContaining('not authorized'),
    });
  });

  test('a trustline without room for one payment', async () => {
    showTrustline({ limit: 150_000n, balance: 100_000n });
    expect(await defectOf({})).toMatchObject({
      verdict: 'unpaid',
      text: expect.stringContaining('room for 0.005 USDC'),
      mend: expect.stringContaining('now 0.015 USDC'),
    });
  });

  test('a contract whose balance the issuer has frozen', async () => {
    const frozen = nativeToScVal(
      { amount: 1n, authorized: false, clawback: false },
      { type: { amount: ['symbol', 'i128'], authorized: ['symbol'], clawback: ['symbol'] } },
    );
    show((data) =>
      data.type === 'contractData'
        ? xdr.LedgerEntryData.contractData(new xdr.ContractDataEntry({ ...data.contractData, val: frozen }))
        : data,
    );
    const terms = { payTo: sandbox.contractPayer(1n).address };
    expect(await defectOf({ terms })).toMatchObject({
      verdict: 'unpaid',
      text: expect.stringContaining('frozen'),
    });
  });

  test('a contract that has never held the asset', async () => {
    const contract = sandbox.network.contractAccount(sandbox.keyWithoutAccount().rawPublicKey());
    expect(await defectOf({ terms: { payTo: contract } })).toMatchObject({
      verdict: 'unpaid',
      code: 'invalid_exact_stellar_payload_fee_exceeds_maximum',
    });
  });
});

describe('what keeps a seller from being listed is found, by the code of the catalog:', () => {
  const bazaar = (info: unknown, schema: unknown = {}) => ({ extensions: { bazaar: { info, schema } } });
  const good = { input: { type: 'http', method: 'GET' } };
  const nodes = Object.fromEntries(Array.from({ length: 2_001 }, (_, nth) => [`p${nth}`, true]));
  const cases: [string, Content, string, string | undefined][] = [
    ['no declaration', { extensions: undefined }, 'extensions.bazaar', undefined],
    [
      'no info',
      { extensions: { bazaar: { schema: {} } } },
      'extensions.bazaar',
      'bazaar_extension_not_object',
    ],
    [
      'a rule of info',
      bazaar({ input: { type: 'ftp' } }),
      'extensions.bazaar.info',
      'bazaar_spec_validation_failed',
    ],
    [
      'info against schema',
      bazaar(good, { required: ['output'] }),
      'extensions.bazaar.schema',
      'bazaar_schema_validation_failed',
    ],
    [
      'a large schema',
      bazaar(good, { properties: nodes }),
      'extensions.bazaar.schema',
      'bazaar_schema_too_complex',
    ],
    ['no URL', { resource: { url: 'weather' } }, 'resource.url', 'bazaar_resource_url_invalid'],
  ];
  test.each(cases)('%s', async (_what, changes, check, code) => {
    const { verdict, wrong } = await examine(await sellerOf(changes));
    expect(verdict).toBe('unlisted');
    const unlisted = wrong.filter(({ status }) => status === 'unlisted');
    expect(unlisted).toMatchObject([{ check, mend: expect.any(String) }]);
    expect(unlisted[0]!.code).toBe(code);
  });

  test('extensions that are too large, in a header that few buyers can read', async () => {
    const { verdict, wrong } = await examine(await sellerOf(bazaar({ ...good, output: 'x'.repeat(65_536) })));
    expect(verdict).toBe('unlisted');
    expect(wrong.map(({ check, code }) => [check, code])).toEqual([
      ['PAYMENT-REQUIRED', undefined],
      ['extensions', 'bazaar_extensions_too_large'],
    ]);
  });

  test('every rule that is broken, not the first alone', async () => {
    const { wrong } = await examine(
      await sellerOf({ ...bazaar({ input: {} }, true), resource: { url: 'ftp://x' } }),
    );
    expect(wrong.map(({ code }) => code)).toEqual([
      'bazaar_spec_validation_failed',
      'bazaar_schema_validation_failed',
      'bazaar_resource_url_invalid',
    ]);
  });
});

describe('what searches would not see is a warning:', () => {
  test.each([
    [
      'a name that is too long',
      { serviceName: 'x'.repeat(33) },
      ['resource.serviceName', 'resource.serviceName'],
    ],
    ['a description that is cut', { description: 'x'.repeat(5_000) }, ['resource.description']],
    ['one tag too many', { tags: ['a', 'b', 'c', 'd', 'e', 'f'] }, ['resource.tags']],
    ['an icon at an address', { iconUrl: 'https://127.0.0.1/i.png' }, ['resource.iconUrl']],
    ['no description', { description: '' }, ['resource.description']],
    ['another address', { url: 'https://sunny.example.com/weather' }, ['resource.url']],
  ])('%s', async (_what, resource, checks) => {
    const { verdict, wrong } = await examine(await sellerOf({ resource }));
    expect(verdict).toBe('fine');
    expect(wrong.map(({ check }) => check)).toEqual(checks);
  });

  test('a template that is none', async () => {
    const info = { input: { type: 'http', method: 'GET' } };
    const extensions = { bazaar: { info, schema: {}, routeTemplate: '/../x' } };
    expect(await defectOf({ extensions })).toMatchObject({ check: 'extensions.bazaar.routeTemplate' });
  });
});

describe('a ledger that cannot be asked', () => {
  test('leaves the rest to be checked, and is told', async () => {
    sandbox.faults.add({ kind: 'httpStatus', status: 503 });
    const { verdict, wrong, findings } = await examine(await sellerOf());
    expect({ verdict, wrong }).toMatchObject({
      verdict: 'unchecked',
      wrong: [{ check: 'accepts[0]', text: expect.stringContaining('503') }],
    });
    expect(findings.at(-1)).toMatchObject({ check: 'search' });
  });

  test('is one of another network, too, or one that is not named', async () => {
    const terms = { network: OTHER_NETWORK };
    expect(await examine(await sellerOf({ terms }))).toMatchObject({ verdict: 'unchecked' });
    const url = await sellerOf({ terms: { network: 'stellar:pubnet' } });
    expect(await runInside(['doctor', url], {})).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('RPC_URL is missing'),
    });
  });
});

test('what a seller says cannot steer the terminal', async () => {
  const url = await sellerOf({ terms: { payTo: '\u001b[2K\u202e' }, resource: { description: '\u001b[2K' } });
  const { stdout } = await runInside(['doctor', url], { RPC_URL: sandbox.url });
  expect(['\u001b', '\u202e'].filter((mark) => stdout.includes(mark))).toEqual([]);
});

describe('a real payment', () => {
  test('of the price is made when it is asked for, and its transaction is named', async () => {
    const [shop, payer] = [await openStockShop(), sandbox.account(100_001n)];
    const secret = { DOCTOR_PAYER_SECRET: payer.secret() };
    const { verdict, findings } = await examine(`${shop.origin}/weather`, ['--pay', '100000'], secret);
    expect({ verdict, last: findings.at(-1) }).toMatchObject({
      verdict: 'fine',
      last: { check: 'payment', text: expect.stringMatching(/in transaction [0-9a-f]{64}, .* 200$/) },
    });
    expect([sandbox.usdc(payer.publicKey()), sandbox.usdc(shop.payTo)]).toEqual([1n, 100_000n]);
  });

  test('above what may be paid is not made', async () => {
    const payer = sandbox.account();
    const { verdict, wrong } = await examine(await sellerOf(), ['--pay', '99999'], {
      DOCTOR_PAYER_SECRET: payer.secret(),
    });
    expect({ verdict, wrong }).toMatchObject({
      verdict: 'unchecked',
      wrong: [{ check: 'payment', text: expect.stringMatching(/^was not made: .*99999/) }],
    });
    expect(sandbox.usdc(payer.publicKey())).toBe(10_000_000n);
  });

  test('that the seller does not settle is told, when it can settle no more', async () => {
    const payer = sandbox.account();
    const url = await sellerOf({ terms: { maxTimeoutSeconds: 3 }, error: 'no such luck' });
    const { verdict, wrong } = await examine(url, ['--pay', '100000'], {
      DOCTOR_PAYER_SECRET: payer.secret(),
    });
    const text = expect.stringMatching(/^did not settle, and never will: .* 402, and says "no such luck"$/);
    expect({ verdict, last: wrong.at(-1) }).toMatchObject({
      verdict: 'unpaid',
      last: { check: 'payment', text },
    });
    expect(sandbox.usdc(payer.publicKey())).toBe(10_000_000n);
  });

  test('is not made, nor signed, where something would prevent it', async () => {
    const payer = sandbox.account();
    const url = await sellerOf({ terms: { payTo: sandbox.submitter().publicKey() } });
    const { wrong } = await examine(url, ['--pay', '100000'], { DOCTOR_PAYER_SECRET: payer.secret() });
    expect(wrong.at(-1)).toMatchObject({
      check: 'payment',
      status: 'warn',
      text: expect.stringContaining('not made'),
    });
  });

  test('needs an account that pays', async () => {
    const args = ['doctor', await sellerOf(), '--pay', '1'];
    expect(await runInside(args, { RPC_URL: sandbox.url })).toMatchObject({
      code: 78,
      stdout: '',
      stderr: expect.stringContaining('DOCTOR_PAYER_SECRET is missing'),
    });
  });
});

describe('nothing is asked', () => {
  test.each([
    ['without a URL', [], '<url> is missing'],
    ['of what is no URL', ['weather'], '<url> must be'],
    ['of a URL with a password', ['http://a:b@127.0.0.1/'], '<url> must be'],
    ['for a payment without a bound', ['http://127.0.0.1/', '--pay', '0'], '--pay needs'],
    ['by a method that there is not', ['http://127.0.0.1/', '--method', 'BREW'], '--method must be'],
  ])('%s', async (_what, args, problem) => {
    const { code, stdout, stderr } = await runInside(['doctor', ...args], {});
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toContain(problem);
  });
});
