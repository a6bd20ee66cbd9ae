import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { verifyCodes, type EnvelopeCode } from '../../src/contract/index.ts';
import type { Scheme } from '../../src/scheme/index.ts';
import { noteCode } from '../support/codes.ts';
import { encodeAttempt, isHonest, send, type Attempt } from '../support/paymentsAttempt.ts';
import { openScheme, silent } from '../support/service.ts';
import { useStage } from '../support/serviceStage.ts';
import { ladder } from './ladder.ts';
import { castOf, type Cast } from './rungs/rung.ts';
import { NETWORK } from '../support/payments.ts';

const stage = useStage();
let scheme: Scheme;
let cast: Cast;
beforeAll(() => {
  scheme = openScheme(stage.options);
  cast = castOf(stage);
});
afterAll(() => scheme.close());

/** For what the envelope's own rules refuse before the scheme could. */
async function expectOverHttp(attempt: Attempt, code: EnvelopeCode): Promise<void> {
  const { verify, settle } = stage.facilitator;
  expect(await send(attempt, stage.sandbox, verify)).toMatchObject({ invalidReason: code });
  expect(await send(attempt, stage.sandbox, settle)).toMatchObject({ errorReason: code });
}

const submissions = () => stage.sandbox.calls.counts()['sendTransaction'] ?? 0;

test('a payment without a defect is valid', async () => {
  const attempt = stage.payment();
  const payer = attempt.payer.publicKey();
  expect(await send(attempt, stage.sandbox, stage.facilitator.verify)).toEqual({ isValid: true, payer });
});

describe.each(ladder)('$code ($reached)', ({ code, reached, answeredFirst, defects }) => {
  test.each(defects)('$name: refused by verify and by settle', async ({ spoil }) => {
    const attempt = stage.payment();
    spoil(attempt, cast);
    const { verify, settle } = reached === 'scheme itself' ? scheme : stage.facilitator;
    stage.sandbox.calls.reset();
    expect(await send(attempt, stage.sandbox, verify)).toMatchObject({
      isValid: false,
      invalidReason: code,
      invalidMessage: expect.stringMatching(/\w/),
    });
    expect(await send(attempt, stage.sandbox, settle)).toMatchObject({
      success: false,
      errorReason: code,
      errorMessage: expect.stringMatching(/\w/),
      transaction: '',
      network: NETWORK,
    });
    expect(submissions()).toBe(0);
    if (!answeredFirst) return;
    await expectOverHttp(attempt, answeredFirst);
    noteCode({
      family: 'ReasonCode',
      code,
      place: `nowhere over HTTP, where \`${answeredFirst}\` is answered first`,
    });
  });
});

describe('unexpected_verify_error (misbehaving RPC)', () => {
  test.each([
    ['a status other than 200', { kind: 'httpStatus', status: 503 }],
    ['a JSON-RPC error', { kind: 'rpcError', code: -32_603, message: 'internal' }],
    ['an answer that breaks off', { kind: 'wrongJson' }],
    ["another request's answer", { kind: 'wrongId' }],
    ['a connection that breaks', { kind: 'lostAnswer' }],
    [
      'an answer without a fee',
      { kind: 'rewrite', rewrite: () => ({ latestLedger: 1, transactionData: 'AA==' }) },
    ],
    [
      'an answer without a ledger',
      { kind: 'rewrite', rewrite: () => ({ minResourceFee: '1', transactionData: 'AA==' }) },
    ],
    [
      'events that cannot be read',
      { kind: 'rewrite', rewrite: (_method: string, result: object) => ({ ...result, events: ['AAAA'] }) },
    ],
  ] as const)('%s: refused by verify and by settle', async (_what, fault) => {
    const attempt = stage.payment();
    const payer = attempt.payer.publicKey();
    stage.sandbox.calls.reset();
    stage.sandbox.faults.add({ ...fault, methods: ['simulateTransaction'] });
    expect(await stage.facilitator.verify(encodeAttempt(attempt))).toMatchObject({
      isValid: false,
      invalidReason: 'unexpected_verify_error',
      payer,
    });
    expect(await stage.facilitator.settle(encodeAttempt(attempt))).toMatchObject({
      success: false,
      errorReason: 'unexpected_verify_error',
      transaction: '',
      payer,
    });
    expect(submissions()).toBe(0);
    stage.sandbox.faults.clear();
    expect(await stage.facilitator.verify(encodeAttempt(attempt))).toEqual({ isValid: true, payer });
  });
});

describe('unexpected_verify_error (scheme itself)', () => {
  test('a payload that cannot be read without a fault: refused by verify and by settle, and logged', async () => {
    const { paymentPayload, paymentRequirements } = encodeAttempt(stage.payment());
    const payload = {
      get transaction(): string {
        throw new TypeError('not today');
      },
    };
    const request = { paymentPayload: { ...paymentPayload, payload }, paymentRequirements };
    const faults: object[] = [];
    const log = { ...silent, error: (fields: object) => void faults.push(fields) };
    const { verify, settle, close } = openScheme({ ...stage.options, log });
    onTestFinished(close);
    stage.sandbox.calls.reset();
    expect(await verify(request)).toEqual({
      isValid: false,
      invalidReason: 'unexpected_verify_error',
      invalidMessage: expect.not.stringContaining('not today'),
    });
    expect(await settle(request)).toEqual({
      success: false,
      errorReason: 'unexpected_verify_error',
      errorMessage: expect.not.stringContaining('not today'),
      transaction: '',
      network: NETWORK,
    });
    expect(faults).toMatchObject([{ err: { message: 'not today' } }, { err: { message: 'not today' } }]);
    expect(stage.sandbox.calls.counts()).toEqual({});
  });
});

describe('the table of codes', () => {
  test('reaches every verify code of the contract, and no other', () => {
    const reached = new Set([...ladder.map(({ code }) => code), 'unexpected_verify_error']);
    expect([...reached].sort()).toEqual([...verifyCodes].sort());
  });

  test('says truly where each is reached', () => {
    for (const { code, reached, defects } of ladder) {
      const spoilt = defects.map(({ spoil }) => {
        const attempt = stage.payment();
        spoil(attempt, cast);
        return attempt;
      });
      expect({ code, honest: spoilt.some(isHonest) }).toEqual({
        code,
        honest: reached !== 'misbehaving RPC',
      });
    }
  });
});
