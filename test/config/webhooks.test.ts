import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { configure, HIDDEN_VARIABLES } from '../../src/config/config.ts';
import { hiddenTexts } from '../../src/config/hiddenTexts.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { WEBHOOK_SECRET } from '../world/webhookReceiver.ts';

const SUBMITTER_SECRET = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).secret();
const URL_WITH_KEY = 'https://shop.example/hooks/0123456789?key=abcdefghij';

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

describe('webhooks', () => {
  test('are off unless they have a URL', () => {
    expect(accepted({}).config.webhooks).toBeUndefined();
    expect(accepted({ WEBHOOK_SECRET }).config.webhooks).toBeUndefined();
  });

  test.each([
    URL_WITH_KEY,
    'http://127.0.0.1:8080/hooks',
    'http://[::1]/hooks',
    'http://localhost/',
    'http://10.0.0.5/hooks',
    'http://billing:8080/hooks',
    'http://billing.internal/hooks',
  ])('go to %s', (url) => {
    const { config, secrets } = accepted({ WEBHOOK_URL: url, WEBHOOK_SECRET });
    expect([config.webhooks, secrets.webhookSecret]).toEqual([{ url }, WEBHOOK_SECRET]);
  });

  test.each<[string, RegExp]>([
    ['shop.example/hooks', /^WEBHOOK_URL must be an absolute https or http URL$/],
    ['ftp://shop.example', /^WEBHOOK_URL must be an absolute https or http URL$/],
    ['https:shop.example', /^WEBHOOK_URL must be an absolute https or http URL$/],
    ['https://me:pass@shop.example', /^WEBHOOK_URL must not hold a user name or a password/],
    ['http://shop.example/hooks', /^WEBHOOK_URL must be https, unless the receiver is on this machine/],
    ['http://8.8.8.8/hooks', /^WEBHOOK_URL must be https, unless the receiver is on this machine/],
    [`https://shop.example/${SUBMITTER_SECRET}`, /^WEBHOOK_URL holds a secret key/],
  ])('do not go to %s', (url, problem) => {
    expect(problems({ WEBHOOK_URL: url, WEBHOOK_SECRET })).toEqual([expect.stringMatching(problem)]);
  });

  test('need a secret', () => {
    expect(problems({ WEBHOOK_URL: URL_WITH_KEY })).toEqual([
      expect.stringMatching(/^WEBHOOK_SECRET is missing: /),
    ]);
  });

  test.each(['hunter2', `whsec_${btoa('x'.repeat(23))}`, `whsec_${btoa('x'.repeat(65))}`])(
    'need a good secret, not %s',
    (secret) => {
      expect(problems({ WEBHOOK_URL: URL_WITH_KEY, WEBHOOK_SECRET: secret })).toEqual([
        expect.stringMatching(/^WEBHOOK_SECRET must be whsec_ and 24 to 64 random bytes in base64/),
      ]);
    },
  );

  test('may have their secret in a file', () => {
    const path = join(temporaryFolder(), 'secret');
    writeFileSync(path, `${WEBHOOK_SECRET}\n`, { mode: 0o600 });
    const environment = { WEBHOOK_URL: URL_WITH_KEY, WEBHOOK_SECRET_FILE: path };
    expect(accepted(environment).secrets.webhookSecret).toBe(WEBHOOK_SECRET);
    writeFileSync(path, 'hunter2');
    expect(problems(environment)).toEqual([
      expect.stringMatching(/^WEBHOOK_SECRET_FILE names a file whose text must be whsec_/),
    ]);
  });

  test('show neither their secret nor the keys in their URL', () => {
    const { config, secrets } = accepted({ WEBHOOK_URL: URL_WITH_KEY, WEBHOOK_SECRET });
    expect(HIDDEN_VARIABLES).toContain('WEBHOOK_SECRET');
    expect(hiddenTexts(config, secrets)).toEqual(
      expect.arrayContaining([WEBHOOK_SECRET, '0123456789', 'abcdefghij']),
    );
  });
});
