import { expect, test } from 'vitest';
import { demo, secretsIn } from './run.ts';

test('an agent with nothing but the tool server finds a resource, pays for one call, and finds its receipt on the ledger', async () => {
  const { output, exitCode } = demo('--agent');
  expect(await exitCode, output.stderr).toBe(0);
  const { stdout, stderr } = output;
  expect(stderr).toBe('');
  const steps = [...stdout.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
  expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(stdout).toMatch(/hit 1 +Sunny Side Forecasts, .*\/weather, 0\.01 USDC\n +hit 2 +Salty Tables/);
  expect(stdout).toMatch(/result +\{"city":"Porto","weather":"sunny","celsius":21\}\n +payment +settled\n/);
  expect(stdout).toMatch(/transaction +[0-9a-f]{64}\n +ledger +\d+\n/);
  expect(stdout).toMatch(/buyer +[\d.]+ \(\d+\) +[\d.]+ \(\d+\) +-0\.01 \(-100000\)\n/);
  expect(stdout).toContain('svc_mcp_payment_declined_by_policy');
  expect(secretsIn(stdout + stderr)).toEqual([]);
});

test('with --wallets contract accounts pay, are refused or fail on the ledger, exit code 0', async () => {
  const { output, exitCode } = demo('--wallets');
  expect(await exitCode, output.stderr).toBe(0);
  const { stdout, stderr } = output;
  expect(stderr).toBe('');
  expect(stdout.match(/Checked: the wallet paid 0\.01 USDC and no lumens\./g)).toHaveLength(4);
  const refusals = [...stdout.matchAll(/^ +402 +(\S+)$/gm)].map(([, code]) => code);
  expect(refusals).toEqual([
    'invalid_exact_stellar_payload_simulation_failed',
    'invalid_exact_stellar_payload_fee_exceeds_maximum',
    'settle_exact_stellar_transaction_failed',
  ]);
  expect(new Set(stdout.match(/payer +C[A-Z2-7]{55}/g)).size).toBe(7);
  expect(secretsIn(stdout)).toEqual([]);
});
