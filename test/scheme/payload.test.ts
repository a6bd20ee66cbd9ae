import {
  Account,
  Address,
  Asset,
  Keypair,
  Operation,
  TransactionBuilder,
  nativeToScVal,
  xdr,
} from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import {
  address,
  encodeDraft,
  i128,
  invocationOf,
  muxed,
  sign,
  feeBumpBy,
} from '../support/paymentsDraft.ts';
import { encodeAttempt, followCall } from '../support/paymentsAttempt.ts';
import { useStage } from '../support/serviceStage.ts';
import { PASSPHRASE } from '../support/payments.ts';

const stage = useStage();

const malformed = 'invalid_exact_stellar_payload_malformed';
const wrongAmount = 'invalid_exact_stellar_payload_wrong_amount';
const wrongRecipient = 'invalid_exact_stellar_payload_wrong_recipient';
const simulationFailed = 'invalid_exact_stellar_payload_simulation_failed';

/** What a decoder that forgives would read as the same bytes. */
const sloppy: [string, (encoded: string) => string][] = [
  ['a line break in it', (encoded) => `${encoded.slice(0, 76)}\n${encoded.slice(76)}`],
  ['a line break behind it', (encoded) => `${encoded}\n`],
  ['a space before it', (encoded) => ` ${encoded}`],
  ['a byte order mark', (encoded) => `\uFEFF${encoded}`],
  ['more padding than needed', (encoded) => `${encoded}====`],
  ['a character of no alphabet', (encoded) => `${encoded.slice(0, 8)}*${encoded.slice(8)}`],
  ['a data URL', (encoded) => `data:;base64,${encoded}`],
  ['hexadecimal', (encoded) => Buffer.from(encoded, 'base64').toString('hex')],
];

describe('the base64 of a transaction', () => {
  test.each(sloppy)('%s: malformed', async (_what, spoil) => {
    const attempt = stage.payment();
    attempt.transaction = spoil;
    expect(await stage.verdict(attempt)).toBe(malformed);
  });

  /** Padding and the last bits depend on the length: a memo makes it right. */
  function ofLength(remainder: 1 | 2) {
    const attempt = stage.payment();
    // XDR comes in units of four bytes: the remainder modulo 3 follows from how many.
    for (let memo = ''; Buffer.from(encodeDraft(attempt.draft), 'base64').length % 3 !== remainder;) {
      memo += 'memo';
      attempt.draft.memo = xdr.Memo.memoText(memo);
    }
    return attempt;
  }

  test.each([1, 2] as const)('without its padding (%i bytes over): malformed', async (remainder) => {
    const attempt = ofLength(remainder);
    expect(await stage.verdict(attempt)).toBe('valid');
    attempt.transaction = (encoded) => encoded.replaceAll('=', '');
    expect(await stage.verdict(attempt)).toBe(malformed);
  });

  test.each([1, 2] as const)(
    'with bits set that mean nothing (%i bytes over): malformed',
    async (remainder) => {
      const attempt = ofLength(remainder);
      attempt.transaction = (encoded) => {
        const changed = encoded.replace(/A(=+)$/, 'B$1');
        expect(changed).not.toBe(encoded);
        expect(Buffer.from(changed, 'base64')).toEqual(Buffer.from(encoded, 'base64'));
        return changed;
      };
      expect(await stage.verdict(attempt)).toBe(malformed);
    },
  );

  test('in the URL-safe alphabet: malformed', async () => {
    const attempt = stage.payment();
    attempt.draft.memo = xdr.Memo.memoHash(Buffer.alloc(32, 0xff));
    expect(await stage.verdict(attempt)).toBe('valid');
    attempt.transaction = (encoded) => {
      expect(encoded).toContain('/');
      return encoded.replaceAll('+', '-').replaceAll('/', '_');
    };
    expect(await stage.verdict(attempt)).toBe(malformed);
  });
});

describe('the envelope', () => {
  const bytes = (encoded: string) => Buffer.from(encoded, 'base64');

  test.each([1, 4, 1000])('%i bytes behind it: malformed', async (count) => {
    const attempt = stage.payment();
    attempt.transaction = (encoded) =>
      Buffer.concat([bytes(encoded), Buffer.alloc(count)]).toString('base64');
    expect(await stage.verdict(attempt)).toBe(malformed);
  });

  test('the same envelope twice: malformed', async () => {
    const attempt = stage.payment();
    attempt.transaction = (encoded) => Buffer.concat([bytes(encoded), bytes(encoded)]).toString('base64');
    expect(await stage.verdict(attempt)).toBe(malformed);
  });

  test('a fee bump around the payment: malformed', async () => {
    const attempt = stage.payment();
    const { payer } = attempt;
    attempt.draft.envelope = feeBumpBy(payer);
    expect(await stage.verdict(attempt)).toBe(malformed);
  });

  test('a v0 envelope: malformed', async () => {
    const attempt = stage.payment();
    attempt.draft.envelope = ({ tx: { fee, seqNum, memo, operations } }) =>
      xdr.TransactionEnvelope.envelopeTypeTxV0(
        new xdr.TransactionV0Envelope({
          tx: new xdr.TransactionV0({
            sourceAccountEd25519: attempt.payer.rawPublicKey(),
            fee,
            seqNum,
            timeBounds: null,
            memo,
            operations,
            ext: xdr.TransactionV0Ext.v0(),
          }),
          signatures: [],
        }),
      );
    expect(await stage.verdict(attempt)).toBe(malformed);
  });

  test('larger than the network takes: malformed', async () => {
    const attempt = stage.payment();
    attempt.draft.args.push(xdr.ScVal.scvBytes(Buffer.alloc(132_096)));
    expect(await stage.verdict(attempt)).toBe(malformed);
  });

  test('signed by its source as well: valid', async () => {
    const attempt = stage.payment();
    attempt.draft.envelope = ({ tx }) => {
      const signature = new xdr.DecoratedSignature({
        hint: Buffer.alloc(4, 1),
        signature: Buffer.alloc(64, 2),
      });
      return xdr.TransactionEnvelope.envelopeTypeTx(
        new xdr.TransactionV1Envelope({ tx, signatures: [signature] }),
      );
    };
    expect(await stage.verdict(attempt)).toBe('valid');
  });

  test.each([
    ['null', null],
    ['a text', 'AAAA'],
    ['a list', ['AAAA']],
    ['an empty object', {}],
    ['a transaction in a list', { transaction: ['AAAA'] }],
    ['a transaction in an object', { transaction: { xdr: 'AAAA' } }],
  ])('a payload that is %s: malformed', async (_what, payload) => {
    const { request } = stage.payment();
    const spoilt = { ...request, paymentPayload: { ...request.paymentPayload, payload } };
    expect(await stage.facilitator.verify(spoilt as never)).toMatchObject({ invalidReason: malformed });
    expect(await stage.facilitator.settle(spoilt as never)).toMatchObject({ errorReason: malformed });
  });

  test('a transaction of the same payer to the same recipient, by the classic operation: wrong operation', async () => {
    const attempt = stage.payment();
    const { payTo } = attempt.request.paymentRequirements;
    const classic = new TransactionBuilder(new Account(attempt.payer.publicKey(), '1'), {
      fee: '100',
      networkPassphrase: PASSPHRASE,
    })
      .addOperation(Operation.payment({ destination: payTo, asset: Asset.native(), amount: '0.01' }))
      .setTimeout(60)
      .build();
    classic.sign(attempt.payer);
    attempt.transaction = () => classic.toXDR();
    expect(await stage.verdict(attempt)).toBe('invalid_exact_stellar_payload_wrong_operation');
  });
});

describe('the amount of the requirements', () => {
  test.each([
    '0100000',
    ' 100000',
    '100000 ',
    '0x186a0',
    '100000.0',
    '1e5',
    '+100000',
    '-100000',
    '',
    '1_00000',
    '١٠٠٠٠٠',
  ])('%j is no amount in base units: wrong amount', async (amount) => {
    const attempt = stage.payment();
    attempt.request.paymentRequirements.amount = amount;
    expect(await stage.verdict(attempt)).toBe(wrongAmount);
    expect(sandboxCalls()).toEqual({});
  });

  test.each(['100001', '99999', '1', '0', String(2n ** 127n - 1n)])(
    '%s is another amount: wrong amount',
    async (amount) => {
      const attempt = stage.payment();
      attempt.request.paymentRequirements.amount = amount;
      expect(await stage.verdict(attempt)).toBe(wrongAmount);
    },
  );

  test.each([
    [2n ** 127n - 1n, simulationFailed],
    [2n ** 127n, wrongAmount],
    [2n ** 128n + 100_000n, wrongAmount],
    [10n ** 60n, wrongAmount],
  ])('%s, within 128 bits or beyond: %s', async (amount, code) => {
    const attempt = stage.payment();
    attempt.request.paymentRequirements.amount = String(amount);
    attempt.draft.args[2] = i128(BigInt.asIntN(128, amount));
    followCall(attempt);
    expect(await stage.verdict(attempt)).toBe(code);
  });

  test('a negative argument for the amount of the same absolute value: wrong amount', async () => {
    const attempt = stage.payment();
    attempt.draft.args[2] = i128(-100_000n);
    followCall(attempt);
    expect(await stage.verdict(attempt)).toBe(wrongAmount);
  });
});

describe('the arguments', () => {
  const amount = 100_000n;
  test.each([
    ['u32', xdr.ScVal.scvU32(100_000)],
    ['i32', xdr.ScVal.scvI32(100_000)],
    ['u64', xdr.ScVal.scvU64(amount)],
    ['i64', xdr.ScVal.scvI64(amount)],
    ['timepoint', xdr.ScVal.scvTimepoint(amount)],
    ['u128', nativeToScVal(amount, { type: 'u128' })],
    ['u256', nativeToScVal(amount, { type: 'u256' })],
    ['i256', nativeToScVal(amount, { type: 'i256' })],
    ['string', xdr.ScVal.scvString('100000')],
    ['vector', xdr.ScVal.scvVec([i128(amount)])],
    ['void', xdr.ScVal.scvVoid()],
  ])('an amount as %s: wrong amount', async (_type, value) => {
    const attempt = stage.payment();
    attempt.draft.args[2] = value;
    followCall(attempt);
    expect(await stage.verdict(attempt)).toBe(wrongAmount);
    expect(sandboxCalls()).toEqual({});
  });

  test.each([
    ['string', (payTo: string) => xdr.ScVal.scvString(payTo)],
    ['bytes', (payTo: string) => xdr.ScVal.scvBytes(Keypair.fromPublicKey(payTo).rawPublicKey())],
    ['vector', (payTo: string) => xdr.ScVal.scvVec([address(payTo)])],
    ['void', () => xdr.ScVal.scvVoid()],
  ])('a recipient as %s: wrong recipient', async (_type, value) => {
    const attempt = stage.payment();
    attempt.draft.args[1] = value(attempt.request.paymentRequirements.payTo);
    followCall(attempt);
    expect(await stage.verdict(attempt)).toBe(wrongRecipient);
    expect(sandboxCalls()).toEqual({});
  });

  test.each([
    ['a string', (payer: string) => xdr.ScVal.scvString(payer)],
    ['a muxed account', (payer: string) => address(muxed(payer, '7'))],
    ['void', () => xdr.ScVal.scvVoid()],
  ])('a payer as %s: the network refuses it', async (_type, value) => {
    const attempt = stage.payment();
    attempt.draft.args[0] = value(attempt.payer.publicKey());
    followCall(attempt);
    expect(await stage.verdict(attempt)).toBe(simulationFailed);
  });

  test('a payer who has not authorized the payment: the network refuses it', async () => {
    const attempt = stage.payment();
    attempt.draft.args[0] = address(stage.sandbox.account().publicKey());
    followCall(attempt);
    expect(await stage.verdict(attempt)).toBe(simulationFailed);
  });
});

describe('a muxed recipient', () => {
  const muxedAttempt = () => {
    const base = stage.sandbox.account(0n).publicKey();
    return { base, attempt: stage.payment({ payTo: muxed(base, '18446744073709551615') }) };
  };

  test('is verified, and paid to its account', async () => {
    const { base, attempt } = muxedAttempt();
    expect(await stage.verdict(attempt)).toBe('valid');
    expect(await stage.facilitator.settle(encodeAttempt(attempt))).toMatchObject({ success: true });
    expect(stage.sandbox.usdc(base)).toBe(100_000n);
  });

  test.each([
    ['another id', (base: string) => muxed(base, '8')],
    ['no id', (base: string) => base],
    ['an id of another account', () => muxed(stage.sandbox.account().publicKey(), '18446744073709551615')],
  ])('is not paid by a transfer with %s: wrong recipient', async (_what, to) => {
    const { base, attempt } = muxedAttempt();
    attempt.draft.args[1] = address(to(base));
    followCall(attempt);
    expect(await stage.verdict(attempt)).toBe(wrongRecipient);
  });

  test('is not paid where an account without id is asked for', async () => {
    const attempt = stage.payment();
    attempt.draft.args[1] = address(muxed(attempt.request.paymentRequirements.payTo, '7'));
    followCall(attempt);
    expect(await stage.verdict(attempt)).toBe(wrongRecipient);
  });

  test('needs an authorization of the muxed address: one of the bare account is refused', async () => {
    const { base, attempt } = muxedAttempt();
    const args = [...attempt.draft.args];
    args[1] = new Address(base).toScVal();
    attempt.draft.entries[0]!.invocation = invocationOf({ ...attempt.draft, args });
    sign(attempt.draft.entries[0]!, attempt.payer);
    expect(await stage.verdict(attempt)).toBe(simulationFailed);
  });
});

const sandboxCalls = () => stage.sandbox.calls.counts();
