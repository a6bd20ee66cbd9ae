import { describe, expect, test } from 'vitest';
import { send } from '../support/paymentsAttempt.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage();

/** What verify says of a good payment when the RPC answers its simulation with an error. */
async function messageFor(fault: { error: unknown } | { code: number; message: string }): Promise<unknown> {
  stage.sandbox.faults.add(
    'error' in fault
      ? { kind: 'rewrite', methods: ['simulateTransaction'], rewrite: () => fault }
      : { kind: 'rpcError', methods: ['simulateTransaction'], ...fault },
  );
  const answer = await send(stage.payment(), stage.sandbox, stage.facilitator.verify);
  expect(answer).toMatchObject({ invalidReason: 'invalid_exact_stellar_payload_simulation_failed' });
  return answer.invalidMessage;
}

describe("of a simulation's error, the sender is told the kind only", () => {
  test('without the event log, which quotes the payload', async () => {
    const error = 'HostError: Error(Contract, #10)\n\nEvent log (newest first):\n   0: balance of G… is 7';
    expect(await messageFor({ error })).toBe(
      'The network would not execute this transfer: the token refuses it, which with a Stellar asset means that the balance is too low, or would exceed the limit of a trustline (HostError: Error(Contract, #10)).',
    );
  });

  test.each([
    ['a contract with numbers of its own', 'HostError: Error(Contract, #77)', 'a contract refuses it'],
    ['a kind of another protocol', 'HostError: Error(Later, Kind)', 'it fails'],
  ])('and %s gets a plain sentence, too', async (_what, error, sentence) => {
    expect(await messageFor({ error })).toBe(
      `The network would not execute this transfer: ${sentence} (${error}).`,
    );
  });

  test.each([
    ["a provider's own text", 'transaction refused for key 0123456789abcdef'],
    ['control characters', '\u001b[31mHostError: Error(Contract, #10)'],
  ])('and %s is not repeated', async (_what, error) => {
    expect(await messageFor({ error })).toBe(
      'The network would not execute this transfer: the network gave a reason of its own.',
    );
  });

  test('and what the RPC says of a transaction that it cannot read is not repeated', async () => {
    expect(await messageFor({ code: -32602, message: 'at https://user:key@rpc.example/' })).toBe(
      'The network would not execute this transfer: it cannot read the transaction.',
    );
  });
});

describe('an error that does not tell of the transaction is no judgement of it:', () => {
  test.each([
    ['an overloaded node', 'preflight queue full'],
    ["a provider's quota", 'quota of key 0123456789abcdef exceeded'],
    ['nothing', ''],
    ['no text', { code: 7 }],
  ])('%s', async (_what, error) => {
    stage.sandbox.faults.add({
      kind: 'rewrite',
      methods: ['simulateTransaction'],
      rewrite: () => ({ error }),
    });
    expect(await send(stage.payment(), stage.sandbox, stage.facilitator.verify)).toMatchObject({
      invalidReason: 'unexpected_verify_error',
      invalidMessage: expect.not.stringContaining('0123456789abcdef'),
    });
  });
});
