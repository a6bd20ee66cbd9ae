import type { Keypair } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import {
  settleCodes,
  type FacilitatorRequest,
  type SettleCode,
  type SettleResponse,
} from '../../src/contract/index.ts';
import { AMOUNT, NETWORK } from '../support/payments.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import type { Reached } from './rungs/rung.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, sent } = settlementsOn(stage);
const paymentOf = (key: Keypair): FacilitatorRequest => newPayment({ key }).request;

/** Long enough for a payment to be sent, too short for a ledger that does not close. */
const impatient = { answerWithinMs: 2_000 };
const brokenSigner = (key: Keypair) => ({
  address: key.publicKey(),
  sign: () => Promise.reject(new Error('the key store is locked')),
});

interface Row {
  name: string;
  reached: Reached;
  /** The refused settlement of a payment by `payer`. */
  reach(payer: Keypair): Promise<SettleResponse>;
  /** Whether the refusal names a transaction, in `extra` and in its message. */
  hasHash?: boolean;
}

/** Every settle code (specification 7.3): where it can be reached, and how. */
const rows: Record<SettleCode, readonly Row[]> = {
  verification_failed: [
    {
      name: 'another settlement of the same authorization has not ended in time',
      reached: 'HTTP',
      async reach(payer) {
        const { settle } = await stage.open({ parts: { limits: impatient } });
        const payment = paymentOf(payer);
        stage.sandbox.stopLedgers();
        const first = settle(payment);
        await sent(1);
        const second = await settle(payment);
        await first;
        return second;
      },
    },
    {
      name: 'more settlements of the same authorization wait than may',
      reached: 'HTTP',
      async reach(payer) {
        const { settle } = await stage.open({ parts: { limits: { maxWaitingPerAuthorization: 0 } } });
        const payment = paymentOf(payer);
        stage.sandbox.stopLedgers();
        const first = settle(payment);
        await sent(1);
        // Answered at once: no ledger closes until then.
        const second = await settle(payment);
        stage.sandbox.network.closeLedger();
        expect(await first).toMatchObject({ success: true });
        return second;
      },
    },
  ],
  settle_exact_stellar_signer_selection_failed: [
    {
      name: 'the submitter has no account',
      reached: 'HTTP',
      async reach(payer) {
        const { settle } = await stage.open({ submitters: [stage.sandbox.keyWithoutAccount()] });
        return settle(paymentOf(payer));
      },
    },
    {
      name: 'the only submitter stays busy',
      reached: 'HTTP',
      async reach(payer) {
        const limits = { ...impatient, minInclusionSeconds: 1 };
        const { settle } = await stage.open({ parts: { limits } });
        stage.sandbox.stopLedgers();
        const first = settle(paymentOf(stage.sandbox.account()));
        await sent(1);
        const second = await settle(paymentOf(payer));
        stage.sandbox.network.closeLedger();
        await first;
        return second;
      },
    },
    {
      name: 'more payments wait than may',
      reached: 'HTTP',
      async reach(payer) {
        const { settle } = await stage.open({ parts: { limits: { ...impatient, maxWaitingPayments: 0 } } });
        stage.sandbox.stopLedgers();
        const first = settle(paymentOf(stage.sandbox.account()));
        await sent(1);
        const second = await settle(paymentOf(payer));
        stage.sandbox.network.closeLedger();
        await first;
        return second;
      },
    },
  ],
  settle_exact_stellar_transaction_signing_failed: [
    {
      name: "the submitter's signer fails",
      reached: 'HTTP',
      async reach(payer) {
        const key = stage.sandbox.submitter();
        const { settle } = await stage.open({
          submitters: [key],
          parts: { submitters: [brokenSigner(key)] },
        });
        return settle(paymentOf(payer));
      },
    },
  ],
  settle_exact_stellar_fee_bump_signing_failed: [
    {
      name: "the fee-bump account's signer fails",
      reached: 'HTTP',
      async reach(payer) {
        const feeBump = stage.sandbox.submitter();
        const { settle } = await stage.open({ feeBump, parts: { feeBump: brokenSigner(feeBump) } });
        return settle(paymentOf(payer));
      },
    },
  ],
  settle_exact_stellar_transaction_submission_failed: [
    {
      name: 'the network refuses the transaction',
      reached: 'misbehaving RPC',
      hasHash: true,
      async reach(payer) {
        const { settle } = await stage.open();
        stage.sandbox.faults.add({ kind: 'sendStatus', status: 'ERROR', result: 'txInternalError' });
        return settle(paymentOf(payer));
      },
    },
    {
      name: 'the network demands a higher inclusion fee',
      reached: 'HTTP',
      hasHash: true,
      async reach(payer) {
        const { settle } = await stage.open();
        stage.sandbox.faults.add({ kind: 'feeSurge', stroops: 100_000 });
        return settle(paymentOf(payer));
      },
    },
    {
      name: 'the network stays busy',
      reached: 'misbehaving RPC',
      hasHash: true,
      async reach(payer) {
        const { settle } = await stage.open({ parts: { limits: { maxResends: 2, resendAfterMs: 10 } } });
        stage.sandbox.faults.add({ kind: 'sendStatus', status: 'TRY_AGAIN_LATER' });
        return settle(paymentOf(payer));
      },
    },
  ],
  settle_exact_stellar_transaction_failed: [
    {
      name: 'the balance is spent meanwhile',
      reached: 'HTTP',
      hasHash: true,
      async reach(payer) {
        const { settle } = await stage.open();
        stage.sandbox.stopLedgers();
        const answer = settle(paymentOf(payer));
        await sent(1);
        stage.sandbox.network.burn(payer.publicKey(), AMOUNT);
        stage.sandbox.network.closeLedger();
        return answer;
      },
    },
    {
      name: 'no ledger has taken it by the time that the seller needs an answer',
      reached: 'HTTP',
      hasHash: true,
      async reach(payer) {
        const { settle } = await stage.open({ parts: { limits: impatient } });
        stage.sandbox.stopLedgers();
        return settle(paymentOf(payer));
      },
    },
    {
      name: 'no ledger takes it while it is valid',
      reached: 'misbehaving RPC',
      hasHash: true,
      async reach(payer) {
        const limits = { minInclusionSeconds: 1, maxInclusionSeconds: 1, maxSignatures: 1 };
        const { settle } = await stage.open({ parts: { limits } });
        stage.sandbox.faults.add({ kind: 'sendStatus', status: 'PENDING' });
        return settle(paymentOf(payer));
      },
    },
  ],
  unexpected_settle_error: [
    {
      name: "the submitter's sequence number cannot be read",
      reached: 'misbehaving RPC',
      async reach(payer) {
        stage.sandbox.faults.add({ kind: 'httpStatus', status: 502, methods: ['getLedgerEntries'] });
        const { settle } = await stage.open();
        return settle(paymentOf(payer));
      },
    },
    {
      name: "the submitter's sequence number turns out to be outdated, and cannot be read again",
      reached: 'misbehaving RPC',
      hasHash: true,
      async reach(payer) {
        const limits = { minInclusionSeconds: 1, maxInclusionSeconds: 1 };
        const { settle } = await stage.open({ parts: { limits } });
        stage.sandbox.faults.add({ kind: 'sendStatus', status: 'ERROR', result: 'txBadSeq' });
        stage.sandbox.faults.add({ kind: 'httpStatus', status: 502, methods: ['getLedgerEntries'] });
        return settle(paymentOf(payer));
      },
    },
    {
      name: 'the network does not answer in time',
      reached: 'misbehaving RPC',
      async reach(payer) {
        const { settle } = await stage.open({ parts: { limits: { answerWithinMs: 100 } } });
        stage.sandbox.faults.add({ kind: 'delay', ms: 300, methods: ['simulateTransaction'], times: 1 });
        return settle(paymentOf(payer));
      },
    },
  ],
};

describe.each(Object.entries(rows))('%s', (code, cases) => {
  test.each(cases)('$name ($reached)', async ({ reach, hasHash = false }) => {
    const payer = stage.sandbox.account(AMOUNT);
    const answer = await reach(payer);
    expect(answer).toMatchObject({
      success: false,
      errorReason: code,
      errorMessage: expect.stringMatching(/\w/),
      transaction: '',
      network: NETWORK,
      payer: payer.publicKey(),
    });
    if (hasHash) {
      const hash = answer.extra?.['transaction'];
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
      expect(answer.errorMessage).toContain(hash);
    } else expect(answer).not.toHaveProperty('extra');
  });
});

test('the table of codes reaches every settle code of the contract, and no other', () => {
  expect(Object.keys(rows).sort()).toEqual([...settleCodes].sort());
});
