import { expect, test } from 'vitest';
import { INSTRUCTION_LEEWAY } from '../../src/scheme/limits.ts';
import { createLeeway } from '../../src/scheme/leeway.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
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

test('an asset that is not known has leeway until a simulation shows that no contract code runs for it', async () => {
  const payer = stage.sandbox.account().publicKey();
  const { transaction } = await stage.facilitator.settle(newPayment().request);
  const { ext } = settlement(transaction).tx;
  if (ext.type !== 'sorobanData') throw new Error('this is no settlement');
  const payment = { payer, asset: 'CASSET' };
  const leeway = createLeeway([]);
  expect(leeway.of(payment)).toBe(INSTRUCTION_LEEWAY);
  leeway.learn(payment, 'no data');
  expect(leeway.of(payment)).toBe(INSTRUCTION_LEEWAY);
  leeway.learn(payment, ext.sorobanData.toXdr('base64'));
  expect(leeway.of(payment)).toBe(0);
  expect(leeway.of({ ...payment, payer: stage.sandbox.contractPayer().address })).toBe(INSTRUCTION_LEEWAY);
});
