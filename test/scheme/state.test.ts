import { Keypair } from '@stellar/stellar-sdk';
import { expect, onTestFinished, test } from 'vitest';
import { UNLIMITED_BUDGET, type Scheme, type Sharing } from '../../src/scheme/index.ts';
import { LEAST_BALANCE_STROOPS } from '../../src/stellar/limits.ts';
import { CEILING_STROOPS, openScheme, type FacilitatorOptions } from '../support/service.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';

const FUNDS = 100_000_000_000;
const LEAST = Number(LEAST_BALANCE_STROOPS) + CEILING_STROOPS;

const stage = useStage();
const { newPayment, sent } = settlementsOn(stage);

async function open(options: Partial<FacilitatorOptions>): Promise<Scheme> {
  const { sandbox } = stage;
  const scheme = openScheme({ rpcUrl: sandbox.url, submitters: [sandbox.submitter()], ...options });
  onTestFinished(async () => {
    sandbox.faults.clear();
    await scheme.close();
  });
  await scheme.open();
  return scheme;
}

const settle = (scheme: Scheme) =>
  scheme.settle({
    ...newPayment().request,
    sender: 'seller',
    keyId: undefined,
    budget: UNLIMITED_BUDGET,
    listing: undefined,
  });

const statesOf = (scheme: Scheme) => scheme.state().accounts.map(({ state }) => state);
const reads = () => stage.sandbox.calls.counts()['getLedgerEntries'] ?? 0;

/** An account with so many stroops. */
function account(stroops: number): Keypair {
  const key = stage.sandbox.keyWithoutAccount();
  stage.sandbox.network.createAccount(key.publicKey(), BigInt(stroops));
  return key;
}

test('an account is busy while a payment has it, free before and after, and tells when it was used', async () => {
  const scheme = await open({});
  expect(scheme.state().accounts).toEqual([
    expect.objectContaining({ state: 'free', lastUsedAtMs: undefined, balanceStroops: FUNDS }),
  ]);
  stage.sandbox.stopLedgers();
  const settled = settle(scheme);
  await sent(1);
  await expect.poll(() => scheme.state().inFlight).toBe(1);
  expect(statesOf(scheme)).toEqual(['busy']);
  stage.sandbox.faults.clear();
  expect(await settled).toMatchObject({ success: true });
  expect(statesOf(scheme)).toEqual(['free']);
  expect(scheme.state().inFlight).toBe(0);
  const { lastUsedAtMs = 0 } = scheme.state().accounts[0]!;
  expect(Math.abs(Date.now() - lastUsedAtMs)).toBeLessThan(60_000);
});

test('payments that wait for an account are counted, with the wait of the first', async () => {
  const scheme = await open({});
  stage.sandbox.stopLedgers();
  const settled = [settle(scheme), settle(scheme), settle(scheme)];
  await expect.poll(() => scheme.state().waiting.payments).toBe(2);
  expect(scheme.state().waiting).toMatchObject({ places: 2, maxPlaces: 3_000 });
  expect(scheme.state().waiting.oldestMs).toBeGreaterThan(0);
  stage.sandbox.faults.clear();
  await Promise.all(settled);
  expect(scheme.state().waiting).toMatchObject({ payments: 0, places: 0, oldestMs: 0 });
});

test('accounts that do not exist are missing until they are funded', async () => {
  const key = stage.sandbox.keyWithoutAccount();
  const scheme = await open({ submitters: [key] });
  expect(scheme.state().accounts).toMatchObject([{ state: 'missing', balanceStroops: undefined }]);
  stage.sandbox.network.createAccount(key.publicKey(), BigInt(FUNDS));
  await expect
    .poll(async () => {
      await scheme.readBalances();
      return statesOf(scheme);
    })
    .toEqual(['free']);
});

test('without a floor, an account is low once it could not pay for one settlement', async () => {
  const scheme = await open({ submitters: [account(LEAST - 1), account(LEAST)] });
  expect(statesOf(scheme)).toEqual(['low', 'free']);
});

test('with a floor, an account is low below it', async () => {
  const scheme = await open({
    submitters: [account(LEAST + 8), account(LEAST + 9)],
    parts: { feeBalances: { warningStroops: undefined, floorStroops: LEAST + 9 } },
  });
  expect(statesOf(scheme)).toEqual(['low', 'free']);
});

test('with a fee account, only that one can be low', async () => {
  const feeBump = account(LEAST - 1);
  const scheme = await open({ submitters: [account(LEAST - 1)], feeBump });
  await scheme.readBalances();
  expect(statesOf(scheme)).toEqual(['free']);
  expect(scheme.state().feeBump).toEqual({
    address: feeBump.publicKey(),
    balanceStroops: LEAST - 1,
    isLow: true,
  });
});

test('an account that the network rejects rests', async () => {
  const { sandbox } = stage;
  const scheme = await open({ submitters: [sandbox.submitter(), sandbox.submitter()] });
  sandbox.faults.add({ kind: 'sendStatus', status: 'ERROR', result: 'txNoAccount', times: 1 });
  expect(await settle(scheme)).toMatchObject({ success: false });
  expect(statesOf(scheme).toSorted()).toEqual(['free', 'resting']);
});

test('accounts that another instance has are elsewhere', async () => {
  const unused = (): void => {};
  const sharing: Sharing = {
    open: async () => {},
    need: unused,
    giveUp: () => false,
    noteLoss: unused,
    settledElsewhere: async () => {},
    drain: unused,
    close: async () => {},
  };
  expect(statesOf(await open({ parts: { sharing } }))).toEqual(['elsewhere']);
});

test('balances are read once for all who ask within a ledger, and so is a failure', async () => {
  let now = 1_000_000;
  const scheme = await open({ parts: { now: () => now } });
  const before = reads();
  await Promise.all([scheme.readBalances(), scheme.readBalances()]);
  await scheme.readBalances();
  expect(reads()).toBe(before + 1);
  now += 10_000;
  stage.sandbox.faults.add({ kind: 'httpStatus', status: 500, methods: ['getLedgerEntries'], times: 1 });
  await expect(scheme.readBalances()).rejects.toThrow('HTTP status 500');
  await expect(scheme.readBalances()).rejects.toThrow('HTTP status 500');
  now += 10_000;
  await scheme.readBalances();
  expect(reads()).toBe(before + 3);
});

test('balances are read as they are on the ledger', async () => {
  const submitter = stage.sandbox.submitter();
  let now = 1_000_000;
  const scheme = await open({ submitters: [submitter], parts: { now: () => now } });
  stage.sandbox.network.mint(submitter.publicKey(), 5n, 'native');
  stage.sandbox.network.closeLedger();
  now += 10_000;
  await scheme.readBalances();
  expect(scheme.state().accounts[0]!.balanceStroops).toBe(FUNDS + 5);
});

test('the ledger lags for as long as no later one was seen', async () => {
  const scheme = await open({});
  await scheme.readBalances();
  const { latest, lagMs = NaN } = scheme.state().ledger;
  expect(latest).toBeGreaterThan(0);
  expect(lagMs).toBeGreaterThanOrEqual(0);
  await expect.poll(() => scheme.state().ledger.lagMs).toBeGreaterThan(lagMs + 20);
});
