import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import {
  Account,
  Operation,
  SorobanDataBuilder,
  TransactionBuilder,
  type Keypair,
} from '@stellar/stellar-sdk';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  createPace,
  createRpc,
  createSpendPolicy,
  createWallet,
  follow,
  isRefusal,
  readTerms,
  signerFromSecret,
  WALLET_LIMITS,
  type Followed,
  type Rpc,
  type SignedPayment,
  type WalletLimits,
} from '../../../src/agent/wallet/index.ts';
import { lookAt } from '../../../src/agent/wallet/ledger.ts';
import { NETWORK, PASSPHRASE, requestFor, requirementsFor } from '../../support/payments.ts';
import { muxed } from '../../support/paymentsDraft.ts';
import { useStage } from '../../support/serviceStage.ts';
import { createWallet as createTestWallet, transfer } from '../../sandbox/wallet.ts';
import { LIMITS } from './support/stage.ts';

const stage = useStage({ withFeeBump: true });
const NO_HASH = 'ab'.repeat(32);
let deps: { rpc: Rpc; now: () => number; limits: WalletLimits };
beforeEach(() => {
  const rpc = createRpc([stage.sandbox.url], PASSPHRASE);
  onTestFinished(() => rpc.close());
  // Ledgers of the local network close faster than those of any other.
  deps = { rpc, now: Date.now, limits: { ...WALLET_LIMITS, minLedgerMs: 10 } };
});

type Assembled = SignedPayment & { transaction: string };

async function signPayment(changes: object = {}): Promise<Assembled> {
  const terms = readTerms(
    requirementsFor(stage.sandbox.account(0n).publicKey(), { maxTimeoutSeconds: 20, ...changes }),
    NETWORK,
  );
  if (isRefusal(terms)) throw new Error(terms.message);
  const policy = createSpendPolicy(LIMITS);
  const signer = signerFromSecret(stage.sandbox.account().secret());
  const wallet = createWallet({ ...deps, network: NETWORK, signer, pace: createPace(deps), policy });
  const payment = await wallet.sign(terms);
  if (isRefusal(payment)) throw new Error(payment.message);
  const assembled = await wallet.assemble(payment);
  if (isRefusal(assembled)) throw new Error(assembled.message);
  return { ...payment, ...assembled };
}

async function settle({ terms, transaction }: Assembled): Promise<string> {
  const settled = await stage.facilitator.settle(requestFor(terms.accepted as never, transaction));
  expect(settled.success).toBe(true);
  return settled.transaction;
}

/** A transaction of somebody else that carries a payment's authorization beside its own, and does not use it. */
async function carryUnused(payment: SignedPayment): Promise<string> {
  const { sandbox } = stage;
  const { network } = sandbox;
  const seller: Keypair = sandbox.account();
  const wallet = createTestWallet(network);
  const call = transfer(seller.publicKey(), payment.terms.payTo, 1n);
  const auth = [...(await wallet.authorize(call, seller)), payment.authorization];
  const { transactionData } = wallet.simulate(call, auth);
  const source = sandbox.submitter();
  const account = new Account(source.publicKey(), String(network.balances(source.publicKey()).sequence));
  const built = new TransactionBuilder(account, { fee: '1000', networkPassphrase: PASSPHRASE })
    .addOperation(Operation.invokeHostFunction({ func: call, auth }))
    .setTimeout(60)
    .setSorobanData(new SorobanDataBuilder(transactionData).build())
    .build();
  built.sign(source);
  expect(wallet.settle(built.toXDR()).status).toBe('SUCCESS');
  return Buffer.from(built.hash()).toString('hex');
}

describe('a look at the ledger', () => {
  test('finds a payment open, then settled, with the hash of the transaction that took it', async () => {
    const payment = await signPayment();
    expect(await lookAt(deps, payment, undefined)).toEqual({
      state: 'open',
      latestLedger: expect.any(Number),
    });
    const hash = await settle(payment);
    expect(await lookAt(deps, payment, hash)).toEqual({
      state: 'settled',
      transaction: hash,
    });
    expect(await lookAt(deps, payment, undefined)).toEqual({
      state: 'settled',
      transaction: hash,
    });
    expect(await lookAt(deps, payment, NO_HASH)).toEqual({
      state: 'settled',
      transaction: hash,
    });
  });

  test('finds the hash also for a muxed recipient, and among payments of the same terms', async () => {
    const payTo = muxed(stage.sandbox.account(0n).publicKey(), '7');
    const [first, second] = [await signPayment({ payTo }), await signPayment({ payTo })];
    const [one, two] = await Promise.all([settle(first), settle(second)]);
    expect(await lookAt(deps, first, two)).toEqual({ state: 'settled', transaction: one });
    expect(await lookAt(deps, second, one)).toEqual({ state: 'settled', transaction: two });
  });

  test('is not deceived by a transaction that carries the authorization unused', async () => {
    const payment = await signPayment();
    const decoy = await carryUnused(payment);
    expect(await lookAt(deps, payment, decoy)).toMatchObject({ state: 'open' });
    const hash = await settle(payment);
    expect(await lookAt(deps, payment, decoy)).toEqual({
      state: 'settled',
      transaction: hash,
    });
  });

  test('knows that a payment has expired by the ledgers alone, and only when one more has closed', async () => {
    stage.sandbox.stopLedgers();
    const payment = await signPayment({ maxTimeoutSeconds: 3 });
    for (let ledger = 0; ledger < 3; ledger += 1) stage.sandbox.network.closeLedger();
    expect(await lookAt(deps, payment, undefined)).toMatchObject({ state: 'open' });
    stage.sandbox.network.closeLedger();
    expect(await lookAt(deps, payment, undefined)).toEqual({ state: 'expired' });
  });

  test.each<[string, object]>([
    ['no latest ledger', { latestLedger: undefined }],
    ['a latest ledger that is none', { latestLedger: null }],
    ['a text for a ledger', { latestLedger: '5' }],
    ['no entries', { entries: undefined }],
    ['entries that are no list', { entries: {} }],
    ['an entry that nobody asked for', { entries: [{ key: 'AAAA', lastModifiedLedgerSeq: 5 }] }],
    ['an entry that is none', { entries: [null] }],
  ])('believes no answer with %s', async (_name, changes) => {
    stage.sandbox.stopLedgers();
    const payment = await signPayment({ maxTimeoutSeconds: 1 });
    for (let ledger = 0; ledger < 5; ledger += 1) stage.sandbox.network.closeLedger();
    stage.sandbox.faults.add({
      kind: 'rewrite',
      methods: ['getLedgerEntries'],
      rewrite: (_, result) => ({ ...result, ...changes }),
    });
    await expect(lookAt(deps, payment, undefined)).rejects.toThrow('makes no sense');
    stage.sandbox.faults.clear();
    stage.sandbox.stopLedgers();
    expect(await lookAt(deps, payment, undefined)).toEqual({ state: 'expired' });
  });

  test('leaves a receipt unchecked whose ledger the node does not have', async () => {
    const payment = await signPayment();
    await settle(payment);
    stage.sandbox.faults.add({
      kind: 'rewrite',
      methods: ['getEvents'],
      rewrite: (_, result) => ({ ...result, events: [] }),
    });
    stage.sandbox.faults.add({ kind: 'notFound' });
    expect(await lookAt(deps, payment, NO_HASH)).toEqual({
      state: 'settled',
      transaction: undefined,
    });
    stage.sandbox.faults.add({
      kind: 'rewrite',
      methods: ['getTransaction'],
      rewrite: (_, result) => ({
        ...result,
        status: 'NOT_FOUND',
        oldestLedger: Number(result['latestLedger']) + 1,
      }),
    });
    expect(await lookAt(deps, payment, NO_HASH)).toEqual({
      state: 'settled',
      transaction: undefined,
    });
  });

  test('reads what a proxy has packed, though nobody asked for it', async () => {
    const packing = createServer((request, response) => {
      void text(request).then(async (body) => {
        const answer = await fetch(stage.sandbox.url, { method: 'POST', body });
        response.setHeader('content-encoding', 'gzip').end(gzipSync(await answer.text()));
      });
    });
    await once(packing.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void packing.close());
    const behind = createRpc([`http://127.0.0.1:${(packing.address() as AddressInfo).port}`], PASSPHRASE);
    onTestFinished(() => behind.close());
    expect(await lookAt({ ...deps, rpc: behind }, await signPayment(), undefined)).toMatchObject({
      state: 'open',
    });
  });

  test('says nothing by a node of another network', async () => {
    const stranger = createRpc([stage.sandbox.url], 'Public Global Stellar Network ; September 2015');
    onTestFinished(() => stranger.close());
    const payment = await signPayment();
    await expect(lookAt({ ...deps, rpc: stranger }, payment, undefined)).rejects.toThrow('another network');
  });

  test('knows that a payment settled where its transaction cannot be found', async () => {
    const payment = await signPayment();
    const hash = await settle(payment);
    stage.sandbox.faults.add({
      kind: 'rpcError',
      methods: ['getEvents'],
      code: -32_600,
      message: 'out of range',
    });
    expect(await lookAt(deps, payment, undefined)).toEqual({
      state: 'settled',
      transaction: undefined,
    });
    expect(await lookAt(deps, payment, hash)).toEqual({
      state: 'settled',
      transaction: hash,
    });
    stage.sandbox.faults.add({
      kind: 'rewrite',
      methods: ['getTransaction'],
      rewrite: (_, result) => ({ ...result, envelopeXdr: 'nonsense' }),
    });
    expect(await lookAt(deps, payment, hash)).toEqual({
      state: 'settled',
      transaction: undefined,
    });
  });
});

describe('following a payment', () => {
  const followIt = (payment: SignedPayment, closing = new AbortController().signal): Followed =>
    follow({ ...deps, pace: createPace(deps), closing }, payment);

  test('ends when it is taken', async () => {
    const payment = await signPayment();
    const followed = followIt(payment);
    const hash = await settle(payment);
    followed.hurry(hash);
    expect(await followed.ended).toEqual({ status: 'settled', transaction: hash });
  });

  test('ends when it can no longer be taken', async () => {
    const payment = await signPayment({ maxTimeoutSeconds: 2 });
    const followed = followIt(payment);
    followed.hurry();
    expect(await followed.ended).toEqual({ status: 'notSettled' });
  });

  test('does not end by ledgers that cannot have closed yet', async () => {
    Object.assign(deps.limits, { minLedgerMs: 1_000, minLookEveryMs: 10, maxLookEveryMs: 10 });
    const payment = await signPayment();
    stage.sandbox.calls.reset();
    const fault = (_: string, result: Record<string, unknown>) => ({
      ...result,
      entries: [],
      latestLedger: 1e9,
    });
    stage.sandbox.faults.add({ kind: 'rewrite', methods: ['getLedgerEntries'], rewrite: fault });
    const followed = followIt(payment);
    followed.hurry();
    await expect.poll(() => stage.sandbox.calls.counts()['getLedgerEntries']).toBeGreaterThan(3);
    expect(followed.soFar()).toMatchObject({ end: undefined, openAtLedger: undefined });
    stage.sandbox.faults.clear();
    const hash = await settle(payment);
    followed.hurry(hash);
    expect(await followed.ended).toMatchObject({ status: 'settled', transaction: hash });
  });

  test.each([
    { kind: 'wrongJson' },
    { kind: 'wrongId' },
    { kind: 'lostAnswer' },
    { kind: 'rpcError', code: -32_603, message: 'no' },
    { kind: 'httpStatus', status: 503 },
  ] as const)('goes on through an RPC with $kind', async (fault) => {
    const payment = await signPayment();
    const hash = await settle(payment);
    stage.sandbox.calls.reset();
    stage.sandbox.faults.add({ ...fault, times: 2, methods: ['getLedgerEntries'] });
    const followed = followIt(payment);
    followed.hurry(hash);
    expect(await followed.ended).toEqual({ status: 'settled', transaction: hash });
    expect(stage.sandbox.calls.counts()['getLedgerEntries']).toBeGreaterThan(2);
  });

  test('looks some more for a hash that the RPC does not have yet, and then ends without it', async () => {
    deps.limits.minLookEveryMs = 10;
    const payment = await signPayment();
    const hash = await settle(payment);
    stage.sandbox.faults.add({ kind: 'notFound', times: 2 });
    const found = followIt(payment);
    found.hurry(hash);
    expect(await found.ended).toEqual({ status: 'settled', transaction: hash });
    stage.sandbox.faults.add({ kind: 'notFound' });
    const lost = followIt(payment);
    lost.hurry(hash);
    expect(await lost.ended).toEqual({ status: 'settled', transaction: undefined });
  });

  test('gives up after a bounded time, and when it is told to', async () => {
    stage.sandbox.faults.add({ kind: 'httpStatus', status: 500, methods: ['getLedgerEntries'] });
    const payment = await signPayment();
    const closing = new AbortController();
    const closed = followIt(payment, closing.signal);
    closing.abort();
    expect(await closed.ended).toEqual({ status: 'unknown' });
    Object.assign(deps.limits, { giveUpAfterMs: 100, firstLookAfterMs: 10 });
    expect(await followIt(payment).ended).toEqual({ status: 'unknown' });
  });
});
