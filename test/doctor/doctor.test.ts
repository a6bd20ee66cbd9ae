import { Asset, Keypair, StrKey } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { ABOUT } from '../interop/bazaarDeclarations.ts';
import { runInside } from '../support/cli.ts';
import { freePort } from '../support/freePort.ts';
import { USDC_ISSUER } from '../support/playedNetwork.ts';
import { playSeller, requiredHeader, type PlayedAnswer } from './seller.ts';
import { doctorWorld } from './world.ts';

const world = doctorWorld();
const { examine, sellerOf, termsFor, contentFor, openStockShop } = world;

describe('a seller without a defect', () => {
  test('on the stock packages is found fine', async () => {
    const shop = await openStockShop();
    const { verdict, wrong } = await examine(`${shop.origin}/weather?city=Faro`);
    expect({ verdict, wrong }).toEqual({ verdict: 'fine', wrong: [] });
  });

  test('is told so in lines for people, with the price in its unit, and nothing is sent to the network', async () => {
    world.sandbox.calls.reset();
    const { code, stdout } = await runInside(['doctor', await sellerOf()], { RPC_URL: world.sandbox.url });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {8}answer: is 402/);
    expect(stdout).toContain('accepts[0].amount: is 0.01 USDC (100000 base units, 7 decimals)\n');
    expect(stdout).toContain(`resource.serviceName: searches see "${ABOUT.serviceName}"\n`);
    expect(stdout).toMatch(/\nIt would be paid and, once it is, listed\.\n$/);
    expect(world.sandbox.calls.counts()['sendTransaction']).toBeUndefined();
  });

  test('is asked by the method that its route takes', async () => {
    const url = await playSeller((own, method) =>
      method === 'POST' ? { headers: requiredHeader(contentFor(own)) } : { status: 405 },
    );
    const fixes = async (...args: string[]) => (await examine(url, args)).wrong.map(({ mend }) => mend);
    expect(await fixes()).toEqual(['If the route takes another method than GET, name it: --method POST.']);
    expect(await fixes('--method', 'put')).toEqual([
      'If the route takes another method than PUT, name it: --method GET.',
    ]);
    expect(await examine(url, ['--method', 'post'])).toMatchObject({ verdict: 'fine' });
  });

  test('may offer other networks, too', async () => {
    const changes = { accepts: [termsFor({ network: 'eip155:8453' }), termsFor()] };
    expect(await examine(await sellerOf(changes))).toMatchObject({ verdict: 'fine', wrong: [] });
  });

  test('may be paid at a contract that has held the asset, or at a muxed account', async () => {
    const contract = world.sandbox.contractPayer(1n).address;
    const muxed = StrKey.encodeMed25519PublicKey(
      Buffer.concat([Keypair.fromPublicKey(world.payTo).rawPublicKey(), Buffer.alloc(8, 1)]),
    );
    for (const address of [contract, muxed])
      expect(await examine(await sellerOf({ terms: { payTo: address } }))).toMatchObject({ verdict: 'fine' });
  });

  test('may be the issuer of the asset, or sell for lumens without a trustline', async () => {
    const lumens = Asset.native().contractId(world.sandbox.network.passphrase);
    const holder = world.sandbox.submitter().publicKey();
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

  test('a redirect to a long URL, of which the beginning is shown', async () => {
    const location = `/${'x'.repeat(9_000)}`;
    const { wrong } = await examine(await playSeller(() => ({ status: 301, headers: { location } })));
    expect(wrong[0]!.mend!.length).toBeLessThan(600);
  });

  test('a seller that does not run', async () => {
    const { verdict, wrong } = await examine(`http://127.0.0.1:${await freePort()}/`);
    expect(verdict).toBe('unpaid');
    expect(wrong).toMatchObject([{ check: 'answer', text: expect.stringContaining('ECONNREFUSED') }]);
  });
});

test('what a seller says cannot steer the terminal', async () => {
  const url = await sellerOf({ terms: { payTo: '\u001b[2K\u202e' }, resource: { description: '\u001b[2K' } });
  const { stdout } = await runInside(['doctor', url], { RPC_URL: world.sandbox.url });
  expect(['\u001b', '\u202e'].filter((mark) => stdout.includes(mark))).toEqual([]);
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
