import { Address, Keypair, xdr } from '@stellar/stellar-sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../sandbox/server.ts';
import { RPC_LIMITS } from '../../src/stellar/limits.ts';
import { AMOUNT, requestFor, requirementsFor, signTransfer } from '../support/payments.ts';
import { encodeAttempt, goodAttempt, type Attempt } from '../support/paymentsAttempt.ts';
import { junkEntry, sign, type Draft } from '../support/paymentsDraft.ts';
import { NETWORK_NAME } from '../support/playedNetwork.ts';
import { openFacilitator } from '../support/service.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage();

const simulationFailed = 'invalid_exact_stellar_payload_simulation_failed';
const tooFar = 'invalid_exact_stellar_signature_expiration_too_far';

describe('the credentials of the payer', () => {
  test.each(['address', 'addressV2'] as const)('%s: valid', async (credentials) => {
    const attempt = stage.payment();
    attempt.draft.entries[0]!.credentials = credentials;
    sign(attempt.draft.entries[0]!, attempt.payer);
    expect(await stage.verdict(attempt)).toBe('valid');
  });

  test.each([
    ['addressV2', 'address'],
    ['address', 'addressV2'],
  ] as const)('%s with a signature made for %s: the network refuses it', async (sent, signed) => {
    const attempt = stage.payment();
    const entry = attempt.draft.entries[0]!;
    entry.credentials = signed;
    sign(entry, attempt.payer);
    entry.credentials = sent;
    expect(await stage.verdict(attempt)).toBe(simulationFailed);
  });

  test.each<[string, (draft: Draft) => void]>([
    ['another nonce', ({ entries }) => void (entries[0]!.nonce += 1n)],
    ['a later expiration', ({ entries }) => void (entries[0]!.expiration += 1)],
    ['an earlier expiration', ({ entries }) => void (entries[0]!.expiration -= 1)],
    ['an empty list of signatures', ({ entries }) => void (entries[0]!.signature = xdr.ScVal.scvVec([]))],
    [
      'bytes for a signature',
      ({ entries }) => void (entries[0]!.signature = xdr.ScVal.scvBytes(Buffer.alloc(64))),
    ],
    ['true for a signature', ({ entries }) => void (entries[0]!.signature = xdr.ScVal.scvBool(true))],
  ])('a signature that is followed by a change, %s: the network refuses it', async (_what, change) => {
    const attempt = stage.payment();
    change(attempt.draft);
    expect(await stage.verdict(attempt)).toBe(simulationFailed);
  });

  test('a signature with one flipped bit: the network refuses it', async () => {
    const attempt = stage.payment();
    const entry = attempt.draft.entries[0]!;
    const bytes = Buffer.from(entry.signature.toXdr());
    bytes[bytes.length - 1]! ^= 1;
    entry.signature = xdr.ScVal.fromXdr(bytes);
    expect(await stage.verdict(attempt)).toBe(simulationFailed);
  });
});

describe('entries beside the payer’s', () => {
  async function withSecond(change: (attempt: Attempt) => void = () => {}, first = false) {
    const attempt = stage.payment();
    const stranger = stage.sandbox.account();
    const model = attempt.draft.entries[0]!;
    const second = { ...model, address: new Address(stranger.publicKey()).toScAddress() };
    sign(second, stranger);
    if (first) attempt.draft.entries.unshift(second);
    else attempt.draft.entries.push(second);
    change(attempt);
    return stage.verdict(attempt);
  }

  test('a signed one that no call uses changes nothing', async () => {
    expect(await withSecond()).toBe('valid');
    expect(await withSecond(() => {}, true)).toBe('valid');
  });

  test.each(['behind', 'before'])(
    'one of the payer’s own for another call, %s the good one, changes nothing, whatever stands in it',
    async (place) => {
      const attempt = stage.payment();
      const { draft } = attempt;
      const junk = junkEntry(draft);
      if (place === 'before') draft.entries.unshift(junk);
      else draft.entries.push(junk);
      expect(await stage.verdict(attempt)).toBe('valid');
      const before = stage.sandbox.usdc(attempt.payer.publicKey());
      expect(await stage.facilitator.settle(encodeAttempt(attempt))).toMatchObject({ success: true });
      expect(stage.sandbox.usdc(attempt.payer.publicKey())).toBe(before - AMOUNT);
    },
  );

  test('it is held to the same bound', async () => {
    expect(await withSecond(({ draft }) => void (draft.entries[1]!.expiration += 100))).toBe(tooFar);
  });

  test('of two of the payer’s own, the network takes the first', async () => {
    const attempt = stage.payment();
    const [own] = attempt.draft.entries;
    const forged = { ...own!, nonce: own!.nonce + 1_000_000n };
    attempt.draft.entries = [own!, forged];
    expect(await stage.verdict(attempt)).toBe('valid');
    attempt.draft.entries = [forged, own!];
    expect(await stage.verdict(attempt)).toBe(simulationFailed);
  });
});

describe('the bound of the expiration', () => {
  /** A payment that expires so many ledgers after the current one, while no ledger closes. */
  function expiringIn(ledgers: number, maxTimeoutSeconds: number): Attempt {
    stage.sandbox.stopLedgers();
    return goodAttempt({
      payer: stage.sandbox.account(),
      requirements: requirementsFor(stage.sandbox.account(0n).publicKey(), { maxTimeoutSeconds }),
      expiration: stage.sandbox.network.latestLedger + ledgers,
      nonce: stage.sandbox.nonce(),
    });
  }

  // Ledgers are quicker than a second here, and are counted as one.
  test.each([
    [300, 300],
    [60, 60],
    [1, 1],
    [0.2, 1],
    [59.01, 60],
  ])('%d seconds: %i ledgers and two more', async (seconds, ledgers) => {
    expect(await stage.verdict(expiringIn(ledgers + 2, seconds))).toBe('valid');
    expect(await stage.verdict(expiringIn(ledgers + 3, seconds))).toBe(tooFar);
  });

  test('the next ledger is early enough, the current one is too late', async () => {
    expect(await stage.verdict(expiringIn(1, 60))).toBe('valid');
    expect(await stage.verdict(expiringIn(0, 60))).toBe(simulationFailed);
  });

  test('an expiration beyond what the network keeps is refused by the network', async () => {
    const attempt = expiringIn(0, 60);
    attempt.draft.entries[0]!.expiration = 2 ** 32 - 1;
    sign(attempt.draft.entries[0]!, attempt.payer);
    expect(await stage.verdict(attempt)).toBe(simulationFailed);
  });

  test('a node that is behind the client’s is asked once more before a payment is refused', async () => {
    const attempt = expiringIn(62, 60);
    stage.sandbox.faults.add({ kind: 'staleLedger', ledgers: 2, methods: ['simulateTransaction'] });
    expect(await stage.facilitator.verify(encodeAttempt(attempt))).toMatchObject({ isValid: true });
    expect(stage.sandbox.calls.counts()).toEqual({ simulateTransaction: 1, getTransaction: 1 });
  });

  test('a node that stays behind refuses what lies beyond its bound', async () => {
    const attempt = expiringIn(62, 60);
    stage.sandbox.faults.add({ kind: 'staleLedger', ledgers: 2 });
    expect(await stage.facilitator.verify(encodeAttempt(attempt))).toMatchObject({ invalidReason: tooFar });
  });

  test('a pace that was not known at the start is learned before a payment is refused', async () => {
    stage.sandbox.faults.add({ kind: 'httpStatus', status: 503 });
    const { verify, close } = await openFacilitator(stage.options);
    onTestFinished(close);
    stage.sandbox.faults.clear();
    // At the 5 seconds that are assumed, 60 seconds would be 12 ledgers.
    const request = encodeAttempt(expiringIn(60, 60));
    expect(await verify(request)).toMatchObject({ isValid: true });
    expect(await verify(request)).toMatchObject({ isValid: true });
    expect(stage.sandbox.calls.counts()).toMatchObject({ simulateTransaction: 2, getTransaction: 2 });
  });

  test('a pace that changed within minutes is measured over the last ledgers before a payment is refused', async () => {
    const facilitator = await stage.open();
    // The node remembers ledgers of 5 seconds, and only the last ones were faster.
    const ago = (ledgers: number, seconds: number) => ({
      ledger: stage.sandbox.network.latestLedger - ledgers,
      ledgerClosedAt: new Date(Date.now() - seconds * 1000).toISOString(),
    });
    stage.sandbox.faults.add({
      kind: 'rewrite',
      methods: ['getTransaction', 'getEvents'],
      rewrite: (method, answer) => {
        const { latestLedger } = answer as { latestLedger: number };
        const now = Math.floor(Date.now() / 1000);
        const slow = { oldestLedger: latestLedger - 1_000, oldestLedgerCloseTime: String(now - 5_000) };
        const range = { latestLedger, latestLedgerCloseTime: String(now), ...slow };
        return method === 'getEvents' ? { ...range, events: [ago(20, 20)] } : { ...answer, ...range };
      },
    });
    expect(await facilitator.verify(encodeAttempt(expiringIn(60, 60)))).toMatchObject({ isValid: true });
    expect(await facilitator.verify(encodeAttempt(expiringIn(63, 60)))).toMatchObject({
      invalidReason: tooFar,
    });
  });
});

test('an expiry too far is refused as such where the node remembers only a few ledgers, or tells of no events', async () => {
  const network = await startSandbox({ ledgerMs: 0, network: NETWORK_NAME });
  onTestFinished(() => network.close());
  const [payer, payee, submitter] = [Keypair.random(), Keypair.random(), Keypair.random()];
  network.network.mint(payer.publicKey(), AMOUNT);
  network.network.mint(payee.publicKey(), 1n);
  network.network.createAccount(submitter.publicKey(), 100_000_000n);
  const facilitator = await openFacilitator({ rpcUrl: network.url, submitters: [submitter] });
  onTestFinished(facilitator.close);
  const requirements = requirementsFor(payee.publicKey());
  const terms = { payer, requirements, expiration: network.network.latestLedger + 400, nonce: 1n };
  const request = encodeAttempt(goodAttempt(terms));
  for (let nth = 0; nth < RPC_LIMITS.faultsBeforeRest + 1; nth++)
    expect(await facilitator.verify(request)).toMatchObject({ invalidReason: tooFar });
  network.faults.add({ kind: 'httpStatus', status: 500, methods: ['getEvents'] });
  expect(await facilitator.verify(request)).toMatchObject({ invalidReason: tooFar });
});

describe('a contract account that pays', () => {
  function contractPayment(signer: 'own' | 'other') {
    const { address: from, key } = stage.sandbox.contractPayer();
    const requirements = requirementsFor(stage.sandbox.account(0n).publicKey());
    const transaction = signTransfer({
      key: signer === 'own' ? key : stage.sandbox.account(),
      from,
      requirements,
      expiration: stage.sandbox.expirationIn(60),
      nonce: stage.sandbox.nonce(),
    });
    return { from, request: requestFor(requirements, transaction) };
  }

  test('is verified and settled', async () => {
    const { from, request } = contractPayment('own');
    const before = stage.sandbox.usdc(from);
    expect(await stage.facilitator.verify(request)).toEqual({ isValid: true, payer: from });
    expect(await stage.facilitator.settle(request)).toMatchObject({ success: true, payer: from });
    expect(stage.sandbox.usdc(from)).toBe(before - AMOUNT);
  });

  test('with another key’s signature is refused by its own check', async () => {
    const { from, request } = contractPayment('other');
    expect(await stage.facilitator.verify(request)).toMatchObject({
      isValid: false,
      invalidReason: simulationFailed,
      payer: from,
    });
  });
});
