import { xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { NATIVE } from '../support/payments.ts';
import type { Attempt, DraftEvent } from '../support/paymentsAttempt.ts';
import { address, i128, muxed, muxedData } from '../support/paymentsDraft.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage();

/** The verdict on a good payment whose simulation shows these events instead. */
async function verdictOn(edit: (events: DraftEvent[]) => void, attempt = stage.payment()) {
  attempt.claims.push(({ events }) => edit(events));
  return stage.verdict(attempt);
}

const mapOf = (fields: Record<string, xdr.ScVal>) =>
  xdr.ScVal.scvMap(
    Object.entries(fields).map(([name, val]) => new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol(name), val })),
  );

describe('a transfer event', () => {
  test('without the name of the asset, as plain SEP-41 tokens emit it: valid', async () => {
    expect(await verdictOn(([event]) => void (event!.topics = event!.topics.slice(0, 3)))).toBe('valid');
  });

  test('with its amount in a map (CAP-67): valid', async () => {
    expect(await verdictOn(([event]) => void (event!.data = mapOf({ amount: event!.data })))).toBe('valid');
  });

  test.each([
    ['another amount', mapOf({ amount: i128(1n) })],
    ['no amount', mapOf({ sum: i128(100_000n) })],
    ['an amount of another type', mapOf({ amount: xdr.ScVal.scvU64(100_000n) })],
    ['nothing', xdr.ScVal.scvMap(null)],
  ])('with %s in a map: wrong amount', async (_what, data) => {
    expect(await verdictOn(([event]) => void (event!.data = data))).toBe(
      'invalid_exact_stellar_payload_event_wrong_amount',
    );
  });

  test.each([
    ['a number', xdr.ScVal.scvU64(0n)],
    ['bytes', xdr.ScVal.scvBytes(Buffer.alloc(8))],
    ['a string', xdr.ScVal.scvString('')],
  ])('with a muxed id that nobody asked for, %s: wrong recipient', async (_what, id) => {
    expect(await verdictOn(([event]) => void (event!.data = muxedData(event!.data, id)))).toBe(
      'invalid_exact_stellar_payload_event_wrong_to',
    );
  });

  test.each([
    ['a rolled-back transfer', (event: DraftEvent) => event],
    [
      'a rolled-back event of another contract',
      (event: DraftEvent) => ({ ...event, contract: NATIVE, topics: [xdr.ScVal.scvSymbol('approve')] }),
    ],
  ])('beside %s: valid', async (_what, other) => {
    const verdict = await verdictOn((events) => {
      const rolledBack = { ...other(events[0]!), inSuccessfulCall: false };
      events.unshift(rolledBack);
      events.push(rolledBack);
    });
    expect(verdict).toBe('valid');
  });

  test.each([
    ['of the asset', {}, 'invalid_exact_stellar_payload_multiple_transfers'],
    ['of another contract', { contract: NATIVE }, 'invalid_exact_stellar_payload_event_wrong_asset'],
  ])('beside another transfer %s: refused', async (_what, changes, code) => {
    expect(await verdictOn((events) => void events.push({ ...events[0]!, ...changes }))).toBe(code);
  });

  test('beside an event of another name: refused', async () => {
    const topics = ['fee', 'a', 'b'].map((name) => xdr.ScVal.scvSymbol(name));
    expect(await verdictOn((events) => void events.push({ ...events[0]!, topics }))).toBe(
      'invalid_exact_stellar_payload_event_not_transfer',
    );
  });
});

describe('the transfer event of a muxed recipient', () => {
  const wrongTo = 'invalid_exact_stellar_payload_event_wrong_to';
  const id = 42n;
  function muxedPayment(): { base: string; attempt: Attempt } {
    const base = stage.sandbox.account(0n).publicKey();
    return { base, attempt: stage.payment({ payTo: muxed(base, String(id)) }) };
  }

  test('as the network emits it: valid', async () => {
    expect(await stage.verdict(muxedPayment().attempt)).toBe('valid');
  });

  test.each([
    ['another id', xdr.ScVal.scvU64(id + 1n)],
    ['its id as bytes', xdr.ScVal.scvBytes(Buffer.from('000000000000002a', 'hex'))],
    ['its id as a string', xdr.ScVal.scvString('42')],
  ])('with %s: wrong recipient', async (_what, muxedId) => {
    const { attempt } = muxedPayment();
    expect(
      await verdictOn(([event]) => void (event!.data = muxedData(i128(100_000n), muxedId)), attempt),
    ).toBe(wrongTo);
  });

  test('without an id: wrong recipient', async () => {
    const { attempt } = muxedPayment();
    expect(await verdictOn(([event]) => void (event!.data = i128(100_000n)), attempt)).toBe(wrongTo);
  });

  test('that names the muxed address itself: wrong recipient', async () => {
    const { attempt } = muxedPayment();
    const { payTo } = attempt.request.paymentRequirements;
    expect(await verdictOn(([event]) => void (event!.topics[2] = address(payTo)), attempt)).toBe(wrongTo);
  });
});
