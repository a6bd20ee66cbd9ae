import type { Keypair } from '@stellar/stellar-sdk';
import { expect, test } from 'vitest';
import type { FeeBalances } from '../../src/scheme/index.ts';
import { post } from '../http/support.ts';
import type { Facilitator, FacilitatorOptions } from '../support/service.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, sends } = settlementsOn(stage);

const READ_EVERY_MS = 50;
const LUMEN = 10_000_000n;

const settle = ({ url }: Facilitator) => post(`${url}/settle`, JSON.stringify(newPayment().request));

/** An account with so many lumens. */
function account(lumens: bigint): Keypair {
  const key = stage.sandbox.keyWithoutAccount();
  stage.sandbox.network.createAccount(key.publicKey(), lumens * LUMEN);
  return key;
}

/** The service on these accounts, which looks at their balances very often. */
const open = (options: Partial<FacilitatorOptions>, feeBalances: FeeBalances) =>
  stage.open({
    ...options,
    parts: { feeBalances, limits: { readBalancesEveryMs: READ_EVERY_MS } },
  });

const messages = ({ log }: Facilitator) => log.map(({ msg }) => msg);

test('below the floor of the fee account nothing is settled, but payments are verified', async () => {
  const facilitator = await open(
    { feeBump: account(2n) },
    { warningStroops: 40_000_000, floorStroops: 30_000_000 },
  );
  const sent = sends();
  const answer = await settle(facilitator);
  expect(answer).toMatchObject({
    status: 503,
    body: { success: false, transaction: '', errorReason: 'svc_fee_account_low' },
  });
  expect(answer.headers['retry-after']).toBe('1');
  expect(sends()).toBe(sent);
  expect(await facilitator.verify(newPayment().request)).toMatchObject({ isValid: true });
});

test('once the fee account is funded, payments settle again', async () => {
  const feeBump = account(2n);
  const facilitator = await open({ feeBump }, { warningStroops: undefined, floorStroops: 30_000_000 });
  expect((await settle(facilitator)).status).toBe(503);
  stage.sandbox.network.mint(feeBump.publicKey(), 90n * LUMEN, 'native');
  await expect.poll(async () => (await settle(facilitator)).body).toMatchObject({ success: true });
  expect(messages(facilitator)).toContain('a fee account is above its floor again');
});

test('without a fee account, submitters below the floor carry nothing, and the others go on', async () => {
  const [low, full] = [account(2n), account(90n)];
  const facilitator = await open(
    { submitters: [low, full] },
    { warningStroops: undefined, floorStroops: 30_000_000 },
  );
  const before = stage.sandbox.native(low.publicKey());
  for (let nth = 0; nth < 3; nth += 1)
    expect((await settle(facilitator)).body).toMatchObject({ success: true });
  expect(stage.sandbox.native(low.publicKey())).toBe(before);
});

test('a low balance is warned of once', async () => {
  const facilitator = await open(
    { feeBump: account(20n) },
    { warningStroops: 300_000_000, floorStroops: 10_000_000 },
  );
  const reads = stage.sandbox.calls.counts()['getLedgerEntries'] ?? 0;
  await expect.poll(() => stage.sandbox.calls.counts()['getLedgerEntries'] ?? 0).toBeGreaterThan(reads + 2);
  const warnings = messages(facilitator).filter((text) => text === 'a fee account is low: fund it soon');
  expect(warnings).toHaveLength(1);
  expect((await settle(facilitator)).body).toMatchObject({ success: true });
});

test('while the balances cannot be read, what was known of them counts', async () => {
  const facilitator = await open(
    { feeBump: account(2n) },
    { warningStroops: undefined, floorStroops: 30_000_000 },
  );
  expect((await settle(facilitator)).status).toBe(503);
  stage.sandbox.faults.add({ kind: 'hang', methods: ['getLedgerEntries'] });
  expect((await settle(facilitator)).status).toBe(503);
});
