import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { VerifyCode } from '../../src/contract/index.ts';
import type { PaymentPolicy, Scheme } from '../../src/scheme/index.ts';
import { AMOUNT } from '../support/payments.ts';
import { encodeAttempt, send } from '../support/paymentsAttempt.ts';
import { ANY_PAYMENT } from '../support/policy.ts';
import { openScheme } from '../support/service.ts';
import { useStage } from '../support/serviceStage.ts';
import { ladder } from './ladder.ts';
import { castOf, type Cast, type Rung } from './rungs/rung.ts';

const stage = useStage();
let scheme: Scheme;
let cast: Cast;
beforeAll(() => {
  scheme = openScheme(stage.options);
  cast = castOf(stage);
});
afterAll(() => scheme.close());

/** The code that refuses a payment with one defect of each of these rungs; the first rung's has the last word in it. */
async function codeOf(...rungs: readonly Rung[]): Promise<string | undefined> {
  const attempt = stage.payment();
  for (const { defects } of [...rungs].reverse()) defects[0]!.spoil(attempt, cast);
  const { verify } = rungs.some(({ reached }) => reached === 'scheme itself') ? scheme : stage.facilitator;
  return (await send(attempt, stage.sandbox, verify)).invalidReason;
}

const simulation: VerifyCode = 'invalid_exact_stellar_payload_simulation_failed';
const noEntries: VerifyCode = 'invalid_exact_stellar_payload_no_auth_entries';
/** The fee of a payment without authorization entries is not judged: no settlement would pay it. */
const canStandBeside = (earlier: VerifyCode, later: VerifyCode): boolean =>
  !(earlier === 'invalid_exact_stellar_payload_fee_exceeds_maximum' && later === noEntries);
const firstOnNetwork = ladder.findIndex(({ code }) => code === simulation);
const beforeNetwork = ladder.slice(0, firstOnNetwork);
const afterNetwork = ladder.slice(firstOnNetwork + 1);

describe('of two defects, the earlier rung answers', () => {
  test.each(ladder.slice(0, -1).map((rung, index) => ({ ...rung, index })))(
    '$index $code, before every later rung',
    async ({ code, index }) => {
      const answered: Record<string, string | undefined> = {};
      for (const [position, later] of ladder.entries()) {
        if (position <= index || !canStandBeside(code, later.code)) continue;
        answered[`${position} ${later.code}`] = await codeOf(ladder[index]!, later);
      }
      expect(answered).toEqual(Object.fromEntries(Object.keys(answered).map((later) => [later, code])));
    },
  );

  test('a payment with all defects that can stand beside each other answers the first of them', async () => {
    for (let first = 0; first < ladder.length; first++) {
      // An empty list of entries takes the other entries' defects away.
      const rungs = ladder.slice(first).filter(({ code }) => code !== noEntries);
      expect(await codeOf(...rungs)).toBe(rungs[0]!.code);
    }
  });

  test('the fee of a payment without authorization entries is not judged', async () => {
    const rungsOf = (code: VerifyCode) => ladder.filter((rung) => rung.code === code);
    const fee = rungsOf('invalid_exact_stellar_payload_fee_exceeds_maximum');
    expect(await codeOf(...fee, ...rungsOf(noEntries))).toBe(noEntries);
  });

  test('authorization entries are judged one after the other', async () => {
    const attempt = stage.payment();
    const defectsOf = (code: VerifyCode) => ladder.find((rung) => rung.code === code)!.defects;
    const inPayers = defectsOf('invalid_exact_stellar_payload_has_subinvocations')[1]!;
    const inSecond = defectsOf('invalid_exact_stellar_payload_facilitator_in_auth')[0]!;
    inSecond.spoil(attempt, cast);
    inPayers.spoil(attempt, cast);
    expect(await send(attempt, stage.sandbox, stage.facilitator.verify)).toMatchObject({
      invalidReason: 'invalid_exact_stellar_payload_has_subinvocations',
    });
  });
});

describe('the policy', () => {
  const refusal = { code: 'svc_policy_asset', message: 'not here' } as const;
  const policies: [string, PaymentPolicy][] = [
    ['its rules', { ...ANY_PAYMENT, refusal: () => refusal }],
    ['its check', { ...ANY_PAYMENT, check: () => Promise.resolve(refusal) }],
  ];

  /** The code under a policy that refuses everything, and the calls that it took. */
  async function underPolicy(policy: PaymentPolicy, rung: Rung) {
    const attempt = stage.payment();
    rung.defects[0]!.spoil(attempt, cast);
    const refusing = openScheme({ ...stage.options, parts: { policy } });
    onTestFinished(() => refusing.close());
    stage.sandbox.calls.reset();
    const { invalidReason } = await send(attempt, stage.sandbox, refusing.verify);
    return { invalidReason, calls: stage.sandbox.calls.counts() };
  }

  test.each(policies)(
    'refuses by %s only what no rung without the network refuses',
    async (_what, policy) => {
      for (const rung of beforeNetwork)
        expect(await underPolicy(policy, rung)).toEqual({ invalidReason: rung.code, calls: {} });
    },
  );

  test.each(policies)('refuses by %s before the simulation, without a call', async (_what, policy) => {
    for (const rung of ladder.slice(firstOnNetwork))
      expect(await underPolicy(policy, rung)).toEqual({ invalidReason: refusal.code, calls: {} });
  });

  test.each(policies)(
    'refuses a settlement by %s before the simulation, without a call',
    async (_what, policy) => {
      const refusing = openScheme({ ...stage.options, parts: { policy } });
      onTestFinished(() => refusing.close());
      stage.sandbox.calls.reset();
      const answer = await send(stage.payment(), stage.sandbox, refusing.settle);
      expect(answer).toMatchObject({ success: false, errorReason: refusal.code, transaction: '' });
      expect(stage.sandbox.calls.counts()).toEqual({});
    },
  );

  test.each(['verify', 'settle'] as const)(
    'is asked once for each %s, even if the payment waits',
    async (operation) => {
      const asked: unknown[] = [];
      const policy: PaymentPolicy = {
        refusal: (payment) => void asked.push(payment.amount),
        async check(payment, by) {
          asked.push([payment.amount, by]);
          return undefined;
        },
      };
      const asking = openScheme({
        ...stage.options,
        submitters: [stage.sandbox.submitter()],
        parts: { policy },
      });
      onTestFinished(() => asking.close());
      const answer: object = await asking[operation]({ ...encodeAttempt(stage.payment()), keyId: 'k1' });
      expect(answer).toMatchObject(operation === 'verify' ? { isValid: true } : { success: true });
      expect(asked).toEqual([AMOUNT, [AMOUNT, { operation, keyId: 'k1' }]]);
    },
  );
});

describe('calls to the RPC', () => {
  test.each(beforeNetwork)('$code costs none', async (rung) => {
    expect(await codeOf(rung)).toBe(rung.code);
    expect(stage.sandbox.calls.counts()).toEqual({});
  });

  test.each(beforeNetwork)('$code is answered while the RPC is out of order', async (rung) => {
    stage.sandbox.faults.add({ kind: 'httpStatus', status: 503 });
    try {
      expect(await codeOf(rung)).toBe(rung.code);
    } finally {
      stage.sandbox.faults.clear();
    }
  });

  test('a failed simulation costs one', async () => {
    expect(await codeOf(ladder[firstOnNetwork]!)).toBe(simulation);
    expect(stage.sandbox.calls.counts()).toEqual({ simulateTransaction: 1 });
  });

  test.each(afterNetwork)(
    '$code costs one, and an expiration too far a second look at the ledgers and their pace',
    async (rung) => {
      expect(await codeOf(rung)).toBe(rung.code);
      const isTooFar = rung.code === 'invalid_exact_stellar_signature_expiration_too_far';
      expect(stage.sandbox.calls.counts()).toEqual({
        simulateTransaction: 1,
        ...(isTooFar && { getTransaction: 1, getEvents: 1 }),
      });
    },
  );

  test('a valid verify costs one', async () => {
    const { verify } = stage.facilitator;
    expect(await send(stage.payment(), stage.sandbox, verify)).toMatchObject({ isValid: true });
    expect(stage.sandbox.calls.counts()).toEqual({ simulateTransaction: 1 });
  });

  test('a settlement that is refused by verification costs no more than verify', async () => {
    const attempt = stage.payment();
    ladder[firstOnNetwork]!.defects[0]!.spoil(attempt, cast);
    expect(await send(attempt, stage.sandbox, stage.facilitator.settle)).toMatchObject({
      errorReason: simulation,
    });
    expect(stage.sandbox.calls.counts()).toEqual({ simulateTransaction: 1 });
  });

  test('a settlement whose ledger closes at once costs four: simulate, ask for recent fees, send, look', async () => {
    stage.sandbox.stopLedgers();
    const settled = stage.facilitator.settle(encodeAttempt(stage.payment()));
    await expect.poll(() => stage.sandbox.calls.counts()['sendTransaction'], { interval: 2 }).toBe(1);
    stage.sandbox.network.closeLedger();
    expect(await settled).toMatchObject({ success: true });
    stage.sandbox.faults.clear();
    expect(stage.sandbox.calls.counts()).toEqual({
      simulateTransaction: 1,
      getFeeStats: 1,
      sendTransaction: 1,
      getTransaction: 1,
    });
  });
});
