import { describe, expect, test } from 'vitest';
import { runInside } from '../support/cli.ts';
import { contractOfAsset } from '../../src/stellar/assets.ts';
import { USDC } from '../support/playedNetwork.ts';
import { playSeller, requiredHeader } from './seller.ts';
import { doctorWorld } from './world.ts';

const LUMENS = contractOfAsset('XLM', 'stellar:testnet')!;

const world = doctorWorld();
const { examine, sellerOf, openStockShop } = world;

describe('a real payment', () => {
  test('of the price is made when it is asked for, and its transaction is named', async () => {
    const [shop, payer] = [await openStockShop(), world.sandbox.account(100_001n)];
    const secret = { DOCTOR_PAYER_SECRET: payer.secret() };
    const { verdict, findings } = await examine(`${shop.origin}/weather`, ['--pay', '100000'], secret);
    expect({ verdict, last: findings.at(-1) }).toMatchObject({
      verdict: 'fine',
      last: { check: 'payment', text: expect.stringMatching(/in transaction [0-9a-f]{64}, .* 200$/) },
    });
    expect([world.sandbox.usdc(payer.publicKey()), world.sandbox.usdc(shop.payTo)]).toEqual([1n, 100_000n]);
  });

  test('above what may be paid is not made', async () => {
    const payer = world.sandbox.account();
    const { verdict, wrong } = await examine(await sellerOf(), ['--pay', '99999'], {
      DOCTOR_PAYER_SECRET: payer.secret(),
    });
    expect({ verdict, wrong }).toMatchObject({
      verdict: 'unchecked',
      wrong: [{ check: 'payment', text: expect.stringMatching(/^was not made: .*99999/) }],
    });
    expect(world.sandbox.usdc(payer.publicKey())).toBe(10_000_000n);
  });

  test('is not made in another asset than the one that was examined', async () => {
    const payer = world.sandbox.account();
    let asset = LUMENS;
    const url = await playSeller((at) => {
      const headers = requiredHeader(world.contentFor(at, { terms: { asset } }));
      asset = USDC;
      return { headers };
    });
    const { wrong } = await examine(url, ['--pay', '100000'], { DOCTOR_PAYER_SECRET: payer.secret() });
    expect(wrong).toMatchObject([{ check: 'payment', text: 'was not made: the 402 has changed' }]);
    expect(world.sandbox.usdc(payer.publicKey())).toBe(10_000_000n);
  });

  test('that the seller does not settle is told, when it can settle no more', async () => {
    const payer = world.sandbox.account();
    const url = await sellerOf({ terms: { maxTimeoutSeconds: 3 }, error: 'no such luck' });
    const { verdict, wrong } = await examine(url, ['--pay', '100000'], {
      DOCTOR_PAYER_SECRET: payer.secret(),
    });
    const text = expect.stringMatching(/^did not settle, and never will: .* 402, and says "no such luck"$/);
    expect({ verdict, last: wrong.at(-1) }).toMatchObject({
      verdict: 'unpaid',
      last: { check: 'payment', text },
    });
    expect(world.sandbox.usdc(payer.publicKey())).toBe(10_000_000n);
  });

  test('is not made, nor signed, where something would prevent it', async () => {
    const payer = world.sandbox.account();
    const url = await sellerOf({ terms: { payTo: world.sandbox.submitter().publicKey() } });
    const { wrong } = await examine(url, ['--pay', '100000'], { DOCTOR_PAYER_SECRET: payer.secret() });
    expect(wrong.at(-1)).toMatchObject({
      check: 'payment',
      status: 'warn',
      text: expect.stringContaining('not made'),
    });
  });

  test('needs an account that pays', async () => {
    const args = ['doctor', await sellerOf(), '--pay', '1'];
    expect(await runInside(args, { RPC_URL: world.sandbox.url })).toMatchObject({
      code: 78,
      stdout: '',
      stderr: expect.stringContaining('DOCTOR_PAYER_SECRET is missing'),
    });
  });
});
