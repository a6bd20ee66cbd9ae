import { xdr } from '@stellar/stellar-sdk';
import { createEd25519Signer } from '@x402/stellar';
import { ExactStellarScheme } from '@x402/stellar/exact/facilitator';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createRpc,
  readTerms,
  signerFromSecret,
  type AuthorizationSigner,
} from '../../../src/agent/wallet/index.ts';
import { AMOUNT, NETWORK, PASSPHRASE, requestFor, requirementsFor, USDC } from '../../support/payments.ts';
import { decodeDraft, muxed } from '../../support/paymentsDraft.ts';
import { stockTransfer } from '../../support/paymentsStock.ts';
import { asUpgraded } from './support/recorded.ts';
import { useWalletStage, type Assembled } from './support/stage.ts';

const { stage, walletOf, newSigner, termsFor } = useWalletStage();

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
    const { transaction } = await walletOf(signerFromSecret(key.secret())).pay(terms);
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
    const payment = await walletOf(newSigner()).pay(termsFor());
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
      const payment = await walletOf(newSigner()).pay(termsFor({ payTo }));
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
    const wallet = walletOf(newSigner());
    const terms = termsFor();
    const payments = [await wallet.pay(terms), await wallet.pay(terms)];
    expect(new Set(payments.map(({ nonce }) => nonce)).size).toBe(2);
    for (const payment of payments) await settles(payment);
  });

  test('has credentials of the newer form where the network records those', async () => {
    stage.sandbox.faults.add({ kind: 'rewrite', methods: ['simulateTransaction'], rewrite: asUpgraded });
    const payment = await walletOf(newSigner()).pay(termsFor());
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
    const payment = await walletOf(newSigner()).pay(termsFor({ maxTimeoutSeconds }));
    expect(payment.validUntilLedger - stage.sandbox.network.latestLedger).toBe(ledgers);
  });

  test('holds as many ledgers as close at the pace of the last ones, whatever it was before', async () => {
    stage.sandbox.stopLedgers();
    const { latestLedger } = stage.sandbox.network;
    const nowSeconds = Math.floor(Date.now() / 1000);
    const fiveEach = {
      ledger: latestLedger - 20,
      ledgerClosedAt: new Date((nowSeconds - 100) * 1000).toISOString(),
    };
    stage.sandbox.faults.add({
      kind: 'rewrite',
      methods: ['getEvents'],
      rewrite: () => ({ events: [fiveEach], latestLedger, latestLedgerCloseTime: String(nowSeconds) }),
    });
    const payment = await walletOf(newSigner()).pay(termsFor({ maxTimeoutSeconds: 60 }));
    expect(payment.validUntilLedger - latestLedger).toBe(12);
  });

  test('holds as many ledgers of 5 s where the pace cannot be measured', async () => {
    stage.sandbox.stopLedgers();
    stage.sandbox.faults.add({ kind: 'rpcError', methods: ['getTransaction'], code: -1, message: 'no' });
    const payment = await walletOf(newSigner()).pay(termsFor({ maxTimeoutSeconds: 60 }));
    expect(payment.validUntilLedger - stage.sandbox.network.latestLedger).toBe(12);
  });
});
const LOOK = { hash: '0'.repeat(64) };

test('several RPC nodes are asked in their order, until one answers', async () => {
  const rpc = createRpc(['http://127.0.0.1:1', stage.sandbox.url], PASSPHRASE);
  onTestFinished(() => rpc.close());
  expect(await rpc.call('getTransaction', LOOK)).toMatchObject({ latestLedger: expect.any(Number) });
});

test('an RPC that fails once is asked again', async () => {
  stage.sandbox.faults.add({ kind: 'lostAnswer', methods: ['getTransaction'], times: 1 });
  const rpc = createRpc([stage.sandbox.url], PASSPHRASE);
  onTestFinished(() => rpc.close());
  expect(await rpc.call('getTransaction', LOOK)).toMatchObject({ latestLedger: expect.any(Number) });
});

test('an RPC that answers without end is cut off', async () => {
  stage.sandbox.faults.add({ kind: 'rewrite', rewrite: () => ({ much: 'x'.repeat(5 * 1024 * 1024) }) });
  const rpc = createRpc([stage.sandbox.url], PASSPHRASE);
  onTestFinished(() => rpc.close());
  await expect(rpc.call('getTransaction', LOOK)).rejects.toThrow('getTransaction');
});

describe('terms are read strictly', () => {
  test('and kept as they came, for the payment to echo', () => {
    const entry = { ...requirementsFor(stage.sandbox.account().publicKey()), further: { a: 1 } };
    expect(readTerms(entry, NETWORK)).toMatchObject({ asset: USDC, amount: AMOUNT, accepted: entry });
  });

  test.each([null, undefined, 5, 'exact', [], {}, { scheme: 'exact' }])('%j is unfit', (entry) => {
    expect(readTerms(entry, NETWORK)).toEqual({ code: 'unfit', message: expect.any(String) });
  });
});
