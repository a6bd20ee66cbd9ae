/**
 * A newer protocol has arms of unions that no SDK knows yet. Wherever XDR is read, each of its words is replaced by the
 * number of such an arm, one at a time; most words are no arms, and then it is a payment that differs.
 */
import { xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { readResult } from '../../src/scheme/settle/transactionResult.ts';
import { withResources } from '../../src/stellar/transactionBytes.ts';
import { encodeAttempt } from '../support/paymentsAttempt.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage();
const UNKNOWN_ARM = 99;

/** The base64 XDR, once with each of its words replaced. */
function* withUnknownArms(base64: string): Generator<string> {
  const bytes = Buffer.from(base64, 'base64');
  for (let at = 0; at < bytes.length; at += 4) {
    const changed = Buffer.from(bytes);
    changed.writeInt32BE(UNKNOWN_ARM, at);
    yield changed.toString('base64');
  }
}

type Simulated = { events: string[]; transactionData: string; results: { xdr: string }[] };

/** Until the test ends, the RPC's answers of a method are changed. */
function rewrite<Answer>(method: string, change: (answer: Answer) => Answer): void {
  stage.sandbox.faults.clear();
  stage.sandbox.faults.add({
    kind: 'rewrite',
    methods: [method],
    rewrite: (_method, answer) => change(answer as Answer),
  });
}

describe('an arm that no SDK knows', () => {
  test('in a payment is a refusal with a code of the payment', async () => {
    const request = encodeAttempt(stage.payment());
    const { transaction } = request.paymentPayload.payload as { transaction: string };
    const codes = new Set<string | undefined>();
    for (const changed of withUnknownArms(transaction)) {
      const paymentPayload = { ...request.paymentPayload, payload: { transaction: changed } };
      const { isValid, invalidReason } = await stage.facilitator.verify({ ...request, paymentPayload });
      codes.add(isValid ? 'valid' : invalidReason);
    }
    expect(codes).toContain('invalid_exact_stellar_payload_malformed');
    expect([...codes].filter((code) => code?.startsWith('unexpected'))).toEqual([]);
  });

  test('in an event of the simulation is an event that is no transfer', async () => {
    const attempt = stage.payment();
    const [topic] = [xdr.ScVal.scvU32(7)];
    const event = new xdr.ContractEvent({
      ext: xdr.ExtensionPoint.v0(),
      contractId: null,
      type: xdr.ContractEventType.contract,
      body: xdr.ContractEventBody.v0(new xdr.ContractEventV0({ topics: [topic], data: topic })),
    });
    const bytes = Buffer.from(new xdr.DiagnosticEvent({ inSuccessfulContractCall: true, event }).toXdr());
    bytes.writeInt32BE(UNKNOWN_ARM, bytes.length - 8);
    rewrite<Simulated>('simulateTransaction', (answer) => ({
      ...answer,
      events: [...answer.events, bytes.toString('base64')],
    }));
    expect(await stage.facilitator.verify(encodeAttempt(attempt))).toMatchObject({
      invalidReason: 'invalid_exact_stellar_payload_event_not_transfer',
      invalidMessage: 'The simulation shows a contract event that this facilitator cannot read.',
    });
    bytes.writeInt32BE(0, 0);
    expect(await stage.verdict(attempt)).toBe('valid');
  });

  test('in what a simulation says is no fault of this service', async () => {
    const attempt = stage.payment();
    const request = encodeAttempt(attempt);
    let honest: Simulated | undefined;
    rewrite<Simulated>('simulateTransaction', (answer) => (honest = answer));
    expect((await stage.facilitator.verify(request)).isValid).toBe(true);
    const { events, transactionData, results } = honest!;
    const lies: Partial<Simulated>[] = [
      ...events.flatMap((event, at) =>
        [...withUnknownArms(event)].map((changed) => ({ events: events.with(at, changed) })),
      ),
      ...[...withUnknownArms(transactionData)].map((changed) => ({ transactionData: changed })),
      ...[...withUnknownArms(results[0]!.xdr)].map((changed) => ({ results: [{ xdr: changed }] })),
    ];
    const codes = new Set<string | undefined>();
    for (const lie of lies) {
      rewrite<Simulated>('simulateTransaction', (answer) => ({ ...answer, ...lie }));
      codes.add((await stage.facilitator.verify(request)).invalidReason);
    }
    expect(codes).toContain('invalid_exact_stellar_payload_event_not_transfer');
    expect([...codes].filter((code) => code?.startsWith('unexpected'))).toEqual([]);
  });

  test('in a submitter’s account does not keep its sequence number from being read', async () => {
    const submitter = stage.sandbox.submitter();
    rewrite<{ entries: { xdr: string }[] }>('getLedgerEntries', (answer) => ({
      ...answer,
      entries: answer.entries.map((entry) => {
        const bytes = Buffer.from(entry.xdr, 'base64');
        bytes.writeInt32BE(UNKNOWN_ARM, bytes.length - 4);
        return { ...entry, xdr: bytes.toString('base64') };
      }),
    }));
    const facilitator = await stage.open({ submitters: [submitter] });
    expect(await facilitator.settle(encodeAttempt(stage.payment()))).toMatchObject({ success: true });
  });

  test('in a payer’s balance leaves it unknown, and the payment settles', async () => {
    rewrite<Simulated>('simulateTransaction', (answer) =>
      answer.events.length > 2
        ? answer
        : { ...answer, results: [{ xdr: Buffer.from([0, 0, 0, UNKNOWN_ARM]).toString('base64') }] },
    );
    const facilitator = await stage.open({
      submitters: [stage.sandbox.submitter(), stage.sandbox.submitter()],
    });
    expect(await facilitator.settle(encodeAttempt(stage.payment()))).toMatchObject({ success: true });
  });

  test('in the resources of a simulation reaches the ledger as it came', () => {
    const transaction = new xdr.Transaction({
      sourceAccount: xdr.MuxedAccount.keyTypeEd25519(new Uint8Array(32)),
      fee: 7,
      seqNum: 1n,
      cond: xdr.Preconditions.precondNone(),
      memo: xdr.Memo.memoNone(),
      operations: [],
      ext: xdr.TransactionExt.v0(),
    });
    const data = Buffer.from([0, 0, 0, UNKNOWN_ARM, 1, 2, 3, 4]);
    const bytes = withResources(transaction, data.toString('base64'));
    expect(bytes.subarray(-12)).toEqual(Buffer.concat([Buffer.from([0, 0, 0, 1]), data]));
    expect(bytes.subarray(0, -12)).toEqual(Buffer.from(transaction.toXdr()).subarray(0, -4));
  });
});

describe('a transaction’s result', () => {
  const result = (code: number, inner?: number) => {
    const bytes = Buffer.alloc(inner === undefined ? 20 : 60);
    bytes.writeBigInt64BE(22_963n);
    bytes.writeInt32BE(code, 8);
    if (inner !== undefined) bytes.writeInt32BE(inner, 52);
    return bytes.toString('base64');
  };

  test.each([
    ['a code', result(-5), 'txBadSeq', false],
    ['the code of the transaction in a fee bump', result(-13, -9), 'txInsufficientFee', true],
    ['a code that the SDK does not know', result(-99), 'result code -99', false],
    ['such a code in a fee bump', result(-13, -99), 'result code -99', true],
  ])('tells %s, and its fee', (_what, base64, code, isInner) => {
    expect(readResult(base64)).toEqual({ feeChargedStroops: 22_963, code, isInner });
  });

  test.each([
    ['nothing', undefined],
    ['too little', result(-5).slice(0, 12)],
    ['a fee bump without its transaction', result(-13)],
    ['no base64', '%%%'],
    ['no text', 7],
  ])('that is %s is none', (_what, base64) => {
    expect(readResult(base64)).toBeUndefined();
  });

  test('of a settlement that the ledger took counts by its status, whatever else it holds', async () => {
    rewrite<{ resultXdr?: string }>('getTransaction', (answer) =>
      answer.resultXdr === undefined ? answer : { ...answer, resultXdr: result(UNKNOWN_ARM) },
    );
    expect(await stage.facilitator.settle(encodeAttempt(stage.payment()))).toMatchObject({ success: true });
  });
});
