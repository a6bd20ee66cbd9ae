import { expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { hiddenTexts } from '../../src/config/hiddenTexts.ts';
import { CHECK_SECRET } from '../support/policy.ts';

const config = { rpcUrls: ['https://rpc.test'] } as unknown as Config;
const hidden = (databaseUrl: string): string[] =>
  hiddenTexts(config, { submitterSecrets: [], feeBumpSecret: undefined, databaseUrl });

test("the password of the database's URL is hidden, as it stands and decoded", () => {
  expect(hidden('postgres://us:se%2Fcret@db.test/name')).toEqual(['se%2Fcret', 'se/cret']);
});

test('so is one that is a parameter', () => {
  expect(hidden('postgres://us@db.test/name?password=secret')).toEqual(['secret']);
});

test('a password that occurs all over an ordinary text is not', () => {
  expect(hidden('postgres://us:a@db.test/name')).toEqual([]);
});

test("the secret of the policy's check is hidden", () => {
  const secrets = { submitterSecrets: [], feeBumpSecret: undefined, policyCheckSecret: CHECK_SECRET };
  expect(hiddenTexts(config, secrets)).toEqual([CHECK_SECRET]);
});
