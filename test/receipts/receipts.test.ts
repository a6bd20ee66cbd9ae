import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calculateJwkThumbprint, createLocalJWKSet, compactVerify, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { createReceipts, RECEIPT_EXTENSION, verifyReceipt } from '../../src/receipts/index.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { runInside } from '../support/cli.ts';
import { at } from '../support/contract.ts';

const [SEED, OTHER_SEED] = [7, 8].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [
  string,
  string,
];
const LEDGER = { ledger: 1_234_567, seconds: Date.UTC(2026, 10, 2, 9, 30) / 1_000 };
const PAID = {
  network: 'stellar:testnet',
  transaction: 'aa455972494b8e4769424f1ca7ba126b75b74b071b46ca2ad99dcf5055d0cb78',
  amount: 100_000n,
  asset: 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
  payer: 'GD2G5KR5AB25KF5W2GCUSMCWEM237QBNC27QNOTLMT23OTOD47PEKIGW',
  payTo: 'GCSQWJRSOBYYESHL2MW7QLPMNSRX3BVSIIIBAZCKEIFLGDJZRZXLYZWX',
  resource: 'https://api.example.com/weather',
};
const STATEMENT = {
  ...PAID,
  amount: '100000',
  ledger: LEDGER.ledger,
  time: '2026-11-02T09:30:00Z',
};

const receipts = createReceipts([SEED]);
const jwsOf = ({ receiptOf } = receipts, paid: Parameters<typeof receiptOf>[0] = PAID): string =>
  (receiptOf(paid, LEDGER)![RECEIPT_EXTENSION] as { jws: string }).jws;
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a receipt', () => {
  test('is a JSON Web Signature that another library believes, by keys that it can read', async () => {
    const keys = receipts.keys.keys.map((key) => ({ ...key }));
    const { payload, protectedHeader } = await compactVerify(jwsOf(), createLocalJWKSet({ keys }));
    expect(JSON.parse(new TextDecoder().decode(payload))).toEqual(STATEMENT);
    expect(protectedHeader).toEqual({
      alg: 'EdDSA',
      kid: await calculateJwkThumbprint(keys[0]!),
      typ: 'settlement-receipt+jws',
    });
  });

  test('is the one that the contract shows, with its key', () => {
    const examples = at('#/components/examples') as Record<string, { value: any }>;
    expect(receipts.receiptOf(PAID, LEDGER)).toEqual(examples['SettleReceipt']!.value.extensions);
    expect(receipts.keys).toEqual(examples['ReceiptKeys']!.value);
  });

  test('names no resource where the payload names none', () => {
    const { resource: _, ...others } = STATEMENT;
    const jws = jwsOf(receipts, { ...PAID, resource: undefined });
    expect(verifyReceipt(jws, receipts.keys)).toEqual({ statement: others });
  });

  test('is not given while nobody knows the ledger', () => {
    expect(receipts.receiptOf(PAID, undefined)).toBeUndefined();
  });

  test('is signed by the first key, and those of the others are still good', () => {
    const rotated = createReceipts([OTHER_SEED, SEED]);
    expect(rotated.keys.keys.map(({ kid }) => kid)).toEqual([
      decodeProtectedHeader(jwsOf(rotated)).kid,
      decodeProtectedHeader(jwsOf()).kid,
    ]);
    for (const jws of [jwsOf(rotated), jwsOf()])
      expect(verifyReceipt(jws, rotated.keys)).toEqual({ statement: STATEMENT });
    expect(verifyReceipt(jwsOf(rotated), receipts.keys)).toMatchObject({
      problem: expect.stringContaining('kid'),
    });
  });
});

describe('no receipt is believed', () => {
  const [head, body, signature] = jwsOf().split('.') as [string, string, string];
  const header = { alg: 'EdDSA', kid: receipts.keys.keys[0]!.kid, typ: 'settlement-receipt+jws' };
  const stranger = generateKeyPairSync('ed25519');
  const signedBy = (key: typeof stranger.privateKey, changed: object): string => {
    const text = `${encoded(changed)}.${body}`;
    return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
  };
  const strangersKey = { ...stranger.publicKey.export({ format: 'jwk' }), kid: header.kid };

  test.each<[string, string]>([
    ['whose statement was changed', `${head}.${encoded({ ...STATEMENT, amount: '1' })}.${signature}`],
    [
      'whose signature was changed',
      `${head}.${body}.${signature.replace(/^./, (a) => (a === 'A' ? 'B' : 'A'))}`,
    ],
    ['that a stranger has signed', signedBy(stranger.privateKey, header)],
    ['that is not signed', `${encoded({ ...header, alg: 'none' })}.${body}.`],
    ['that is no signature', 'x'],
    ['that has a line after it', `${jwsOf()}\nx`],
    ['whose head is no object', `${encoded([])}.${body}.${signature}`],
  ])('%s', (_, jws) => {
    expect(verifyReceipt(jws, receipts.keys)).toEqual({ problem: expect.any(String) });
  });

  test.each<[string, object]>([
    ['that is of another type', { ...header, typ: 'JWT' }],
    ['that names another algorithm', { ...header, alg: 'HS256' }],
    ['that names what must be understood', { ...header, crit: ['b64'], b64: false }],
  ])('%s, even if the key has signed it', (_, changed) => {
    const jws = signedBy(stranger.privateKey, changed);
    const keys = { keys: [strangersKey] };
    expect(verifyReceipt(signedBy(stranger.privateKey, header), keys)).toEqual({ statement: STATEMENT });
    expect(verifyReceipt(jws, keys)).toEqual({ problem: expect.stringContaining('not a receipt') });
  });

  test.each([undefined, null, 7, [], {}, { keys: 7 }, { keys: [null, 7] }, { keys: [{ kid: header.kid }] }])(
    'by the keys %j',
    (keys) => {
      expect(verifyReceipt(jwsOf(), keys)).toEqual({ problem: expect.stringContaining('kid') });
    },
  );
});

describe('the command verify-receipt', () => {
  const folder = temporaryFolder;
  function run(receipt: string, keys: string) {
    const place = folder();
    const [receiptFile, keysFile] = [join(place, 'receipt'), join(place, 'keys.json')];
    writeFileSync(receiptFile, receipt);
    writeFileSync(keysFile, keys);
    return runInside(['verify-receipt', receiptFile, keysFile], {});
  }
  const keys = JSON.stringify(receipts.keys);
  const answer = JSON.stringify({ success: true, extensions: receipts.receiptOf(PAID, LEDGER) });

  test.each<[string, string]>([
    ['the signature alone', `${jwsOf()}\n`],
    ['the answer of a settlement', answer],
    ["the buyer's header", Buffer.from(answer).toString('base64')],
  ])('shows what a good receipt states, given %s', async (_, receipt) => {
    const { code, stdout } = await run(receipt, keys);
    expect([code, JSON.parse(stdout)]).toEqual([0, STATEMENT]);
  });

  test('shows in ASCII what a receipt states, whatever the resource is called', async () => {
    const resource = 'https://x.example/\u001b[2J\u202e';
    const { stdout } = await run(jwsOf(receipts, { ...PAID, resource }), keys);
    expect(stdout).toMatch(/^[\x20-\x7e]+\n$/);
    expect(JSON.parse(stdout)).toMatchObject({ resource });
  });

  test.each<[string, string, string]>([
    ['a receipt of another key', jwsOf(createReceipts([OTHER_SEED])), keys],
    ['what is no receipt', '{"success":true}', keys],
    ['no keys', jwsOf(), 'x'],
    ['a file that is too large', 'x'.repeat(70_000), keys],
  ])('fails for %s, and shows nothing of it', async (_, receipt, keyText) => {
    expect(await run(receipt, keyText)).toMatchObject({ code: 1, stdout: '', stderr: expect.any(String) });
  });

  test('fails for files that are not there, and asks for both', async () => {
    expect(await runInside(['verify-receipt', '/nowhere', '/nowhere'], {})).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^<receipt> names \/nowhere, which cannot be read \(ENOENT\)/),
    });
    expect(await runInside(['verify-receipt', '/nowhere'], {})).toMatchObject({ code: 64 });
  });
});
