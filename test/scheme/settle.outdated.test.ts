import { xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import type { Scheme } from '../../src/scheme/index.ts';
import { AMOUNT } from '../support/payments.ts';
import { useScriptedNetwork, type Intercept } from '../support/scriptedNetwork.ts';

const scripted = useScriptedNetwork();
const TEN_MINUTES_MS = 600_000;

/** Answers as of a node that is ten minutes behind. */
const behind: Intercept = (_method, answer) => {
  const result = answer() as { latestLedger: number; latestLedgerCloseTime?: string };
  const { latestLedger, latestLedgerCloseTime } = result;
  return {
    ...result,
    latestLedger: latestLedger - 120,
    ...(latestLedgerCloseTime && { latestLedgerCloseTime: String(Number(latestLedgerCloseTime) - 600) }),
  };
};

/** Settles a new payment; returns how often it was sent. */
async function sendsOf({ settle }: Scheme): Promise<number | undefined> {
  const payment = scripted.payment();
  scripted.forgetCalls();
  expect(await scripted.ended(settle(payment))).toMatchObject({ success: true });
  expect(scripted.paid(payment)).toBe(AMOUNT);
  return scripted.calls()['sendTransaction'];
}

describe('a service that opened on an outdated view of the network', () => {
  test('settles once the RPC has caught up: the first payment is signed anew, the next ones are not', async () => {
    const scheme = scripted.scheme();
    const honest = scripted.intercept;
    scripted.intercept = behind;
    await scripted.ended(scheme.open());
    scripted.intercept = honest;
    expect([await sendsOf(scheme), await sendsOf(scheme), await sendsOf(scheme)]).toEqual([2, 1, 1]);
  });

  test('settles once ledgers close again, where they had stood still', async () => {
    scripted.stopLedgers();
    await scripted.pass(TEN_MINUTES_MS);
    const scheme = scripted.scheme();
    await scripted.ended(scheme.open());
    scripted.startLedgers();
    expect([await sendsOf(scheme), await sendsOf(scheme), await sendsOf(scheme)]).toEqual([2, 1, 1]);
  });

  test('settles what it was asked for while ledgers stood still, on the first ledger', async () => {
    const scheme = scripted.scheme();
    await scripted.ended(scheme.open());
    scripted.stopLedgers();
    await scripted.pass(TEN_MINUTES_MS);
    const payment = scripted.payment();
    const answer = scheme.settle(payment);
    await scripted.pass(1_000);
    scripted.startLedgers();
    expect(await scripted.ended(answer)).toMatchObject({ success: true });
    expect(scripted.paid(payment)).toBe(AMOUNT);
  });
});

describe('a node that lags behind the ledgers that were seen', () => {
  /** Says of each payment what it said when it was asked of it first, so many times. */
  function lagging(times: number): Intercept {
    const honest = scripted.intercept;
    let first: unknown;
    return async (method, answer) => {
      if (method !== 'simulateTransaction') return honest(method, answer);
      first ??= await honest(method, answer);
      return times-- > 0 ? first : honest(method, answer);
    };
  }

  test('makes no settled payment cost a second fee', async () => {
    const { settle, open } = scripted.scheme();
    await scripted.ended(open());
    const payment = scripted.payment();
    scripted.intercept = lagging(3);
    expect(await scripted.ended(settle(payment))).toMatchObject({ success: true });
    scripted.forgetCalls();
    expect(await scripted.ended(settle(payment))).toMatchObject({
      errorReason: 'invalid_exact_stellar_payload_simulation_failed',
    });
    expect(scripted.calls()['sendTransaction']).toBeUndefined();
  });

  test('does not refuse what has become possible since', async () => {
    const { settle, open, verify } = scripted.scheme();
    await scripted.ended(open());
    const payment = scripted.payment();
    expect(await scripted.ended(verify(payment))).toMatchObject({ isValid: true });
    const honest = scripted.intercept;
    let times = 3;
    scripted.intercept = (method, answer) => {
      const result = answer() as { latestLedger: number };
      if (method !== 'simulateTransaction' || times-- <= 0) return result;
      return { error: 'HostError: Error(Contract, #10)', latestLedger: result.latestLedger - 1 };
    };
    expect(await scripted.ended(settle(payment))).toMatchObject({ success: true });
    scripted.intercept = honest;
  });

  test('is not believed after an idle time either, however far it is behind', async () => {
    const { settle, open } = scripted.scheme();
    await scripted.ended(open());
    const payment = scripted.payment();
    const honest = scripted.intercept;
    let before: object | undefined;
    scripted.intercept = (method, answer) => {
      const result = answer() as object;
      if (method === 'simulateTransaction') before ??= result;
      return result;
    };
    expect(await scripted.ended(settle(payment))).toMatchObject({ success: true });
    await scripted.pass(TEN_MINUTES_MS);
    await scripted.ended(settle(scripted.payment()));
    // No node has shown the latest ledger for long: an older one could be all that is left of the network.
    await scripted.pass(TEN_MINUTES_MS);
    scripted.forgetCalls();
    scripted.intercept = (method, answer) =>
      method === 'simulateTransaction' ? before : behind(method, answer);
    expect(await scripted.ended(settle(payment))).toMatchObject({ errorReason: 'unexpected_verify_error' });
    expect(scripted.calls()['sendTransaction']).toBeUndefined();
    scripted.intercept = honest;
  });

  test('is not waited for without end', async () => {
    const { settle, open } = scripted.scheme();
    await scripted.ended(open());
    const payment = scripted.payment();
    scripted.intercept = lagging(Infinity);
    expect(await scripted.ended(settle(payment))).toMatchObject({ success: true });
    scripted.forgetCalls();
    expect(await scripted.ended(settle(payment))).toMatchObject({
      errorReason: 'unexpected_verify_error',
      errorMessage: expect.stringContaining('nothing was sent'),
    });
    expect(scripted.calls()['sendTransaction']).toBeUndefined();
  });
});

describe('a transaction that applied before it was refused', () => {
  const BAD_SEQUENCE = new xdr.TransactionResult({
    feeCharged: 0n,
    result: xdr.TransactionResultResult.txBadSeq(),
    ext: xdr.TransactionResultExt.v0(),
  }).toXdr('base64');

  test('is found, though a node denies it at first: the payment is no refused one', async () => {
    const { settle, open } = scripted.scheme();
    await scripted.ended(open());
    const honest = scripted.intercept;
    let [hasRefused, hasDenied] = [false, false];
    scripted.intercept = async (method, answer) => {
      const result = (await honest(method, answer)) as Record<string, unknown>;
      if (method === 'sendTransaction' && !hasRefused) {
        // As behind a proxy that sends once more, after the ledger.
        hasRefused = true;
        scripted.network.closeLedger();
        return { ...result, status: 'ERROR', errorResultXdr: BAD_SEQUENCE };
      }
      if (method !== 'getTransaction' || result['status'] !== 'SUCCESS' || hasDenied) return result;
      hasDenied = true;
      return { ...result, status: 'NOT_FOUND' };
    };
    const payment = scripted.payment();
    expect(await scripted.ended(settle(payment))).toMatchObject({ success: true });
    expect(scripted.paid(payment)).toBe(AMOUNT);
    expect([hasRefused, hasDenied]).toEqual([true, true]);
  });
});
