import { describe, expect, test } from 'vitest';
import { readTime } from '../../src/cli/payments/times.ts';
import { runPayments } from './support.ts';

const NOW = Date.UTC(2026, 10, 23, 8, 20);

describe('a time', () => {
  test.each([
    ['2026-11-23', '2026-11-23T00:00:00.000Z'],
    ['2026-11-23T08:00', '2026-11-23T08:00:00.000Z'],
    ['2026-11-23 08:00:01', '2026-11-23T08:00:01.000Z'],
    ['2026-11-23T08:00:01.250Z', '2026-11-23T08:00:01.250Z'],
    ['2026-11-23T08:00+02:00', '2026-11-23T06:00:00.000Z'],
    ['90s', '2026-11-23T08:18:30.000Z'],
    ['30m', '2026-11-23T07:50:00.000Z'],
    ['2h', '2026-11-23T06:20:00.000Z'],
    ['7d', '2026-11-16T08:20:00.000Z'],
    ['1w', '2026-11-16T08:20:00.000Z'],
  ])('is %s', (text, iso) => {
    expect(readTime(text, NOW)?.toISOString()).toBe(iso);
  });

  test.each([
    '',
    '2',
    'h',
    '2y',
    '-2h',
    '2.5h',
    'yesterday',
    '2026',
    '2026-02-31',
    '2026-13-01',
    '2026-11-23T25:00',
    '23.11.2026',
  ])('is not %j', (text) => {
    expect(readTime(text, NOW)).toBeUndefined();
  });
});

describe('wrong usage exits 64 and says what is wrong', () => {
  test.each([
    [['list'], "Unexpected argument 'list'"],
    [['--sum'], "Unknown option '--sum'"],
    [['--pending', '--status', 'failed'], 'give --pending or --status, not both'],
    [['--status', 'success'], '--status must be one of pending, settled, failed'],
    [['--status', 'toString'], '--status must be one of'],
    [['--caller', 'me'], '--caller needs key:<id>, or anonymous'],
    [['--json', '--csv'], 'give --json or --csv, not both'],
    [['--audit', '--csv'], '--csv does not go with --audit'],
    [['--since', 'yesterday'], '--since needs a time such as'],
    [['--until', '2026-02-31'], '--until needs a time such as'],
    [['--since', '1h', '--until', '2h'], '--since must be before --until'],
    [['--payer', 'me'], '--payer needs a Stellar address'],
    [['--payTo', 'G1'], '--payTo needs a Stellar address'],
    [['--asset', 'USDC'], "--asset needs the address of the asset's contract"],
    [['--code', ''], '--code needs a code'],
    [['--limit', '0'], '--limit must be a whole number'],
    [['--limit', '1e3'], '--limit must be a whole number'],
    [['show'], '<hash> is missing'],
    [['show', 'abc'], "<hash> must be a transaction's hash"],
    [['show', 'x'.repeat(64)], "<hash> must be a transaction's hash"],
    [['show', 'a'.repeat(64), '--csv'], "Unknown option '--csv'"],
  ])('%j', async (args, problem) => {
    const { code, stdout, stderr } = await runPayments({}, ...args);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toContain(problem);
    expect(stderr).toMatch(/See: npx stellar-facilitator payments --help\n$/);
  });
});

test.each([
  [{ NETWORK: 'stellar:mars' }, 'NETWORK must be one of'],
  [{ NETWORK: 'stellar:pubnet' }, 'RPC_URL is missing'],
  [{ RPC_URL: 'ftp://x' }, 'RPC_URL must be an absolute http or https URL'],
])('an audit with %o exits 78', async (environment, problem) => {
  const { code, stderr } = await runPayments(environment, '--audit');
  expect(code).toBe(78);
  expect(stderr).toContain(problem);
});

test('help explains everything', async () => {
  const { code, stdout } = await runPayments({}, '--help');
  expect(code).toBe(0);
  for (const word of [
    '--pending',
    '--status',
    '--caller',
    '--since',
    '--until',
    '--payer',
    '--payTo',
    '--asset',
    '--code',
    '--limit',
  ])
    expect(stdout).toContain(word);
  expect(stdout).toContain(
    '\n  npx stellar-facilitator payments show <hash> [--json]\n  npx stellar-facilitator payments --audit',
  );
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
});
