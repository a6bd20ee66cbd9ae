import { UNLIMITED_BUDGET } from '../../src/scheme/index.ts';
import { Keypair, xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { DEFAULT_FEES } from '../../src/config/config.ts';
import { openJournal, type SqliteJournal } from '../../src/journal/index.ts';
import { keyFromSecret } from '../../src/stellar/key.ts';
import { RpcFault } from '../../src/stellar/rpc/fault.ts';
import { AMOUNT } from '../support/payments.ts';
import { LEDGER_MS, useScriptedNetwork, type Intercept } from '../support/scriptedNetwork.ts';
import { CEILING_STROOPS, silent } from '../support/service.ts';
import { ASKED } from '../journal/entries.ts';

const scripted = useScriptedNetwork();
const newJournal = (): SqliteJournal => openJournal({ path: ':memory:', log: silent });

/** The same account in both processes. */
function submitters() {
  const key = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 9));
  if (scripted.network.balances(key.publicKey()).sequence === null)
    scripted.network.createAccount(key.publicKey(), 100_000_000_000n);
  return [keyFromSecret(key.secret())];
}

/** A process that ends while a settlement is under way; unless told what the RPC does then, it was sent. */
async function endedWhileSettling(journal: SqliteJournal, intercept?: Intercept) {
  const scheme = scripted.scheme({ journal, submitters: submitters() });
  await scripted.ended(scheme.open());
  scripted.stopLedgers();
  const honest = scripted.intercept;
  scripted.intercept = intercept ?? honest;
  const payment = scripted.payment();
  void scheme.settle(payment);
  await scripted.pass(1_000);
  await scripted.ended(scheme.close());
  scripted.intercept = honest;
  scripted.forgetCalls();
  return payment;
}

const noAnswer = new Promise<never>(() => {});
const neverArrived: Intercept = (method, answer) => (method === 'sendTransaction' ? noAnswer : answer());

/** As behind a proxy that sends it once more after the ledger has taken it, and then falls silent. */
function rejectedThoughApplied(): Intercept {
  let isSent = false;
  return (method, answer) => {
    if (isSent) return noAnswer;
    if (method !== 'sendTransaction') return answer();
    isSent = true;
    const answered = answer() as object;
    scripted.network.closeLedger();
    const result = xdr.TransactionResultResult.txBadSeq();
    const refusal = new xdr.TransactionResult({ feeCharged: 0n, result, ext: xdr.TransactionResultExt.v0() });
    return { ...answered, status: 'ERROR', errorResultXdr: refusal.toXdr('base64') };
  };
}

async function next(journal: SqliteJournal) {
  const late: number[] = [];
  const onLateSettlement = () => void late.push(1);
  const scheme = scripted.scheme({ journal, submitters: submitters(), onLateSettlement });
  await scripted.ended(scheme.open());
  return { ...scheme, late };
}

describe('after a restart', () => {
  test('the end of what was sent is learned from the ledger, and told to those who list', async () => {
    const journal = newJournal();
    const payment = await endedWhileSettling(journal);
    expect(journal.unended()).toHaveLength(1);
    const { late } = await next(journal);
    scripted.startLedgers();
    await scripted.pass(20_000);
    expect(journal.unended()).toEqual([]);
    expect(late).toEqual([1]);
    expect(scripted.paid(payment)).toBe(AMOUNT);
    expect(scripted.calls()['sendTransaction']).toBeUndefined();
  });

  test('the log says of that end what it says of any other', async () => {
    const journal = newJournal();
    const lines: Record<string, unknown>[] = [];
    const log = { ...silent, info: (fields: object, text: string) => void lines.push({ ...fields, text }) };
    const lineOf = (text: string) => lines.find((line) => line['text'] === text);
    const payment = await endedWhileSettling(journal);
    const { requestId } = journal.unended()[0]!;
    const scheme = scripted.scheme({ journal, submitters: submitters(), log });
    await scripted.ended(scheme.open());
    scripted.startLedgers();
    await scripted.pass(20_000);
    expect(await scripted.ended(scheme.settle(scripted.payment()))).toMatchObject({ success: true });
    const earlier = lineOf('earlier settlement ended')!;
    expect(Object.keys(earlier)).toEqual(Object.keys(lineOf('settlement ended')!));
    const { paymentRequirements, resource } = payment;
    const { amount, asset, payTo } = paymentRequirements;
    expect(earlier).toMatchObject({ status: 'success', amount, asset, payTo, caller: 'anonymous' });
    expect(earlier).toMatchObject({ resource, requestId, payer: expect.stringMatching(/^G/) });
    expect(earlier['durationMs']).toBeGreaterThan(1_000);
  });

  test('what failed on the ledger is logged with its code and message', async () => {
    const journal = newJournal();
    await endedWhileSettling(journal, neverArrived);
    const lines: Record<string, unknown>[] = [];
    const log = { ...silent, info: (fields: object, text: string) => void lines.push({ ...fields, text }) };
    const scheme = scripted.scheme({ journal, submitters: submitters(), log });
    await scripted.ended(scheme.open());
    scripted.startLedgers();
    await scripted.pass(400_000);
    expect(lines.find(({ text }) => text === 'earlier settlement ended')).toMatchObject({
      status: 'never',
      code: expect.any(String),
      message: expect.any(String),
    });
  });

  test('that is done at once: what was sent before has mostly ended long ago', async () => {
    const journal = newJournal();
    await endedWhileSettling(journal);
    scripted.startLedgers();
    await scripted.pass(60_000);
    await next(journal);
    await scripted.pass(500);
    expect(journal.unended()).toEqual([]);
  });

  test('the same payment waits for that end, and is refused as paid', async () => {
    const journal = newJournal();
    const payment = await endedWhileSettling(journal);
    const { settle } = await next(journal);
    const again = settle(payment);
    scripted.startLedgers();
    expect(await scripted.ended(again)).toMatchObject({
      errorReason: 'invalid_exact_stellar_payload_simulation_failed',
    });
    expect(scripted.paid(payment)).toBe(AMOUNT);
  });

  test('the submitter that sent it carries nothing else until then', async () => {
    const journal = newJournal();
    await endedWhileSettling(journal);
    const { settle } = await next(journal);
    const other = scripted.payment();
    const settled = settle(other);
    await scripted.pass(3_000);
    expect(scripted.calls()['sendTransaction']).toBeUndefined();
    scripted.startLedgers();
    expect(await scripted.ended(settled)).toMatchObject({ success: true });
    expect(scripted.paid(other)).toBe(AMOUNT);
  });

  test('what a node rejected is learned from the ledger too, where the process ended before it had asked that', async () => {
    const journal = newJournal();
    const payment = await endedWhileSettling(journal, rejectedThoughApplied());
    expect(scripted.paid(payment)).toBe(AMOUNT);
    expect(journal.unended()).toHaveLength(1);
    const { late } = await next(journal);
    await scripted.pass(1_000);
    expect([journal.unended(), late]).toEqual([[], [1]]);
  });

  test('what never arrived is sent by nobody, and settles when it is asked for again', async () => {
    const journal = newJournal();
    const payment = await endedWhileSettling(journal, neverArrived);
    const { settle } = await next(journal);
    scripted.startLedgers();
    await scripted.pass(5_000);
    expect(scripted.paid(payment)).toBe(0n);
    const again = settle(payment);
    expect(await scripted.ended(again)).toMatchObject({ success: true });
    expect(scripted.paid(payment)).toBe(AMOUNT);
    expect(journal.unended()).toEqual([]);
  });
});

test('a submitter with two transactions under way is free when the ends of both are known', async () => {
  const journal = newJournal();
  await endedWhileSettling(journal);
  const [sent] = journal.unended();
  const maxTimeSeconds = sent!.sent.validity.maxTimeSeconds + 60;
  const validity = { ...sent!.sent.validity, maxTimeSeconds };
  const another = {
    ...sent!,
    ...ASKED,
    hash: 'cd'.repeat(32),
    listing: undefined,
    isStellarAsset: true,
    budget: UNLIMITED_BUDGET,
  };
  journal.open({ ...another, sent: { ...another.sent, validity } });
  const { settle } = await next(journal);
  scripted.startLedgers();
  await scripted.pass(40_000);
  const settled = settle(scripted.payment());
  await scripted.pass(5_000);
  expect(journal.unended()).toMatchObject([{ hash: 'cd'.repeat(32) }]);
  expect(scripted.calls()['sendTransaction']).toBeUndefined();
  expect(await scripted.ended(settled)).toMatchObject({ success: true });
});

test('what was rejected stays open in the journal until its payment has ended: a restart would ask for it', async () => {
  const journal = newJournal();
  const fees = { ...DEFAULT_FEES, ceilingStroops: CEILING_STROOPS, maxInclusionStroops: 100 };
  const scheme = scripted.scheme({ journal, submitters: submitters(), fees });
  await scripted.ended(scheme.open());
  const honest = scripted.intercept;
  scripted.stopLedgers();
  // Taken, and called too cheap, though no more can be offered.
  scripted.intercept = (method, answer) => {
    if (method !== 'sendTransaction') return answer();
    scripted.intercept = honest;
    const result = xdr.TransactionResultResult.txInsufficientFee();
    const refusal = new xdr.TransactionResult({
      feeCharged: 200n,
      result,
      ext: xdr.TransactionResultExt.v0(),
    });
    return { ...(answer() as object), status: 'ERROR', errorResultXdr: refusal.toXdr('base64') };
  };
  const payment = scripted.payment();
  const settled = scheme.settle(payment);
  await scripted.pass(1_000);
  const [open] = journal.unended();
  expect(open).toBeDefined();
  scripted.startLedgers();
  expect(await scripted.ended(settled)).toMatchObject({ success: true, transaction: open!.hash });
  expect(journal.unended()).toEqual([]);
  expect(scripted.paid(payment)).toBe(AMOUNT);
});

test('a request that sent nothing says no more than that: an earlier one may have paid', async () => {
  const scheme = scripted.scheme();
  await scripted.ended(scheme.open());
  const payment = scripted.payment();
  expect(await scripted.ended(scheme.settle(payment))).toMatchObject({ success: true });
  scripted.intercept = () => {
    throw new RpcFault('no answer');
  };
  expect(await scripted.ended(scheme.settle(payment))).toMatchObject({
    errorReason: 'unexpected_verify_error',
    errorMessage: expect.stringMatching(
      /nothing was sent\. If this payment was requested before, it may have been paid then/,
    ),
  });
});

test('a node that is ahead of the time is not believed that what was sent is over', async () => {
  const journal = newJournal();
  const payment = await endedWhileSettling(journal);
  const honest = scripted.intercept;
  let late = 0;
  scripted.intercept = (_method, answer) => {
    const result = answer() as Record<string, unknown>;
    const { latestLedgerCloseTime: closedAt } = result;
    // The transaction is in no ledger yet, and the close time is that of an hour later.
    if (closedAt === undefined || late++ > 5) return result;
    return { ...result, latestLedgerCloseTime: String(Number(closedAt) + 3_600) };
  };
  await next(journal);
  await scripted.pass(3_000);
  scripted.intercept = honest;
  expect(journal.unended()).toHaveLength(1);
  scripted.startLedgers();
  await scripted.pass(20_000);
  expect(scripted.paid(payment)).toBe(AMOUNT);
  expect(journal.latestClose()).toBeDefined();
});

describe('after a restart, the ledgers that the journal knows', () => {
  /** A journal of a settlement that the ledger took, so many ledgers ago, whose payment is returned too. */
  async function settledBefore() {
    const journal = newJournal();
    const scheme = scripted.scheme({ journal, submitters: submitters() });
    await scripted.ended(scheme.open());
    const payment = scripted.payment();
    expect(await scripted.ended(scheme.settle(payment))).toMatchObject({ success: true });
    await scripted.ended(scheme.close());
    return { journal, payment };
  }

  test('keep a node that is behind them from having the same payment sent once more', async () => {
    const honest = scripted.intercept;
    let before: unknown;
    scripted.intercept = (method, answer) => {
      const result = answer();
      if (method === 'simulateTransaction') before ??= result;
      return result;
    };
    const { journal, payment } = await settledBefore();
    /** As before the ledger that took it. */
    const lagging: Intercept = (method, answer) => {
      if (method === 'simulateTransaction') return before;
      const result = answer() as { latestLedger: number; latestLedgerCloseTime?: string };
      const { latestLedger, latestLedgerCloseTime: closedAt } = result;
      return {
        ...result,
        latestLedger: latestLedger - 1,
        ...(closedAt && { latestLedgerCloseTime: String(Number(closedAt) - LEDGER_MS / 1000) }),
      };
    };
    scripted.stopLedgers();
    scripted.intercept = lagging;
    scripted.forgetCalls();
    const scheme = await next(journal);
    expect(await scripted.ended(scheme.settle(payment))).toMatchObject({
      success: false,
      errorReason: 'unexpected_verify_error',
    });
    scripted.intercept = honest;
    expect(await scripted.ended(scheme.settle(payment))).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_stellar_payload_simulation_failed',
    });
    expect(scripted.calls()['sendTransaction']).toBeUndefined();
  });

  test('mean nothing on a network that has started afresh, with lower numbers', async () => {
    const { journal } = await settledBefore();
    await scripted.pass(60_000);
    scripted.restart(1_000);
    expect(scripted.network.latestLedger).toBeLessThan(journal.latestClose()!.ledger);
    const scheme = scripted.scheme({ journal });
    await scripted.ended(scheme.open());
    const payment = scripted.payment();
    expect(await scripted.ended(scheme.settle(payment))).toMatchObject({ success: true });
    expect(scripted.paid(payment)).toBe(AMOUNT);
  });

  test('nor where the RPC answered nothing at the start', async () => {
    const { journal } = await settledBefore();
    await scripted.pass(60_000);
    scripted.restart(1_000);
    scripted.intercept = () => {
      throw new RpcFault('no answer');
    };
    const scheme = scripted.scheme({ journal });
    await scripted.ended(scheme.open());
    scripted.intercept = (_method, answer) => answer();
    const payment = scripted.payment();
    expect(await scripted.ended(scheme.settle(payment))).toMatchObject({ success: true });
  });
});
