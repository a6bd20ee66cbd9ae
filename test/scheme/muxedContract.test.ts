/** Recipients that are contracts with an id (W…, CAP-84): networks have supported them since protocol 30. */
import { xdr } from '@stellar/stellar-sdk';
import { afterEach, expect, test } from 'vitest';
import { muxedContractAddress } from '../../src/stellar/muxedContract.ts';
import { encodeMuxedContract } from '../../src/stellar/muxedContractText.ts';
import { AMOUNT, requirementsFor, USDC } from '../support/payments.ts';
import { encodeAttempt, followCall, goodAttempt } from '../support/paymentsAttempt.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openFacilitator } from '../support/service.ts';

const MUXED = { contract: USDC, id: 7n };
/** The first payment to a contract pays for the entry of its balance: more than the service's ceiling. */
const HELD = 1n;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(protocol: number) {
  const sandbox = await openSandbox({ protocol });
  sandbox.network.mint(USDC, HELD);
  const facilitator = await openFacilitator({ rpcUrl: sandbox.url, submitters: [sandbox.submitter()] });
  closing.push(() => sandbox.close(), facilitator.close);
  return { sandbox, facilitator };
}

/** A good payment to the muxed contract. */
function payment(sandbox: TestSandbox) {
  const attempt = goodAttempt({
    payer: sandbox.account(),
    requirements: requirementsFor(USDC),
    expiration: sandbox.expirationIn(60),
    nonce: sandbox.nonce(),
  });
  attempt.draft.args[1] = xdr.ScVal.scvAddress(muxedContractAddress(MUXED));
  followCall(attempt);
  const payTo = encodeMuxedContract(MUXED);
  attempt.request.paymentRequirements.payTo = payTo;
  attempt.request.paymentPayload.accepted['payTo'] = payTo;
  return encodeAttempt(attempt);
}

test('a payment to W… settles under protocol 30', async () => {
  const { sandbox, facilitator } = await open(30);
  const request = payment(sandbox);
  expect(await facilitator.verify(request)).toMatchObject({ isValid: true });
  expect(await facilitator.settle(request)).toMatchObject({ success: true });
  expect(sandbox.usdc(USDC)).toBe(HELD + AMOUNT);
});

test('under protocol 29 it is refused, and settles after the upgrade', async () => {
  const { sandbox, facilitator } = await open(29);
  const request = payment(sandbox);
  const code = 'invalid_exact_stellar_payload_wrong_recipient';
  expect(await facilitator.verify(request)).toMatchObject({ isValid: false, invalidReason: code });
  expect(await facilitator.settle(request)).toMatchObject({ success: false, errorReason: code });
  sandbox.network.upgrade(30);
  sandbox.network.closeLedger();
  expect(await facilitator.settle(request)).toMatchObject({ success: true });
});

test('if it cannot be learned which protocol the network runs, the simulation’s refusal stands', async () => {
  const { sandbox, facilitator } = await open(30);
  const request = payment(sandbox);
  expect(await facilitator.settle(request)).toMatchObject({ success: true });
  sandbox.faults.add({ kind: 'httpStatus', status: 500, methods: ['getNetwork'] });
  expect(await facilitator.verify(request)).toMatchObject({
    isValid: false,
    invalidReason: 'invalid_exact_stellar_payload_simulation_failed',
  });
});
