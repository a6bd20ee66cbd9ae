import { createEd25519Signer } from '@x402/stellar';
import { ExactStellarScheme } from '@x402/stellar/exact/facilitator';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FacilitatorRequest, VerifyResponse } from '../../src/contract/index.ts';
import type { Scheme } from '../../src/scheme/index.ts';
import { AMOUNT, NETWORK, requestFor, requirementsFor } from '../support/payments.ts';
import { send, type Attempt } from '../support/paymentsAttempt.ts';
import { decodeDraft } from '../support/paymentsDraft.ts';
import { stockTransfer } from '../support/paymentsStock.ts';
import { openScheme } from '../support/service.ts';
import { useStage } from '../support/serviceStage.ts';
import { castOf } from '../scheme/rungs/rung.ts';
import { differences } from './differences.ts';
import { tamperings } from './tampered.ts';

/** The ceiling of both facilitators. */
const HIGHEST_BID_STROOPS = 50_000;

const stage = useStage();
let stock: ExactStellarScheme;
let scheme: Scheme;
beforeAll(() => {
  const { submitter, feeBump, sandbox, options } = stage;
  stock = new ExactStellarScheme([createEd25519Signer(submitter.secret(), NETWORK)], {
    rpcConfig: { url: sandbox.httpsUrl },
    feeBumpSigner: createEd25519Signer(feeBump.secret(), NETWORK),
  });
  scheme = openScheme(options);
});
// The stock facilitator prints whatever it refuses.
beforeEach(() => vi.spyOn(console, 'error').mockImplementation(() => {}));
afterAll(() => scheme.close());

/** The stock client's payment, with one thing changed. Ledgers stand still, so that both judge at the same moment. */
async function stockAttempt(): Promise<Attempt> {
  const payer = stage.sandbox.account();
  const requirements = requirementsFor(stage.sandbox.account(0n).publicKey());
  const transaction = await stockTransfer(payer, requirements, stage.sandbox.httpsUrl);
  const request = requestFor(requirements, transaction) as Attempt['request'];
  const draft = decodeDraft(transaction);
  // A change can make the simulation dearer: with its narrow bid, the stock facilitator would see nothing else.
  draft.fee = HIGHEST_BID_STROOPS;
  return { payer, request, draft, claims: [] };
}

const stockVerify = ({ paymentPayload, paymentRequirements }: FacilitatorRequest) =>
  stock.verify(paymentPayload as never, paymentRequirements as never);
const verdictOf = ({
  isValid,
  invalidReason,
}: Pick<VerifyResponse, 'isValid'> & { invalidReason?: string }) => (isValid ? 'valid' : invalidReason);

describe('the stock facilitator and this one agree, or differ as listed', () => {
  test.each(tamperings)('$name', async ({ name, spoil, onScheme }) => {
    const attempt = await stockAttempt();
    stage.sandbox.stopLedgers();
    spoil(attempt, castOf(stage));
    const verify = onScheme ? scheme.verify : stage.facilitator.verify;
    const verdicts = {
      ours: verdictOf(await send(attempt, stage.sandbox, verify)),
      stock: verdictOf(await send(attempt, stage.sandbox, stockVerify)),
    };
    const listed = differences.find(({ payments }) => payments.includes(name));
    if (verdicts.ours === verdicts.stock) expect(listed).toBeUndefined();
    else expect(verdicts).toEqual({ ours: listed?.ours, stock: listed?.stock });
  });
});

test('every listed difference is one of a payment that is tried', () => {
  const tried = new Set(tamperings.map(({ name }) => name));
  expect(tried.size).toBe(tamperings.length);
  const listed = differences.flatMap(({ payments }) => payments);
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed.filter((name) => !tried.has(name))).toEqual([]);
});

test('both settle the stock client’s payment, for the same payer', async () => {
  const [first, second] = [await stockAttempt(), await stockAttempt()];
  const ours = await send(first, stage.sandbox, stage.facilitator.settle);
  const theirs = await send(second, stage.sandbox, ({ paymentPayload, paymentRequirements }) =>
    stock.settle(paymentPayload as never, paymentRequirements as never),
  );
  const shape = {
    success: true,
    network: NETWORK,
    transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
  };
  expect(ours).toEqual({ ...shape, payer: first.payer.publicKey() });
  expect(theirs).toEqual({ ...shape, payer: second.payer.publicKey() });
});

const validHereOnly = differences.flatMap(({ ours, payments }) => (ours === 'valid' ? payments : []));

test.each(validHereOnly)('what only this facilitator finds valid, it settles: %s', async (name) => {
  const attempt = await stockAttempt();
  tamperings.find((tampering) => tampering.name === name)!.spoil(attempt, castOf(stage));
  const payer = attempt.payer.publicKey();
  const before = stage.sandbox.usdc(payer);
  expect(await send(attempt, stage.sandbox, stage.facilitator.settle)).toMatchObject({
    success: true,
    payer,
  });
  expect(stage.sandbox.usdc(payer)).toBe(before - AMOUNT);
});
