import { Keypair } from '@stellar/stellar-sdk';
import { expect, test } from 'vitest';
import { toConfig, type Config } from '../../src/config/config.ts';

function configOf(environment: Record<string, string>): Config {
  const configured = toConfig({ SUBMITTER_SECRET: Keypair.random().secret(), ...environment });
  if ('problems' in configured) throw new Error(JSON.stringify(configured.problems));
  return configured.config;
}

test('without SERVING nothing is limited, and there is nothing to show', () => {
  const { callers, feeBalances, serving } = configOf({});
  const { limits, anonymousFeeBudgetStroops, serviceFeeBudgetStroops } = callers;
  const set = { ...limits, anonymousFeeBudgetStroops, serviceFeeBudgetStroops, ...feeBalances };
  expect(Object.values(set).filter((value) => value !== undefined)).toEqual([]);
  expect(serving).toEqual({});
});

test('SERVING=strangers limits rates, fees and what a payment may be, and shows it', () => {
  const { policy, callers, feeBalances, serving } = configOf({ SERVING: 'strangers' });
  expect(policy).toMatchObject({ refusesZero: true, refusesSelf: true });
  expect(callers.limits).toMatchObject({
    verifiesPerMinute: expect.any(Number),
    settlesPerMinute: expect.any(Number),
    settlementsInFlight: expect.any(Number),
    connections: expect.any(Number),
  });
  expect(callers).toMatchObject({
    needKey: false,
    anonymousFeeBudgetStroops: 50_000_000,
    serviceFeeBudgetStroops: 200_000_000,
  });
  expect(feeBalances!.warningStroops).toBeGreaterThan(feeBalances!.floorStroops!);
  expect(serving).toMatchObject({ SERVING: 'strangers', ANONYMOUS_FEE_BUDGET_STROOPS: '50000000' });
});

test('each setting of a preset may be set by itself, or turned off', () => {
  const { policy, callers } = configOf({
    SERVING: 'strangers',
    REFUSE_ZERO_PAYMENTS: 'off',
    ANONYMOUS_FEE_BUDGET_STROOPS: '7',
    SERVICE_FEE_BUDGET_STROOPS: 'off',
  });
  expect(policy).toMatchObject({ refusesZero: false, refusesSelf: true });
  expect(callers).toMatchObject({ anonymousFeeBudgetStroops: 7, serviceFeeBudgetStroops: undefined });
});
