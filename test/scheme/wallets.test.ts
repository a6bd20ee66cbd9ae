import { setTimeout as sleep } from 'node:timers/promises';
import { xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { AMOUNT, USDC } from '../support/payments.ts';
import { CEILING_STROOPS } from '../support/service.ts';
import { outcomeOf, PAID, refusedWith, useContractStage } from '../support/contractStage.ts';
import { trick, type Wallet } from '../../sandbox/contracts/wallets.ts';

const stage = useContractStage();
/** Rounds of a check that takes nearly 100,000,000 instructions, the highest limit that the public network had. */
const NEARLY_THE_CEILING = 12_000;
/** The network allows 400,000,000 instructions, of which a settlement needs 4 % beyond its simulation. */
const TOO_COSTLY = {
  'beyond the network’s limit': 60_000,
  'so near to it that its leeway goes beyond': 52_000,
};
/** Ledgers tell the time in whole seconds; this is a little more than one. */
const A_SECOND_MS = 1_100;
const NOT_EXECUTED = 'invalid_exact_stellar_payload_simulation_failed';

const honest: Record<string, () => Promise<Wallet>> = {
  'an ed25519 contract account': () => stage.wallets.ed25519(),
  'a passkey account': () => stage.wallets.passkey(),
  'a two-of-three account': () => stage.wallets.twoOfThree(),
  'an account with a spending limit, at its limit,': () => stage.wallets.limited(AMOUNT, 2n * AMOUNT),
  'an account that checks nothing': () => stage.wallets.cheap(0),
  'an account with a cheap check': () => stage.wallets.cheap(20),
  'an account with a dearer check': () => stage.wallets.costly(300),
  'an account with much code': () => stage.wallets.bulky(),
};

test.for(Object.keys(honest))('%s pays: valid, and settles', async (name) => {
  const wallet = await stage.fund(await honest[name]!());
  const before = await stage.balance(USDC, wallet.address);
  expect(await outcomeOf(stage, await stage.payment(wallet))).toMatchObject(PAID);
  expect(await stage.balance(USDC, wallet.address)).toBe(before - AMOUNT);
  // The first payment may find other entries on the ledger than the next one.
  expect(await outcomeOf(stage, await stage.payment(wallet))).toMatchObject(PAID);
});

const unwilling: Record<string, () => Promise<Wallet>> = {
  'an ed25519 contract account that another key signs for': async () => {
    const [{ address }, { sign }] = [await stage.wallets.ed25519(), await stage.wallets.ed25519()];
    return { address, sign };
  },
  'a passkey account whose passkey signed another payload': async () => {
    const { address, sign } = await stage.wallets.passkey();
    return { address, sign: (payload) => sign(Buffer.from(payload).reverse()) };
  },
  'a two-of-three account that one has signed for': async () => {
    const { address, sign } = await stage.wallets.twoOfThree();
    return { address, sign: (payload) => onlyFirstOf(sign(payload)) };
  },
  'an account with a spending limit below the amount': () => stage.wallets.limited(AMOUNT - 1n, 2n * AMOUNT),
  'an account whose budget is smaller than the amount': () => stage.wallets.limited(AMOUNT, AMOUNT - 1n),
};

test.for(Object.keys(unwilling))('%s does not pay: refused, and nothing is sent', async (name) => {
  const wallet = await stage.fund(await unwilling[name]!());
  expect(await outcomeOf(stage, await stage.payment(wallet))).toMatchObject(refusedWith(NOT_EXECUTED));
});

test('several payments at once of an account whose check counts what it spends: all settle, up to its budget', async () => {
  const wallet = await stage.fund(await stage.wallets.limited(AMOUNT, 3n * AMOUNT));
  const submitters = [await stage.account(), await stage.account(), await stage.account()];
  const { settle } = await stage.open({ submitters });
  const payments = [await stage.payment(wallet), await stage.payment(wallet), await stage.payment(wallet)];
  const answers = await Promise.all(payments.map(({ request }) => settle(request)));
  expect(answers.map(({ success }) => success)).toEqual([true, true, true]);
  expect(await outcomeOf(stage, await stage.payment(wallet))).toMatchObject(refusedWith(NOT_EXECUTED));
});

/** Of a vector, its first element alone. */
function onlyFirstOf(signatures: xdr.ScVal): xdr.ScVal {
  if (signatures.type !== 'scvVec') throw new Error('these are no signatures');
  return xdr.ScVal.scvVec(signatures.vec!.slice(0, 1));
}

test('an account whose check costs nearly the ceiling is refused for its fee, and pays where the operator pays that much', async () => {
  const wallet = await stage.fund(await stage.wallets.costly(NEARLY_THE_CEILING));
  const payment = await stage.payment(wallet);
  const feeTooHigh = 'invalid_exact_stellar_payload_fee_exceeds_maximum';
  const thrifty = await stage.open({ maxTransactionFeeStroops: CEILING_STROOPS });
  expect(await outcomeOf(stage, payment, thrifty)).toMatchObject(refusedWith(feeTooHigh));
  const generous = await stage.open({ maxTransactionFeeStroops: 1_000_000 });
  expect(await outcomeOf(stage, payment, generous)).toMatchObject(PAID);
});

test.for(Object.entries(TOO_COSTLY))(
  'an account whose check goes %s is refused, whatever the operator pays',
  async ([, rounds]) => {
    const wallet = await stage.fund(await stage.wallets.costly(rounds));
    const generous = await stage.open({ maxTransactionFeeStroops: 1_000_000 });
    expect(await outcomeOf(stage, await stage.payment(wallet), generous)).toMatchObject(
      refusedWith(NOT_EXECUTED),
    );
  },
);

describe('an account that behaves otherwise on the ledger than in the simulation', () => {
  test.for(['RefuseLater', 'WorkLater'] as const)(
    'is found good and fails on the ledger; the answer says so, and nothing moves: %s',
    async (name) => {
      const wallet = await stage.fund(await stage.wallets.twoFaced());
      const { request, payTo } = await stage.payment(wallet);
      const before = await stage.balance(USDC, payTo);
      await stage.stopLedgers();
      const { ended } = await stage.contracts.send(wallet.address, 'play', trick(name));
      await stage.closeLedger();
      await ended;
      await sleep(A_SECOND_MS);
      expect(await stage.facilitator.verify(request)).toMatchObject({ isValid: true });
      expect(await stage.settleOnNextLedger(request)).toMatchObject({
        success: false,
        errorReason: 'settle_exact_stellar_transaction_failed',
        transaction: '',
        extra: { transaction: expect.stringMatching(/^[0-9a-f]{64}$/) },
      });
      expect(await stage.balance(USDC, payTo)).toBe(before);
    },
  );

  test('is answered as the ledger has it, where chance decides', async () => {
    const wallet = await stage.fund(await stage.wallets.twoFaced());
    await stage.contracts.invoke(wallet.address, 'play', trick('Toss'));
    for (let payments = 0; payments < 6; payments++) {
      const { settled, received } = await outcomeOf(stage, await stage.payment(wallet));
      expect(received).toBe(settled.success ? AMOUNT : 0n);
    }
  });
});
