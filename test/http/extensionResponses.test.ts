import { describe, expect, test } from 'vitest';
import type { Catalog } from '../../src/catalog/index.ts';
import { catalogCodes, type BazaarOutcome } from '../../src/contract/index.ts';
import { at } from '../support/contract.ts';
import { JSON_TYPE, payment, post, requirements, startService } from './support.ts';

const HEADER = 'extension-responses';
const extensions = { bazaar: { info: { input: { type: 'http', method: 'GET' } }, schema: {} } };
const sent = { ...payment, paymentPayload: { ...payment.paymentPayload, extensions } };
const text = JSON.stringify(sent);

/** The header of a settlement whose listing ends like this. */
async function headerFor(outcome: BazaarOutcome | undefined): Promise<string | undefined> {
  const { url } = await startService({}, { submit: async () => outcome });
  return (await post(`${url}/settle`, text)).headers[HEADER];
}

const base64 = (json: string): string => Buffer.from(json, 'utf8').toString('base64');

describe('a settled payment', () => {
  test('is submitted to the catalog with what was echoed of it, and the terms that it was settled under', async () => {
    const { url, catalog } = await startService();
    const { body } = await post(`${url}/settle`, text);
    const { transaction, payer } = body as { transaction: string; payer: string };
    // Empty fields say nothing.
    const resource = { url: 'https://api.example.com/weather' };
    expect(catalog.submitted).toEqual([
      { extensions, resource, requirements, isStellarAsset: false, payer, transaction },
    ]);
  });

  test('is submitted whatever its resource is, and not where it asks for no listing', async () => {
    const { url, catalog } = await startService();
    for (const value of [undefined, null, 7, 'x', [], {}]) {
      const paymentPayload = { ...payment.paymentPayload, extensions, resource: value };
      for (const asked of [paymentPayload, { ...paymentPayload, extensions: value }]) {
        const body = JSON.stringify({ ...payment, paymentPayload: asked });
        expect(await post(`${url}/settle`, body)).toMatchObject({ body: { success: true } });
      }
      expect(catalog.submitted.at(-1)).toEqual({
        ...{ extensions, resource: value, requirements },
        isStellarAsset: false,
        payer: expect.any(String),
        transaction: expect.any(String),
      });
    }
    expect(catalog.submitted).toHaveLength(6);
  });

  test('whose extensions are too large is submitted with the reason alone', async () => {
    const { url, catalog } = await startService();
    const paymentPayload = {
      ...payment.paymentPayload,
      extensions: { ...extensions, more: 'x'.repeat(70_000) },
    };
    await post(`${url}/settle`, JSON.stringify({ ...payment, paymentPayload }));
    expect(catalog.submitted).toMatchObject([
      { extensions: null, refusal: { code: 'bazaar_extensions_too_large' } },
    ]);
  });

  test('that is listed says so in the header', async () => {
    const header = await headerFor({ status: 'success' });
    expect(header).toBe('eyJiYXphYXIiOnsic3RhdHVzIjoic3VjY2VzcyJ9fQ==');
  });

  test.each(catalogCodes)('that is not listed says why in the header: %s', async (code) => {
    const header = await headerFor({ status: 'rejected', rejectedReason: 'why', code });
    expect(header).toBe(base64(`{"bazaar":{"status":"rejected","rejectedReason":"why","code":"${code}"}}`));
  });

  test('that is not listed has the header that the contract shows', async () => {
    const examples = at('#/paths/~1settle/post/responses/200/headers/EXTENSION-RESPONSES/examples') as Record<
      string,
      { value: string }
    >;
    const header = await headerFor({
      status: 'rejected',
      rejectedReason: 'The listing belongs to another payTo.',
      code: 'bazaar_listing_owned_by_other_payee',
    });
    expect(header).toBe(examples['rejected']?.value);
    expect(await headerFor({ status: 'success' })).toBe(examples['listed']?.value);
  });

  test('may be told why in any characters', async () => {
    const rejectedReason = 'Zürich 天気 🌦 "\r\nset-cookie: a=b\u2028';
    const header = await headerFor({
      status: 'rejected',
      rejectedReason,
      code: 'bazaar_spec_validation_failed',
    });
    expect(header).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(JSON.parse(Buffer.from(header!, 'base64').toString('utf8'))).toMatchObject({
      bazaar: { rejectedReason },
    });
  });

  test('that had nothing to list has no header', async () => {
    expect(await headerFor(undefined)).toBeUndefined();
  });
});

describe('the settlement is the same, byte for byte, when the catalog', () => {
  const broken = (): never => {
    throw new Error('disk on fire');
  };
  const catalogs: [what: string, submit: Catalog['submit'], header: boolean][] = [
    ['lists the resource', async () => ({ status: 'success' }), true],
    [
      'rejects the resource',
      async () => ({ status: 'rejected', rejectedReason: 'why', code: 'bazaar_schema_too_complex' }),
      true,
    ],
    ['has nothing to say', async () => undefined, false],
    ['is slow', () => new Promise((resolve) => setTimeout(resolve, 200, { status: 'success' })), true],
    ['rejects the call', async () => broken(), false],
    ['throws', broken, false],
    ['answers what no JSON can hold', async () => ({ status: 'success', ledger: 7n }), false],
    [
      'changes what it was given',
      async ({ requirements: terms }) => {
        Object.assign(terms, { network: 'stellar:pubnet', amount: '0' });
        return undefined;
      },
      false,
    ],
  ];
  test.each(catalogs)('%s', async (_what, submit, header) => {
    const { url } = await startService({}, { submit });
    const plain = await startService();
    const settle = (base: string) =>
      fetch(`${base}/settle`, { method: 'POST', body: text, headers: JSON_TYPE });
    const [answer, undisturbed] = await Promise.all([settle(url), settle(plain.url)]);
    expect(answer.status).toBe(200);
    expect(answer.headers.has(HEADER)).toBe(header);
    expect(await answer.text()).toBe(await undisturbed.text());
    expect(await post(`${url}/settle`, text)).toMatchObject({ status: 200, body: { success: true } });
  });
});

describe('what did not settle is not submitted, and has no header', () => {
  const listsEverything = { submit: async (): Promise<BazaarOutcome> => ({ status: 'success' }) };

  test('a payment that the scheme refuses', async () => {
    const refusal = { success: false, transaction: '', network: 'stellar:testnet' };
    const settle = async () => ({ ...refusal, errorReason: 'verification_failed' as const });
    const { url, catalog } = await startService({ settle }, listsEverything);
    const answer = await post(`${url}/settle`, text);
    expect(answer).toMatchObject({ status: 200, body: { success: false } });
    expect(answer.headers).not.toHaveProperty(HEADER);
    expect(catalog.submitted).toEqual([]);
  });

  test('a settlement that ends in a fault', async () => {
    const settle = async () => Promise.reject(new Error('no answer'));
    const { url, catalog } = await startService({ settle }, listsEverything);
    expect((await post(`${url}/settle`, text)).status).toBe(500);
    expect(catalog.submitted).toEqual([]);
  });

  test.each([
    ['a kind that is not served', { ...sent, paymentRequirements: { ...requirements, network: 'x:y' } }, 200],
    ['an envelope that cannot be read', { ...sent, paymentRequirements: null }, 400],
  ])('%s', async (_what, body, status) => {
    const { url, catalog } = await startService({}, listsEverything);
    const answer = await post(`${url}/settle`, JSON.stringify(body));
    expect(answer.status).toBe(status);
    expect(answer.headers).not.toHaveProperty(HEADER);
    expect(catalog.submitted).toEqual([]);
  });

  test('a payment that is only verified', async () => {
    const { url, catalog } = await startService({}, listsEverything);
    const answer = await post(`${url}/verify`, text);
    expect(answer).toMatchObject({ status: 200, body: { isValid: true } });
    expect(answer.headers).not.toHaveProperty(HEADER);
    expect(catalog.submitted).toEqual([]);
  });
});
