import { expect, test } from 'vitest';
import { INSTRUCTION_LEEWAY } from '../../src/scheme/limits.ts';
import { createLeeway } from '../../src/scheme/verify/leeway.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { USDC } from '../support/payments.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, settlement } = settlementsOn(stage);

/** Instructions that a settled payment declared. */
function instructionsOf(hash: string): number {
  const { ext } = settlement(hash).tx;
  if (ext.type !== 'sorobanData') throw new Error('this is no settlement');
  return ext.sorobanData.resources.instructions;
}

test('a contract account’s payment may use a million instructions more than its simulation did, an account’s may not', async () => {
  const { settle } = await stage.open();
  const { address, key } = stage.sandbox.contractPayer();
  const ofContract = await settle(newPayment({ from: address, key }).request);
  const ofAccount = await settle(newPayment().request);
  const [contract, account] = [ofContract, ofAccount].map(({ transaction }) => instructionsOf(transaction));
  expect(contract! - account!).toBeGreaterThan(INSTRUCTION_LEEWAY * 0.9);
  expect(account).toBeLessThan(INSTRUCTION_LEEWAY * 3);
});

/** What a settlement declared, as its simulation said it. */
function transactionDataOf(hash: string): string {
  const { ext } = settlement(hash).tx;
  if (ext.type !== 'sorobanData') throw new Error('this is no settlement');
  return ext.sorobanData.toXdr('base64');
}

test('an asset that is not known has leeway until a simulation shows that no contract code runs for it', async () => {
  const payer = stage.sandbox.account().publicKey();
  const { transaction } = await stage.facilitator.settle(newPayment().request);
  const payment = { payer, asset: 'CASSET' };
  const leeway = createLeeway([], async () => 0);
  expect(leeway.of(payment)).toBe(INSTRUCTION_LEEWAY);
  await leeway.learn(payment, 'no data', 'verifying');
  expect(leeway.of(payment)).toBe(INSTRUCTION_LEEWAY);
  await leeway.learn(payment, transactionDataOf(transaction), 'verifying');
  expect(leeway.of(payment)).toBe(0);
  expect(leeway.of({ ...payment, payer: stage.sandbox.contractPayer().address })).toBe(INSTRUCTION_LEEWAY);
});

test('a payer whose code costs more to read has that much leeway, as long as its code does', async () => {
  const { address, key } = stage.sandbox.contractPayer();
  const { transaction } = await stage.facilitator.settle(newPayment({ from: address, key }).request);
  const payment = { payer: address, asset: USDC };
  let cost = 5 * INSTRUCTION_LEEWAY;
  const leeway = createLeeway([USDC], async () => cost);
  expect(await leeway.learn(payment, transactionDataOf(transaction), 'verifying')).toBe(cost);
  expect(leeway.of(payment)).toBe(cost);
  cost = 0;
  expect(await leeway.learn(payment, transactionDataOf(transaction), 'verifying')).toBe(INSTRUCTION_LEEWAY);
  expect(leeway.of(payment)).toBe(INSTRUCTION_LEEWAY);
});
