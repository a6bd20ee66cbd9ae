import { Keypair } from '@stellar/stellar-sdk';
import { expect, test } from 'vitest';
import { keyFromSecret } from '../../src/stellar/key.ts';
import { useScriptedNetwork } from '../support/scriptedNetwork.ts';

const scripted = useScriptedNetwork();

const SETTLEMENTS = 30;
const AT_ONCE = 25;
const BURSTS = 8;
const MEDIAN_MS = 150;
const MOST_POLLS = 3;

test.each([300, 700, 1_000, 2_000, 5_000])(
  'where ledgers close every %i ms, half of the answers come within 150 ms after theirs, with 3 polls at most',
  async (ledgerMs) => {
    await onRhythm(ledgerMs);
    const { open, settle } = scripted.scheme();
    await scripted.ended(open());
    const lateMs: number[] = [];
    const polls: number[] = [];
    for (let payment = 0; payment < SETTLEMENTS; payment++) {
      scripted.forgetCalls();
      expect(await scripted.ended(settle(shortPayment()))).toMatchObject({ success: true });
      lateMs.push(sinceLedgerMs());
      polls.push(scripted.calls()['getTransaction'] ?? 0);
      // Some come at once, some after a pause.
      await scripted.pass(payment % 3 === 0 ? (payment * 137) % (3 * ledgerMs) : 0);
    }
    expect(median(lateMs), `late: ${lateMs.join(' ')} ms`).toBeLessThanOrEqual(MEDIAN_MS);
    expect(Math.max(...polls)).toBeLessThanOrEqual(MOST_POLLS);
  },
);

test('however many are in flight, each is asked for 3 times at most, and half are answered within 150 ms', async () => {
  await onRhythm(5_000);
  const keys = Array.from({ length: AT_ONCE }, () => Keypair.random());
  for (const key of keys) scripted.network.createAccount(key.publicKey(), 1_000_000_000n);
  const { open, settle } = scripted.scheme({ submitters: keys.map((key) => keyFromSecret(key.secret())) });
  await scripted.ended(open());
  const lateMs: number[] = [];
  for (let burst = 0; burst < BURSTS; burst++) {
    scripted.forgetCalls();
    const settlements = keys.map(async () => {
      expect(await settle(shortPayment())).toMatchObject({ success: true });
      lateMs.push(sinceLedgerMs());
    });
    await scripted.ended(Promise.all(settlements));
    expect(scripted.calls()['getTransaction']).toBeLessThanOrEqual(MOST_POLLS * AT_ONCE);
  }
  expect(median(lateMs)).toBeLessThanOrEqual(MEDIAN_MS);
});

async function onRhythm(ledgerMs: number): Promise<void> {
  scripted.restart(ledgerMs);
  scripted.latencyMs = () => 3;
  await scripted.pass(0.37 * ledgerMs);
}

/** Its authorization is good for a minute, whether ledgers are taken for 1 s or for 5. */
const shortPayment = () => scripted.payment(60);

function sinceLedgerMs(): number {
  return Date.now() - scripted.network.ledgers(1)[0]!.closedAtMs;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
}
