import { describe, expect, test } from 'vitest';
import { RpcFault } from '../../src/stellar/rpc/fault.ts';
import { AMOUNT } from '../support/payments.ts';
import { useScriptedNetwork, type ScriptedNetwork } from '../support/scriptedNetwork.ts';

const scripted = useScriptedNetwork();

const TEN_MINUTES_MS = 600_000;
/** Ten minutes of looks ten seconds apart, and those on the way there. */
const MOST_LOOKS = 75;

async function opened(deps: Parameters<ScriptedNetwork['scheme']>[0] = {}) {
  const scheme = scripted.scheme(deps);
  await scripted.ended(scheme.open());
  scripted.forgetCalls();
  return scheme;
}

/** Those calls fail as long as the test says. */
function faultsIn(method: string): { mend(): void } {
  const honest = scripted.intercept;
  scripted.intercept = (called, answer) => {
    if (called === method) throw new RpcFault(`${method}: the answer makes no sense`);
    return honest(called, answer);
  };
  return { mend: () => void (scripted.intercept = honest) };
}

describe('an end that stays unknown is asked for with backing off, until it is known', () => {
  test('where every answer is a fault', async () => {
    const { settle } = await opened();
    const payment = scripted.payment();
    const { mend } = faultsIn('getTransaction');
    expect(await scripted.ended(settle(payment))).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_failed',
      errorMessage: expect.stringContaining('not known yet'),
    });
    await scripted.pass(TEN_MINUTES_MS);
    expect(scripted.calls()['getTransaction']).toBeLessThan(2 * MOST_LOOKS);
    mend();
    const next = scripted.payment();
    expect(await scripted.ended(settle(next))).toMatchObject({ success: true });
    expect([scripted.paid(payment), scripted.paid(next)]).toEqual([AMOUNT, AMOUNT]);
  });

  test('where no ledger closes', async () => {
    const { settle } = await opened();
    const payment = scripted.payment();
    scripted.stopLedgers();
    expect(await scripted.ended(settle(payment))).toMatchObject({ success: false });
    scripted.forgetCalls();
    await scripted.pass(TEN_MINUTES_MS);
    expect(scripted.calls()['getTransaction']).toBeLessThan(MOST_LOOKS);
  });
});

test('a submission whose every answer is a fault is sent a bounded number of times, then waited for', async () => {
  const { settle } = await opened({ limits: { maxResends: 3, maxSignatures: 1 } });
  const payment = scripted.payment();
  faultsIn('sendTransaction');
  // Nothing arrived; the answer comes when nothing can any more.
  expect(await scripted.ended(settle(payment))).toMatchObject({
    errorReason: 'settle_exact_stellar_transaction_failed',
    errorMessage: expect.stringContaining('never will'),
  });
  expect(scripted.calls()['sendTransaction']).toBe(4);
  expect(scripted.paid(payment)).toBe(0n);
});

test('the time spent waiting for another settlement counts: a submitter is waited for that much shorter', async () => {
  // 80 s until the answer, of which the last 60 belong to the ledger: 20 s for everything before.
  const { settle } = await opened({ limits: { minInclusionSeconds: 60 } });
  scripted.stopLedgers();
  const busy = scripted.payment();
  const busySettled = settle(busy);
  await scripted.pass(1_000);

  const payment = scripted.payment();
  const honest = scripted.intercept;
  let simulations = 0;
  scripted.intercept = async (method, answer) => {
    if (method !== 'simulateTransaction') return honest(method, answer);
    if (++simulations === 2) scripted.intercept = honest;
    await new Promise((resolve) => setTimeout(resolve, 7_000));
    throw new RpcFault(`${method}: no answer`);
  };
  const first = settle(payment);
  const second = settle(payment);
  expect(await scripted.ended(first)).toMatchObject({ errorReason: 'unexpected_verify_error' });
  // 16 s have passed. The submitter is free after 23 to 33, when 20 are over but not 16 and 20.
  await scripted.pass(7_000);
  scripted.startLedgers();
  expect(await scripted.ended(busySettled)).toMatchObject({ success: true });
  expect(await scripted.ended(second)).toMatchObject({
    errorReason: 'settle_exact_stellar_signer_selection_failed',
  });
  expect(scripted.paid(payment)).toBe(0n);
});

describe('a payment that finds no submitter in time is refused, and told how many lanes there are and how long it waited', () => {
  const SELECTION_FAILED = 'settle_exact_stellar_signer_selection_failed';

  test('while a ledger is left that could take it, by the expiry of its authorization', async () => {
    const { settle } = await opened();
    scripted.stopLedgers();
    const busy = settle(scripted.payment());
    await scripted.pass(1_000);
    const startedAt = Date.now();
    const payment = scripted.payment(25);
    // Five ledgers: the fourth is the last in which a ledger is still to come.
    expect(await scripted.ended(settle(payment))).toMatchObject({
      errorReason: SELECTION_FAILED,
      errorMessage: expect.stringMatching(
        /1 of 1 submitter accounts are busy, .* waited \d+\.\d s, at first behind 0 others/,
      ),
    });
    expect(Date.now() - startedAt).toBeGreaterThan(10_000);
    expect(Date.now() - startedAt).toBeLessThan(20_000);
    scripted.startLedgers();
    await scripted.ended(busy);
    expect(scripted.paid(payment)).toBe(0n);
  });

  test('also where ledgers closed sooner than they should have', async () => {
    const { settle } = await opened();
    scripted.stopLedgers();
    const busy = settle(scripted.payment());
    await scripted.pass(1_000);
    const payment = scripted.payment(25);
    const waiting = settle(payment);
    await scripted.pass(1_000);
    for (let ledger = 0; ledger < 6; ledger++) scripted.network.closeLedger();
    expect(await scripted.ended(waiting)).toMatchObject({ errorReason: SELECTION_FAILED });
    expect(await scripted.ended(busy)).toMatchObject({ success: true });
  });

  test('at once where as many wait as may', async () => {
    const { settle } = await opened({ limits: { maxWaitingPayments: 2 } });
    scripted.stopLedgers();
    const others = [scripted.payment(), scripted.payment(), scripted.payment()].map((other) => settle(other));
    await scripted.pass(1_000);
    expect(await scripted.ended(settle(scripted.payment()), 1_000)).toMatchObject({
      errorReason: SELECTION_FAILED,
      errorMessage: expect.stringContaining(
        '1 of 1 submitter accounts are busy, and 2 payments are waiting: no more may',
      ),
    });
    scripted.startLedgers();
    for (const answer of await scripted.ended(Promise.all(others))) expect(answer.success).toBe(true);
  });
});

test('payments that wait for a submitter get it in the order in which they came', async () => {
  const { settle } = await opened();
  const ended: number[] = [];
  const all = Array.from({ length: 6 }, (_, place) =>
    settle(scripted.payment()).then(({ success }) => success && ended.push(place)),
  );
  await scripted.ended(Promise.all(all));
  expect(ended).toEqual([0, 1, 2, 3, 4, 5]);
});
