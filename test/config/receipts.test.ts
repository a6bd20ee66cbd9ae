import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { configure, HIDDEN_VARIABLES } from '../../src/config/config.ts';
import { hiddenTexts } from '../../src/config/hiddenTexts.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';

const SUBMITTER_SECRET = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).secret();
const seed = (byte: number): string => Buffer.alloc(32, byte).toString('base64');

const configured = (environment: Record<string, string>) =>
  configure({ SUBMITTER_SECRET, DB_PATH: ':memory:', ...environment });

function accepted(environment: Record<string, string>) {
  const result = configured(environment);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result;
}

function problems(environment: Record<string, string>): string[] {
  const result = configured(environment);
  return 'problems' in result ? result.problems.map(({ variable, text }) => `${variable} ${text}`) : [];
}

describe('receipts', () => {
  test('are off unless they have a key', () => {
    expect(accepted({}).secrets.receiptSeeds).toBeUndefined();
  });

  test('may have several keys, the newest first, also in a file', () => {
    const seeds = [seed(7), seed(8)];
    expect(accepted({ RECEIPT_SECRET: seeds.join(', ') }).secrets.receiptSeeds).toEqual(seeds);
    const path = join(temporaryFolder(), 'receipts');
    writeFileSync(path, `${seeds.join('\n')}\n`, { mode: 0o600 });
    expect(accepted({ RECEIPT_SECRET_FILE: path }).secrets.receiptSeeds).toEqual(seeds);
  });

  test.each<[string, RegExp]>([
    ['hunter2', /^RECEIPT_SECRET must be 32 random bytes in base64: openssl rand -base64 32$/],
    [SUBMITTER_SECRET, /^RECEIPT_SECRET must be 32 random bytes/],
    [Buffer.alloc(31, 7).toString('base64'), /^RECEIPT_SECRET must be 32 random bytes/],
    [`${seed(7)},`, /^RECEIPT_SECRET must be 32 random bytes/],
    [`${seed(7)},${seed(7)}`, /^RECEIPT_SECRET names a key twice$/],
    [Array.from({ length: 17 }, (_, n) => seed(n)).join(','), /^RECEIPT_SECRET must hold at most 16 keys$/],
  ])('refuse the keys %s, and do not repeat them', (secret, problem) => {
    expect(problems({ RECEIPT_SECRET: secret })).toEqual([expect.stringMatching(problem)]);
  });

  test('refuse a file with what is no key', () => {
    const path = join(temporaryFolder(), 'receipts');
    writeFileSync(path, 'hunter2', { mode: 0o600 });
    expect(problems({ RECEIPT_SECRET_FILE: path })).toEqual([
      expect.stringMatching(/^RECEIPT_SECRET_FILE names a file whose text must be 32 random bytes/),
    ]);
  });

  test('never show their keys', () => {
    const { config, secrets } = accepted({ RECEIPT_SECRET: `${seed(7)},${seed(8)}` });
    expect(HIDDEN_VARIABLES).toContain('RECEIPT_SECRET');
    expect(hiddenTexts(config, secrets)).toEqual(expect.arrayContaining([seed(7), seed(8)]));
    expect(JSON.stringify(config)).not.toContain(seed(7));
  });
});
