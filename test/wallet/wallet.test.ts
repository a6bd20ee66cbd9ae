import { Keypair, nativeToScVal, xdr } from '@stellar/stellar-sdk';
import { createEd25519Signer } from '@x402/stellar';
import { ExactStellarScheme } from '@x402/stellar/exact/facilitator';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createPace,
  createRpc,
  createSpendPolicy,
  createWallet,
  readTerms,
  signerFromSecret,
} from '../../src/wallet/index.ts';
import type {
  AuthorizationSigner,
  SignedPayment,
  SpendLimits,
  Terms,
  Wallet,
} from '../../src/wallet/index.ts';
import { AMOUNT, NETWORK, PASSPHRASE, requestFor, requirementsFor, USDC } from '../support/payments.ts';
import { decodeDraft, muxed } from '../support/paymentsDraft.ts';
import type { Fault } from '../../sandbox/faults.ts';
import { stockTransfer } from '../support/paymentsStock.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage({ withFeeBump: false });

const LIMITS: SpendLimits = { maxAmount: 10_000_000n, sessionBudget: null, allowedAssets: null };

function walletOf(signer: AuthorizationSigner, limits: Partial<SpendLimits> = {}, now = Date.now) {
  const rpc = createRpc([stage.sandbox.url], PASSPHRASE);
  onTestFinished(() => rpc.close());
  const policy = createSpendPolicy({ ...LIMITS, ...limits });
  const wallet = createWallet({ network: NETWORK, signer, rpc, pace: createPace(rpc, now), policy, now });
  return { ...wallet, policy, pay: (terms: Terms) => pay(wallet, terms) };
}

const signerOf = (key: Keypair): AuthorizationSigner => signerFromSecret(key.secret());

/** What signs for an account, and counts how often. */
function countingSigner() {
  const signer = signerOf(stage.sandbox.account());
  const counted = {
    ...signer,
    signatures: 0,
    signAuthorization(hash: Uint8Array, entry: xdr.SorobanAuthorizationEntry) {
      counted.signatures += 1;
      return signer.signAuthorization(hash, entry);
    },
  };
  return counted;
}

function termsFor(changes: object = {}): Terms {
  const terms = readTerms(requirementsFor(stage.sandbox.account(0n).publicKey(), changes), NETWORK);
  if ('unfit' in terms) throw new Error(terms.unfit);
  return terms;
}

type Assembled = SignedPayment & { transaction: string };

/** Signs, and assembles what was signed. */
async function pay(wallet: Wallet, terms: Terms): Promise<Assembled> {
  const payment = await wallet.sign(terms);
  if ('refused' in payment) throw new Error(payment.reason);
  const assembled = await wallet.assemble(payment);
  if ('problem' in assembled) throw new Error(assembled.problem);
  return { ...payment, ...assembled };
}

const requestOf = ({ terms, transaction }: Assembled) => requestFor(terms.accepted as never, transaction);

async function settles(payment: Assembled): Promise<void> {
  const request = requestOf(payment);
  expect(await stage.facilitator.verify(request)).toEqual({ isValid: true, payer: payment.payer });
  const { success, transaction } = await stage.facilitator.settle(request);
  expect({ success, transaction }).toEqual({
    success: true,
    transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
}

describe('a signed payment', () => {
  test("looks like the stock client's, in everything but nonce, signature and time", async () => {
    const key = stage.sandbox.account();
    const terms = termsFor({ maxTimeoutSeconds: 60 });
    const { transaction } = await walletOf(signerOf(key)).pay(terms);
    const [ours, stocks] = [
      transaction,
      await stockTransfer(key, terms.accepted as never, stage.sandbox.httpsUrl),
    ].map(decodeDraft);
    const comparable = ({ entries, preconditions, ext, ...others }: ReturnType<typeof decodeDraft>) => ({
      ...others,
      preconditions: preconditions.type,
      ext: ext.type,
      entries: entries.map(({ credentials, address, signature, invocation }) => [
        credentials,
        address,
        signature.type,
        invocation.toXdr('base64'),
      ]),
    });
    expect(comparable(ours!)).toEqual(comparable(stocks!));
    const envelope = xdr.TransactionEnvelope.fromXdr(transaction, 'base64');
    expect(envelope.type === 'envelopeTypeTx' && envelope.v1.signatures).toEqual([]);
  });

  test('is found valid by the public facilitator, and settles here', async () => {
    const payment = await walletOf(signerOf(stage.sandbox.account())).pay(termsFor());
    const stock = new ExactStellarScheme([createEd25519Signer(stage.submitter.secret())], {
      rpcConfig: { url: stage.sandbox.url },
    });
    const { paymentPayload, paymentRequirements } = requestOf(payment);
    expect(await stock.verify(paymentPayload as never, paymentRequirements as never)).toMatchObject({
      isValid: true,
    });
    await settles(payment);
    expect(stage.sandbox.usdc(payment.terms.payTo)).toBe(AMOUNT);
  });

  test('pays accounts, contracts and muxed accounts', async () => {
    const account = stage.sandbox.account(0n).publicKey();
    const contract = stage.sandbox.contractPayer(0n).address;
    for (const payTo of [account, contract, muxed(account, '7')]) {
      const payment = await walletOf(signerOf(stage.sandbox.account())).pay(termsFor({ payTo }));
      await settles(payment);
    }
    expect(stage.sandbox.usdc(account)).toBe(2n * AMOUNT);
    expect(stage.sandbox.usdc(contract)).toBe(AMOUNT);
  });

  test('of a contract account is signed by whatever signs for it', async () => {
    const { address, key } = stage.sandbox.contractPayer();
    const signer: AuthorizationSigner = {
      address,
      signAuthorization: async (hash) => xdr.ScVal.scvBytes(key.sign(Buffer.from(hash))),
    };
    const payment = await walletOf(signer).pay(termsFor());
    expect(payment.payer).toBe(address);
    await settles(payment);
  });

  test('has a nonce of its own each time', async () => {
    const wallet = walletOf(signerOf(stage.sandbox.account()));
    const terms = termsFor();
    const payments = [await wallet.pay(terms), await wallet.pay(terms)];
    expect(new Set(payments.map(({ nonce }) => nonce)).size).toBe(2);
    for (const payment of payments) await settles(payment);
  });

  test('has credentials of the newer form where the network records those', async () => {
    stage.sandbox.faults.add({ kind: 'rewrite', methods: ['simulateTransaction'], rewrite: asUpgraded });
    const payment = await walletOf(signerOf(stage.sandbox.account())).pay(termsFor());
    stage.sandbox.faults.clear();
    expect(decodeDraft(payment.transaction).entries[0]!.credentials).toBe('addressV2');
    await settles(payment);
  });

  test.each([
    [60, 60],
    [20.5, 21],
    [0.1, 1],
    [31_536_000, 120],
    [Number.MAX_VALUE, 120],
  ])('of a time of %d s holds %d ledgers of at most a second', async (maxTimeoutSeconds, ledgers) => {
    stage.sandbox.stopLedgers();
    const payment = await walletOf(signerOf(stage.sandbox.account())).pay(termsFor({ maxTimeoutSeconds }));
    expect(payment.validUntilLedger - stage.sandbox.network.latestLedger).toBe(ledgers);
  });

  test('holds as many ledgers of 5 s where the pace cannot be measured', async () => {
    stage.sandbox.stopLedgers();
    stage.sandbox.faults.add({ kind: 'rpcError', methods: ['getTransaction'], code: -1, message: 'no' });
    const payment = await walletOf(signerOf(stage.sandbox.account())).pay(
      termsFor({ maxTimeoutSeconds: 60 }),
    );
    expect(payment.validUntilLedger - stage.sandbox.network.latestLedger).toBe(12);
  });
});

/** The recorded entries of a simulation, changed. */
const recording =
  (change: (entry: xdr.SorobanAuthorizationEntry) => xdr.SorobanAuthorizationEntry[]) =>
  (_method: string, result: Record<string, unknown>): unknown => {
    const [first] = (result['results'] ?? []) as { auth: string[] }[];
    if (first === undefined) return result;
    const auth = first.auth.flatMap((entry) =>
      change(xdr.SorobanAuthorizationEntry.fromXdr(entry, 'base64')),
    );
    return { ...result, results: [{ ...first, auth: auth.map((entry) => entry.toXdr('base64')) }] };
  };

function credentialsIn({ credentials }: xdr.SorobanAuthorizationEntry): xdr.SorobanAddressCredentials {
  if (credentials.type !== 'sorobanCredentialsAddress') throw new Error(credentials.type);
  return credentials.address;
}

const withCredentials = (entry: xdr.SorobanAuthorizationEntry, credentials: xdr.SorobanCredentials) =>
  new xdr.SorobanAuthorizationEntry({ ...entry, credentials });

function asUpgraded(method: string, result: Record<string, unknown>): unknown {
  return recording((entry) => {
    if (entry.credentials.type !== 'sorobanCredentialsAddress') return [entry];
    return [withCredentials(entry, xdr.SorobanCredentials.sorobanCredentialsAddressV2(credentialsIn(entry)))];
  })(method, result);
}

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
      refused: 'network',
      reason: expect.stringContaining('something else than this one transfer'),
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
      refused: 'network',
      reason: expect.stringContaining(reason),
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
      refused: 'unavailable',
      reason: expect.stringContaining('RPC'),
    });
    expect(signer.signatures).toBe(0);
  });

  test('above the cap, even where nobody asked before', async () => {
    const signer = countingSigner();
    const wallet = walletOf(signer, { maxAmount: AMOUNT - 1n });
    expect(await wallet.sign(termsFor())).toEqual({
      refused: 'policy',
      reason: expect.stringContaining('above the cap'),
    });
    expect(signer.signatures).toBe(0);
  });

  test('beyond the budget, also by payments that are prepared at the same time', async () => {
    const signer = countingSigner();
    const wallet = walletOf(signer, { sessionBudget: 2n * AMOUNT });
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => wallet.sign(termsFor())));
    expect(outcomes.filter((outcome) => 'refused' in outcome && outcome.refused === 'policy')).toHaveLength(
      3,
    );
    expect(signer.signatures).toBe(2);
  });
});

describe('once it was signed, a payment counts as one that others may take', () => {
  const afterSigning = async (signer: AuthorizationSigner, spoil: () => void) => {
    const wallet = walletOf(signer, { sessionBudget: AMOUNT });
    const payment = await wallet.sign(termsFor());
    if ('refused' in payment) throw new Error(payment.reason);
    spoil();
    const assembled = await wallet.assemble(payment);
    return { assembled, isBudgetHeld: wallet.policy.objection(termsFor({ amount: '1' })) !== undefined };
  };

  test('where the network finds it wrong', async () => {
    const signer = { ...signerOf(stage.sandbox.account()), signAuthorization: () => xdr.ScVal.scvVoid() };
    expect(await afterSigning(signer, () => {})).toEqual({
      assembled: { problem: expect.any(String) },
      isBudgetHeld: true,
    });
  });

  test('where the network does not answer', async () => {
    const fault: Fault = { kind: 'httpStatus', status: 503, methods: ['simulateTransaction'] };
    expect(
      await afterSigning(signerOf(stage.sandbox.account()), () => stage.sandbox.faults.add(fault)),
    ).toEqual({
      assembled: { problem: expect.stringContaining('RPC') },
      isBudgetHeld: true,
    });
  });

  test('and where there is no signature, it is none', async () => {
    const signAuthorization = () => Promise.reject(new Error('the key is gone'));
    const wallet = walletOf(
      { ...signerOf(stage.sandbox.account()), signAuthorization },
      { sessionBudget: AMOUNT },
    );
    await expect(wallet.sign(termsFor())).rejects.toThrow('the key is gone');
    expect(wallet.policy.objection(termsFor())).toBeUndefined();
  });
});

test('several RPC nodes are asked in their order, until one answers', async () => {
  const rpc = createRpc(['http://127.0.0.1:1', stage.sandbox.url], PASSPHRASE);
  onTestFinished(() => rpc.close());
  expect(await rpc.call('getLatestLedger')).toMatchObject({ sequence: expect.any(Number) });
});

test('an RPC that answers without end is cut off', async () => {
  stage.sandbox.faults.add({ kind: 'rewrite', rewrite: () => ({ much: 'x'.repeat(5 * 1024 * 1024) }) });
  const rpc = createRpc([stage.sandbox.url], PASSPHRASE);
  onTestFinished(() => rpc.close());
  await expect(rpc.call('getLatestLedger')).rejects.toThrow('getLatestLedger');
});

describe('terms are read strictly', () => {
  test('and kept as they came, for the payment to echo', () => {
    const entry = { ...requirementsFor(stage.sandbox.account().publicKey()), further: { a: 1 } };
    expect(readTerms(entry, NETWORK)).toMatchObject({ asset: USDC, amount: AMOUNT, accepted: entry });
  });

  test.each([null, undefined, 5, 'exact', [], {}, { scheme: 'exact' }])('%j is unfit', (entry) => {
    expect(readTerms(entry, NETWORK)).toEqual({ unfit: expect.any(String) });
  });
});
