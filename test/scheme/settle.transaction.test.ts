import { xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import {
  AMOUNT,
  MAX_TIMEOUT_SECONDS,
  requestFor,
  requirementsFor,
  signTransfer,
} from '../support/payments.ts';
import { junkEntry, sourceOf } from '../support/paymentsDraft.ts';
import { accountOf, invocationIn, settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, expectSettled, settlement } = settlementsOn(stage);

function invocationSent(transaction: string): xdr.InvokeHostFunctionOp {
  const envelope = xdr.TransactionEnvelope.fromXdr(transaction, 'base64');
  if (envelope.type !== 'envelopeTypeTx') throw new Error('this is no payment');
  return invocationIn(envelope.v1.tx);
}

describe('the transaction', () => {
  test("carries the client's call and authorization entries byte for byte", async () => {
    const stranger = stage.sandbox.account();
    for (const credentials of ['address', 'addressV2'] as const) {
      const payment = newPayment({ credentials }, ({ entries }) => {
        const other = xdr.ScAddress.scAddressTypeAccount(stranger.xdrAccountId());
        entries.push({ ...entries[0]!, address: other });
      });
      const { call } = settlement(expectSettled(await stage.facilitator.settle(payment.request), payment));
      expect(call.toXdr('base64')).toBe(invocationSent(payment.transaction).toXdr('base64'));
    }
  });

  test("drops the client's source, sequence, fee, memo, preconditions, operation source and resources", async () => {
    const stranger = stage.sandbox.account();
    const payment = newPayment({}, (draft) => {
      draft.source = sourceOf(stranger.publicKey());
      draft.operationSource = sourceOf(stranger.publicKey());
      draft.sequence = 77n;
      draft.fee = 4_000_000_000;
      draft.memo = xdr.Memo.memoText('pay me back');
      draft.preconditions = xdr.Preconditions.precondV2(
        new xdr.PreconditionsV2({
          timeBounds: new xdr.TimeBounds({ minTime: 1n, maxTime: 2n }),
          ledgerBounds: new xdr.LedgerBounds({ minLedger: 1, maxLedger: 2 }),
          minSeqNum: 5n,
          minSeqAge: 6n,
          minSeqLedgerGap: 7,
          extraSigners: [xdr.SignerKey.signerKeyTypeEd25519(stranger.rawPublicKey())],
        }),
      );
    });
    const sequence = stage.sandbox.network.balances(stage.submitter.publicKey()).sequence!;
    const { tx, source } = settlement(
      expectSettled(await stage.facilitator.settle(payment.request), payment),
    );
    expect(source).toBe(stage.submitter.publicKey());
    expect(tx.seqNum).toBe(sequence + 1n);
    expect(tx.fee).toBeLessThan(50_000);
    expect(tx.memo.type).toBe('memoNone');
    expect(tx.operations).toHaveLength(1);
    expect(tx.operations[0]!.sourceAccount).toBeNull();
    expect(tx.cond).toMatchObject({
      type: 'precondV2',
      v2: { minSeqNum: null, minSeqAge: 0n, minSeqLedgerGap: 0, extraSigners: [] },
    });
    expect(tx.ext.type).toBe('sorobanData');
  });

  test('can apply until the authorization expires, and never longer than half a minute', async () => {
    const payment = newPayment();
    const before = BigInt(Math.floor(Date.now() / 1000));
    const { tx } = settlement(expectSettled(await stage.facilitator.settle(payment.request), payment));
    const { timeBounds, ledgerBounds } = tx.cond.type === 'precondV2' ? tx.cond.v2 : {};
    expect(ledgerBounds).toMatchObject({ minLedger: 0, maxLedger: payment.expiration + 1 });
    expect(timeBounds?.minTime).toBe(0n);
    // The clock of the network and this machine's differ by up to a second in whole seconds.
    expect(timeBounds?.maxTime).toBeGreaterThanOrEqual(before + 28n);
    expect(timeBounds?.maxTime).toBeLessThanOrEqual(BigInt(Math.ceil(Date.now() / 1000)) + 31n);
  });

  test("ends with the authorization that is used, whatever the payer's other entries say", async () => {
    const payment = newPayment({}, (draft) => void draft.entries.unshift(junkEntry(draft)));
    const { tx } = settlement(expectSettled(await stage.facilitator.settle(payment.request), payment));
    const { ledgerBounds } = tx.cond.type === 'precondV2' ? tx.cond.v2 : {};
    expect(ledgerBounds).toMatchObject({ maxLedger: payment.expiration + 1 });
  });

  test('bids the simulated resource fee and the base fee, and costs the payer nothing', async () => {
    const payment = newPayment();
    const [payerBefore, submitterBefore] = [payment.payer, stage.submitter.publicKey()].map(
      stage.sandbox.native,
    );
    const { tx, feeCharged } = settlement(
      expectSettled(await stage.facilitator.settle(payment.request), payment),
    );
    const resourceFee = tx.ext.type === 'sorobanData' ? tx.ext.sorobanData.resourceFee : 0n;
    expect(BigInt(tx.fee)).toBe(100n + resourceFee);
    expect(stage.sandbox.native(payment.payer)).toBe(payerBefore);
    expect(stage.sandbox.native(stage.submitter.publicKey())).toBe(submitterBefore! - feeCharged);
  });

  test('is wrapped by a fee bump: its account pays, the submitter pays nothing', async () => {
    const [source, feeBump] = [stage.sandbox.submitter(), stage.sandbox.submitter()];
    const { settle, supported, health } = await stage.open({ submitters: [source], feeBump });
    const payment = newPayment();
    const sourceBefore = stage.sandbox.native(source.publicKey());
    const feeBumpBefore = stage.sandbox.native(feeBump.publicKey());
    const found = settlement(expectSettled(await settle(payment.request), payment));
    expect(found.source).toBe(source.publicKey());
    expect(accountOf(found.feeBump!.feeSource)).toBe(feeBump.publicKey());
    expect(found.feeBump!.fee).toBe(BigInt(found.tx.fee) + 100n);
    expect(stage.sandbox.native(source.publicKey())).toBe(sourceBefore);
    expect(stage.sandbox.native(feeBump.publicKey())).toBe(feeBumpBefore - found.feeCharged);
    expect((await supported()).signers).toEqual({ 'stellar:*': [source.publicKey()] });
    expect((await health()).feeBumpAddress).toBe(feeBump.publicKey());
  });

  test('moves the asset past the submitter, which never holds any', async () => {
    const payment = newPayment();
    const before = stage.sandbox.usdc(payment.payer);
    expectSettled(await stage.facilitator.settle(payment.request), payment);
    expect(stage.sandbox.usdc(payment.payer)).toBe(before - AMOUNT);
    expect(stage.sandbox.usdc(stage.submitter.publicKey())).toBe(0n);
  });

  test("a contract account's payment to an account settles, and a payment to a contract that holds USDC", async () => {
    const { address: from, key } = stage.sandbox.contractPayer();
    const payment = newPayment({ key, from });
    expectSettled(await stage.facilitator.settle(payment.request), payment);
    expect((await stage.facilitator.verify(payment.request)).isValid).toBe(false);

    const { address: payTo } = stage.sandbox.contractPayer(1n);
    const requirements = requirementsFor(payTo);
    const expiration = stage.sandbox.expirationIn(MAX_TIMEOUT_SECONDS);
    const toContract = signTransfer({
      key: stage.sandbox.account(),
      requirements,
      expiration,
      nonce: stage.sandbox.nonce(),
    });
    expect(await stage.facilitator.settle(requestFor(requirements, toContract))).toMatchObject({
      success: true,
    });
    expect(stage.sandbox.usdc(payTo)).toBe(1n + AMOUNT);
  });
});
