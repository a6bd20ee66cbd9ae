import { Keypair, nativeToScVal, xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { isRefusal, type AuthorizationSigner, type Terms } from '../../../src/agent/wallet/index.ts';
import type { Fault } from '../../../sandbox/faults.ts';
import { AMOUNT } from '../../support/payments.ts';
import { credentialsIn, recording, withCredentials } from './support/recorded.ts';
import { useWalletStage } from './support/stage.ts';

const { stage, walletOf, newSigner, countingSigner, termsFor } = useWalletStage();

const STRANGER = nativeToScVal(Keypair.fromRawEd25519Seed(Buffer.alloc(32, 9)).publicKey(), {
  type: 'address',
});

describe('nothing is signed', () => {
  const { SorobanAuthorizedInvocation, SorobanAuthorizationEntry } = xdr;
  const changedCall = (entry: xdr.SorobanAuthorizationEntry, change: object) => {
    const { function: called } = entry.rootInvocation;
    if (called.type !== 'sorobanAuthorizedFunctionTypeContractFn') throw new Error(called.type);
    const call = new xdr.InvokeContractArgs({ ...called.contractFn, ...change });
    const changed = xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call);
    return new SorobanAuthorizationEntry({
      ...entry,
      rootInvocation: new SorobanAuthorizedInvocation({ function: changed, subInvocations: [] }),
    });
  };

  test.each<[string, (entry: xdr.SorobanAuthorizationEntry) => xdr.SorobanAuthorizationEntry[]]>([
    [
      'a further call in the name of the payer',
      (entry) => [
        new SorobanAuthorizationEntry({
          ...entry,
          rootInvocation: new SorobanAuthorizedInvocation({
            ...entry.rootInvocation,
            subInvocations: [entry.rootInvocation],
          }),
        }),
      ],
    ],
    ['another function', (entry) => [changedCall(entry, { functionName: 'approve' })]],
    [
      'another recipient',
      (entry) => [changedCall(entry, { args: [STRANGER, STRANGER, nativeToScVal(1n, { type: 'i128' })] })],
    ],
    ['two authorizations', (entry) => [entry, entry]],
    ['none', () => []],
    [
      "another payer's",
      (entry) => {
        if (STRANGER.type !== 'scvAddress') return [];
        const fields = new xdr.SorobanAddressCredentials({
          ...credentialsIn(entry),
          address: STRANGER.address,
        });
        return [withCredentials(entry, xdr.SorobanCredentials.sorobanCredentialsAddress(fields))];
      },
    ],
    [
      "the transaction's source",
      (entry) => [withCredentials(entry, xdr.SorobanCredentials.sorobanCredentialsSourceAccount())],
    ],
  ])('where the token asks for %s', async (_name, change) => {
    const signer = countingSigner();
    stage.sandbox.faults.add({
      kind: 'rewrite',
      methods: ['simulateTransaction'],
      rewrite: recording(change),
    });
    const outcome = await walletOf(signer).sign(termsFor());
    expect(outcome).toEqual({
      code: 'network',
      message: expect.stringContaining('something other than this one transfer'),
    });
    expect(signer.signatures).toBe(0);
  });

  test.each([
    [
      'fails',
      (result: object) => ({ ...result, error: 'HostError: Error(Contract, #10)\n\nEvent log: …' }),
      'HostError: Error(Contract, #10)',
    ],
    ['needs an entry restored', (result: object) => ({ ...result, restorePreamble: {} }), 'archived'],
  ])('where the simulation %s', async (_name, change, reason) => {
    const signer = countingSigner();
    stage.sandbox.faults.add({
      kind: 'rewrite',
      methods: ['simulateTransaction'],
      rewrite: (_method, result) => change(result),
    });
    expect(await walletOf(signer).sign(termsFor())).toEqual({
      code: 'network',
      message: expect.stringContaining(reason),
    });
    expect(signer.signatures).toBe(0);
  });

  test.each([
    ['no JSON-RPC', { kind: 'httpStatus', status: 502 } as const],
    ['a JSON-RPC error', { kind: 'rpcError', code: -32_603, message: 'no' } as const],
    ['half an answer', { kind: 'wrongJson' } as const],
    ["another request's answer", { kind: 'wrongId' } as const],
    ['a lost answer', { kind: 'lostAnswer' } as const],
    [
      'nonsense',
      {
        kind: 'rewrite',
        rewrite: () => ({ latestLedger: 'x', transactionData: 5, minResourceFee: null }),
      } as const,
    ],
  ])('where the RPC gives %s', async (_name, fault) => {
    const signer = countingSigner();
    stage.sandbox.faults.add({ ...fault, methods: ['simulateTransaction'] });
    expect(await walletOf(signer).sign(termsFor())).toEqual({
      code: 'unavailable',
      message: expect.stringContaining('RPC'),
    });
    expect(signer.signatures).toBe(0);
  });

  test('above the cap, even where nobody asked before', async () => {
    const signer = countingSigner();
    const wallet = walletOf(signer, { maxAmount: AMOUNT - 1n });
    expect(await wallet.sign(termsFor())).toEqual({
      code: 'policy',
      message: expect.stringContaining('above the cap'),
    });
    expect(signer.signatures).toBe(0);
  });

  test("above the call's own limit, even where nobody asked before", async () => {
    const signer = countingSigner();
    const wallet = walletOf(signer);
    const limit = ({ amount }: Terms) => (amount >= AMOUNT ? `${amount} is too much` : undefined);
    const call = { host: 'a.example', limit };
    expect(await wallet.sign(termsFor(), undefined, call)).toEqual({
      code: 'policy',
      message: '100000 is too much',
    });
    expect(signer.signatures).toBe(0);
    expect(await wallet.sign(termsFor({ amount: '99999' }), undefined, call)).toMatchObject({
      nonce: expect.any(BigInt),
    });
  });

  test('beyond the budget, also by payments that are prepared at the same time', async () => {
    const signer = countingSigner();
    const wallet = walletOf(signer, { sessionBudget: 2n * AMOUNT });
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => wallet.sign(termsFor())));
    expect(outcomes.filter((outcome) => isRefusal(outcome) && outcome.code === 'policy')).toHaveLength(3);
    expect(signer.signatures).toBe(2);
  });
});

describe('once it was signed, a payment counts as one that others may take', () => {
  const afterSigning = async (signer: AuthorizationSigner, spoil: () => void) => {
    const wallet = walletOf(signer, { sessionBudget: AMOUNT });
    const payment = await wallet.sign(termsFor());
    if (isRefusal(payment)) throw new Error(payment.message);
    spoil();
    const assembled = await wallet.assemble(payment);
    return { assembled, isBudgetHeld: wallet.policy.objection(termsFor({ amount: '1' })) !== undefined };
  };

  test('where the network finds it wrong', async () => {
    const signer = { ...newSigner(), signAuthorization: () => xdr.ScVal.scvVoid() };
    expect(await afterSigning(signer, () => {})).toEqual({
      assembled: { code: 'network', message: expect.any(String) },
      isBudgetHeld: true,
    });
  });

  test('where the network does not answer', async () => {
    const fault: Fault = { kind: 'httpStatus', status: 503, methods: ['simulateTransaction'] };
    expect(await afterSigning(newSigner(), () => stage.sandbox.faults.add(fault))).toEqual({
      assembled: { code: 'unavailable', message: expect.stringContaining('RPC') },
      isBudgetHeld: true,
    });
  });

  test('and where there is no signature, it is none', async () => {
    const signAuthorization = () => Promise.reject(new Error('the key is gone'));
    const wallet = walletOf({ ...newSigner(), signAuthorization }, { sessionBudget: AMOUNT });
    await expect(wallet.sign(termsFor())).rejects.toThrow('the key is gone');
    expect(wallet.policy.objection(termsFor())).toBeUndefined();
  });
});
