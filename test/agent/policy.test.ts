import { StrKey } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { signerFromSecret } from '../../src/agent/wallet/index.ts';
import { AMOUNT } from '../support/payments.ts';
import { openSeller, type Seller } from './support/seller.ts';
import { paidBy, useAgentStage } from './support/stage.ts';
import { openToolServer, TOOL } from './support/toolServer.ts';

const stage = useAgentStage();

/** A seller who asks for these terms. */
const askingFor = (...accepts: unknown[]): Promise<Seller> =>
  openSeller(stage, async (visit) => {
    if (visit.payment === undefined) return visit.askToPay({ accepts });
    visit.deliver({}, await visit.settle());
  });

const declined = (reason: string | RegExp) => ({
  errorCode: 'svc_mcp_payment_declined_by_policy',
  reason: expect.stringMatching(reason),
});

describe('the cap for one payment', () => {
  test('is 10,000,000 base units unless configured', async () => {
    const buyer = await stage.buyer({}, { usdc: 50_000_000n });
    const { structured } = await buyer.pay({
      url: (await askingFor(stage.terms({ amount: '10000001' }))).url,
    });
    expect(structured).toEqual(declined('10000001 base units is above the cap of 10000000'));
    const paid = await buyer.pay({ url: (await askingFor(stage.terms({ amount: '10000000' }))).url });
    expect(paid.structured).toMatchObject({ paid: true });
    expect(buyer.spent()).toBe(10_000_000n);
  });

  test.each([
    ['100000', true],
    ['99999', false],
    ['0', false],
  ])('of %s lets 100000 pass: %s', async (SVC_MCP_MAX_AMOUNT, passes) => {
    const seller = await openSeller(stage);
    const buyer = await stage.buyer({ SVC_MCP_MAX_AMOUNT });
    const { structured } = await buyer.pay({ url: seller.url });
    expect(structured.errorCode).toBe(passes ? undefined : 'svc_mcp_payment_declined_by_policy');
    expect(buyer.spent()).toBe(passes ? AMOUNT : 0n);
    expect(seller.paid()).toHaveLength(passes ? 1 : 0);
  });

  test('binds before anything is signed, by no other words than its own', async () => {
    const seller = await openSeller(stage);
    const buyer = await stage.buyer({ SVC_MCP_MAX_AMOUNT: '1' });
    stage.sandbox.calls.reset();
    await buyer.pay({ url: seller.url });
    expect(stage.sandbox.calls.counts()).toEqual({});
    expect(buyer.log).toEqual([]);
  });

  test('binds a tool of an MCP server', async () => {
    const server = await openToolServer(stage);
    const buyer = await stage.buyer({ SVC_MCP_MAX_AMOUNT: '1' });
    const { structured } = await buyer.pay({ url: server.url, toolName: TOOL });
    expect(structured).toEqual(declined('above the cap of 1 '));
    expect(server.visits).toHaveLength(1);
  });
});

describe('a 402 is declined, and nothing signed', () => {
  test.each([
    ['another network', { network: 'stellar:pubnet' }, /not on stellar:testnet/],
    ['another scheme', { scheme: 'upto' }, /not of the scheme exact/],
    [
      'an asset that is an account',
      { asset: 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5' },
      /not a contract address/,
    ],
    ['an asset that is nothing', { asset: 'USDC' }, /not a contract address/],
    ['a recipient that is nothing', { payTo: 'me' }, /not a Stellar address/],
    ['an amount of 0', { amount: '0' }, /not a positive integer/],
    ['a negative amount', { amount: '-1' }, /not a positive integer/],
    ['a hexadecimal amount', { amount: '0x10' }, /not a positive integer/],
    ['an exponential amount', { amount: '1e3' }, /not a positive integer/],
    ['a leading zero', { amount: '01' }, /not a positive integer/],
    ['a fraction', { amount: '1.5' }, /not a positive integer/],
    ['a space', { amount: ' 1' }, /not a positive integer/],
    ['an amount as a number', { amount: 5 as never }, /not a positive integer/],
    ['an amount beyond i128', { amount: String(2n ** 127n) }, /not a positive integer/],
    ['the largest i128', { amount: String(2n ** 127n - 1n) }, /above the cap/],
    ['a time of 0', { maxTimeoutSeconds: 0 }, /maxTimeoutSeconds/],
    ['a time that is a text', { maxTimeoutSeconds: '60' as never }, /maxTimeoutSeconds/],
    ['another flow', { extra: { areFeesSponsored: true, paymentFlow: 'escrow' } }, /kind of exact payment/],
  ])('with %s', async (_name, changes, reason) => {
    const seller = await askingFor(stage.terms(changes));
    const buyer = await stage.buyer();
    expect((await buyer.pay({ url: seller.url })).structured).toEqual(declined(reason));
    expect(seller.paid()).toEqual([]);
  });

  test('with terms that are none', async () => {
    const seller = await askingFor(null, 5, 'exact', [], {});
    expect((await (await stage.buyer()).pay({ url: seller.url })).structured).toEqual(
      declined(/not an object/),
    );
  });

  const large = { large: '€'.repeat(25_000) };
  test.each<[string, () => object]>([
    ['extensions', () => ({ extensions: large })],
    ['resource', () => ({ resource: large })],
    ['terms', () => ({ accepts: [{ ...stage.terms(), ...large }] })],
  ])(
    'whose %s would take a payment more than 64 KiB to repeat: svc_mcp_resource_error',
    async (_name, required) => {
      const server = await openToolServer(stage, (visit) => visit.askToPay({ required: required() }));
      const buyer = await stage.buyer();
      const { structured } = await buyer.pay({ url: server.url, toolName: TOOL });
      expect(structured).toMatchObject({
        errorCode: 'svc_mcp_resource_error',
        reason: expect.stringMatching(/repeat more than.*Nothing was paid/),
      });
      expect(buyer.log).toEqual([]);
    },
  );

  test('with 10,000 offers of which the first hundred are none', async () => {
    const accepts = [...new Array<object>(10_000).fill({}), stage.terms()];
    const server = await openToolServer(stage, (visit) => visit.askToPay({ required: { accepts } }));
    const { structured } = await (await stage.buyer()).pay({ url: server.url, toolName: TOOL });
    expect(structured).toEqual(declined(/not of the scheme exact/));
  });
});

describe('a 402 that makes no sense is svc_mcp_resource_error', () => {
  test.each([
    ['without the header', undefined],
    ['with a header that is no base64', '%%%'],
    ['with base64 of no JSON', Buffer.from('{').toString('base64')],
    ['with base64 of a list', Buffer.from('[]').toString('base64')],
    ['with another version', Buffer.from('{"x402Version":1,"accepts":[{}]}').toString('base64')],
    ['without terms', Buffer.from('{"x402Version":2}').toString('base64')],
    ['with no terms', Buffer.from('{"x402Version":2,"accepts":[]}').toString('base64')],
    [
      'nested without end',
      Buffer.from('{"x402Version":2,"accepts":' + '['.repeat(60_000)).toString('base64'),
    ],
    [
      'with extensions nested too deep',
      Buffer.from(
        `{"x402Version":2,"accepts":[{}],"extensions":${'['.repeat(9_000)}${']'.repeat(9_000)}}`,
      ).toString('base64'),
    ],
  ])('%s', async (_name, header) => {
    const seller = await openSeller(
      stage,
      ({ response }) =>
        void response.writeHead(402, header === undefined ? {} : { 'payment-required': header }).end(),
    );
    expect((await (await stage.buyer()).pay({ url: seller.url })).structured).toEqual({
      errorCode: 'svc_mcp_resource_error',
      reason: expect.stringMatching(/402 makes no sense.*Nothing was paid/),
    });
  });
});

test('a 402 may carry its terms in the body, where it has no header for them', async () => {
  const seller = await openSeller(stage, async (visit) => {
    if (visit.payment !== undefined) return visit.deliver({}, await visit.settle());
    visit.deliver(
      { x402Version: 2, resource: { url: visit.path }, accepts: [stage.terms()] },
      undefined,
      402,
    );
  });
  expect((await (await stage.buyer()).pay({ url: seller.url })).structured).toMatchObject({ paid: true });
});

describe("the session's budget", () => {
  test('is ten times the cap unless configured', async () => {
    const seller = await openSeller(stage);
    const buyer = await stage.buyer({ SVC_MCP_MAX_AMOUNT: '100000' });
    for (let call = 0; call < 10; call += 1)
      expect((await buyer.pay({ url: seller.url, input: { call } })).structured).toMatchObject({
        paid: true,
      });
    expect((await buyer.pay({ url: seller.url })).structured).toEqual(declined('0 of 1000000'));
    expect(buyer.spent()).toBe(10n * AMOUNT);
  });

  test('ends payments when it is spent, and names what is left', async () => {
    const seller = await openSeller(stage);
    const buyer = await stage.buyer({ SVC_MCP_SESSION_BUDGET: '250000' });
    const answers = [];
    for (let call = 0; call < 4; call += 1)
      answers.push(await buyer.pay({ url: seller.url, input: { call } }));
    expect(answers.map(({ structured }) => structured.errorCode)).toEqual([
      undefined,
      undefined,
      'svc_mcp_payment_declined_by_policy',
      'svc_mcp_payment_declined_by_policy',
    ]);
    expect(answers[2]!.structured.reason).toContain('50000 of 250000');
    expect(buyer.spent()).toBe(2n * AMOUNT);
  });

  test('holds for calls at the same time', async () => {
    const seller = await openSeller(stage);
    const buyer = await stage.buyer({ SVC_MCP_SESSION_BUDGET: '350000' });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, call) => buyer.pay({ url: seller.url, input: { call } })),
    );
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(3);
    expect(paidBy(answers)).toBe(3n * AMOUNT);
    expect(buyer.spent()).toBe(3n * AMOUNT);
    expect(seller.paid()).toHaveLength(3);
  });

  test('gets back what was certainly not paid', async () => {
    const refusing = await openSeller(stage, (visit) => visit.askToPay());
    const selling = await openSeller(stage);
    const buyer = await stage.buyer({ SVC_MCP_SESSION_BUDGET: '100000' });
    expect((await buyer.pay({ url: refusing.url })).structured).toMatchObject({
      payment: { status: 'notSettled' },
    });
    expect((await buyer.pay({ url: selling.url })).structured).toMatchObject({ paid: true });
    expect((await buyer.pay({ url: selling.url })).structured).toEqual(declined('0 of 100000'));
  });

  test('gets back what could not be signed', async () => {
    const seller = await openSeller(stage);
    const signer = signerFromSecret(stage.sandbox.account().secret());
    let isBroken = true;
    const signAuthorization: typeof signer.signAuthorization = (hash, entry) => {
      if (isBroken) throw new Error('the device is gone');
      return signer.signAuthorization(hash, entry);
    };
    const buyer = await stage.buyer(
      { SVC_MCP_SESSION_BUDGET: '100000' },
      { signer: { address: signer.address, signAuthorization } },
    );
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({
      errorCode: 'svc_mcp_internal_error',
    });
    isBroken = false;
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({ paid: true });
    expect(buyer.spent()).toBe(AMOUNT);
  });
});

describe('the allowed hosts', () => {
  test.each([
    ['the host', '127.0.0.1', true],
    ['the host and its port', 'own', true],
    ['another host', 'example.com', false],
    ['another port', '127.0.0.1:1', false],
    ['a list with the host in capitals', 'Example.COM, 127.0.0.1', true],
  ])('are %s: called %s, %s', async (_name, hosts, isCalled) => {
    const seller = await openSeller(stage, (visit) => visit.deliver());
    const SVC_MCP_ALLOWED_HOSTS = hosts === 'own' ? new URL(seller.url).host : hosts;
    const agent = await stage.searcher({ SVC_MCP_ALLOWED_HOSTS });
    const { structured } = await agent.pay({ url: seller.url });
    expect(seller.visits).toHaveLength(isCalled ? 1 : 0);
    if (!isCalled) expect(structured).toEqual(declined('is not among those that are allowed'));
    const tool = await agent.pay({ url: seller.url, toolName: 'x' });
    expect(tool.structured.errorCode === 'svc_mcp_payment_declined_by_policy').toBe(!isCalled);
  });
});

test('a payment to the wallet itself is declined, also by a muxed address of it', async () => {
  const buyer = await stage.buyer();
  const key = StrKey.decodeEd25519PublicKey(buyer.address);
  const muxed = StrKey.encodeMed25519PublicKey(Buffer.concat([key, Buffer.alloc(8, 1)]));
  for (const payTo of [buyer.address, muxed]) {
    const seller = await openSeller(stage, (visit) => visit.askToPay({ accepts: [stage.terms({ payTo })] }));
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({
      errorCode: 'svc_mcp_payment_declined_by_policy',
      reason: expect.stringContaining('this wallet itself'),
    });
    expect(seller.paid()).toEqual([]);
  }
});
