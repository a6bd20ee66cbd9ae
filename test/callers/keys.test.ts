import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { journalPathOf } from '../../src/config/databasePath.ts';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { ask, JSON_TYPE, post, type Answer } from '../http/support.ts';
import { requestFor } from '../support/payments.ts';
import { useStage } from '../support/serviceStage.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import type { Facilitator, FacilitatorOptions } from '../support/service.ts';
import { bearer, makeKey, storeInFile, type MadeKey, type StoreOfKeys } from './stores.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment } = settlementsOn(stage);

const PUBLIC = ['/supported', '/health', '/discovery/resources', '/discovery/search?query=weather'];
const NEW_KEY = `sf_${'0'.repeat(12)}_${'A'.repeat(43)}`;

let store: StoreOfKeys;
let key: MadeKey;
beforeEach(async () => {
  store = storeInFile();
  key = await makeKey(store);
});

const open = (callers: NonNullable<FacilitatorOptions['callers']>): Promise<Facilitator> =>
  stage.open({ ...store.options, callers });

const text = (): string => JSON.stringify(newPayment().request);
const pay = (url: string, path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  post(url + path, text(), { ...JSON_TYPE, ...headers });

const challenge = 'Bearer realm="stellar-facilitator"';
const wrongKey = `${challenge}, error="invalid_token"`;
const refused = (authenticate: string) => ({
  status: 401,
  headers: expect.objectContaining({ 'www-authenticate': authenticate }),
});

describe('a service that needs keys', () => {
  test('verifies and settles for a caller with a key', async () => {
    const { url } = await open({ needKey: true });
    expect((await pay(url, '/verify', bearer(key.text))).body).toMatchObject({ isValid: true });
    expect((await pay(url, '/settle', bearer(key.text))).body).toMatchObject({ success: true });
  });

  test('refuses a caller without a key, in the shape of the endpoint', async () => {
    const { url } = await open({ needKey: true, discoveryNeedsKey: true });
    const verify = await pay(url, '/verify');
    expect(verify).toMatchObject(refused(challenge));
    expect(verify.body).toEqual({
      isValid: false,
      invalidReason: 'svc_unauthorized',
      invalidMessage: expect.stringMatching(/needs a key/),
    });
    const settle = await pay(url, '/settle');
    expect(settle).toMatchObject(refused(challenge));
    expect(settle.body).toMatchObject({
      success: false,
      errorReason: 'svc_unauthorized',
      transaction: '',
      network: 'stellar:testnet',
    });
    for (const path of PUBLIC)
      expect(await ask(url + path)).toMatchObject({
        ...refused(challenge),
        body: { error: { code: 'svc_unauthorized' } },
      });
  });

  test.each<[what: string, header: (key: MadeKey) => string, authenticate: string]>([
    ['of another scheme', () => `Basic ${btoa('a:b')}`, challenge],
    ['without a token', () => 'Bearer', challenge],
    ['with a token of another kind', () => 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x', wrongKey],
    ['with an unknown id', () => `Bearer ${NEW_KEY}`, wrongKey],
    ['with another secret', ({ id }) => `Bearer sf_${id}_${'A'.repeat(43)}`, wrongKey],
    ['with a key that was cut off', ({ text }) => `Bearer ${text.slice(0, -1)}`, wrongKey],
    ['with a longer key', ({ text }) => `Bearer ${text}A`, wrongKey],
    [
      'with an id in capitals',
      ({ text }) => `Bearer ${text.slice(0, 15).toUpperCase()}${text.slice(15)}`,
      wrongKey,
    ],
    ['with the key alone', ({ text }) => text, challenge],
  ])('refuses a header %s', async (_what, header, authenticate) => {
    const { url } = await open({ needKey: true });
    expect(await pay(url, '/verify', { authorization: header(key) })).toMatchObject(refused(authenticate));
  });

  test.each(['bearer', 'BEARER', 'Bearer  '])('takes the scheme in any case: %j', async (scheme) => {
    const { url } = await open({ needKey: true });
    const answer = await pay(url, '/verify', { authorization: `${scheme} ${key.text}` });
    expect(answer.body).toMatchObject({ isValid: true });
  });

  test('refuses a key whose stored hash is damaged', async () => {
    using db = new DatabaseSync(journalPathOf(store.options.dbPath!));
    db.exec("UPDATE caller_key SET secret_hash = x'00'");
    const { url } = await open({ needKey: true });
    expect(await pay(url, '/verify', bearer(key.text))).toMatchObject(refused(wrongKey));
  });

  test('keeps discovery, /supported and /health public, unless told otherwise', async () => {
    const { url } = await open({ needKey: true });
    for (const path of PUBLIC) expect((await ask(url + path)).status).toBe(200);
    const closed = await open({ needKey: true, discoveryNeedsKey: true });
    for (const path of PUBLIC) {
      expect((await ask(closed.url + path, { headers: bearer(key.text) })).status).toBe(200);
      expect((await ask(closed.url + path, { headers: bearer(NEW_KEY) })).status).toBe(401);
      expect((await ask(closed.url + path, { method: 'HEAD' })).status).toBe(401);
    }
  });

  test('does not read the body of a caller without a key', async () => {
    const { url } = await open({ needKey: true });
    const long = 'x'.repeat(HTTP_LIMITS.maxBodyBytes + 1);
    expect((await post(`${url}/settle`, long)).status).toBe(401);
    expect((await post(`${url}/settle`, long, { ...JSON_TYPE, ...bearer(key.text) })).status).toBe(413);
  });

  test('answers routes that do not exist as ever', async () => {
    const { url } = await open({ needKey: true, discoveryNeedsKey: true });
    expect((await ask(`${url}/nowhere`)).status).toBe(404);
  });

  test.each([true, false])('says in /supported that it needs a key: %s', async (needKey) => {
    const { url } = await open({ needKey, discoveryNeedsKey: true });
    const { body } = await ask(`${url}/supported`, { headers: bearer(key.text) });
    expect(body).toMatchObject({
      kinds: [
        { extra: needKey ? { areFeesSponsored: true, requiresKey: true } : { areFeesSponsored: true } },
      ],
    });
    const [kind] = (body as { kinds: { extra: object }[] }).kinds;
    expect(Object.hasOwn(kind!.extra, 'requiresKey')).toBe(needKey);
  });

  test('settles a payment whose terms repeat that a key is needed', async () => {
    const { url } = await open({ needKey: true });
    const { request, transaction } = newPayment();
    const terms = { ...request.paymentRequirements, extra: { areFeesSponsored: true, requiresKey: true } };
    const { body } = await post(`${url}/settle`, JSON.stringify(requestFor(terms, transaction)), {
      ...JSON_TYPE,
      ...bearer(key.text),
    });
    expect(body).toMatchObject({ success: true });
  });
});

describe('a service that is open to all', () => {
  test('takes no notice of a header that is not meant for it', async () => {
    const { url } = await open({});
    for (const authorization of [`Basic ${btoa('a:b')}`, 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x', 'nonsense'])
      expect((await pay(url, '/verify', { authorization })).body).toMatchObject({ isValid: true });
  });

  test('refuses a key that is wrong, on every endpoint', async () => {
    const { url } = await open({});
    for (const path of ['/verify', '/settle'])
      expect(await pay(url, path, bearer(NEW_KEY))).toMatchObject(refused(wrongKey));
    for (const path of PUBLIC)
      expect(await ask(url + path, { headers: bearer('sf_') })).toMatchObject(refused(wrongKey));
  });
});

describe('the log', () => {
  test('names the key of a caller by its id, wherever a key was shown, and never shows its secret', async () => {
    const { url, log } = await open({});
    await pay(url, '/settle', bearer(key.text));
    await ask(`${url}/health`, { headers: bearer(key.text) });
    await ask(`${url}/supported`);
    await ask(`${url}/health`, { headers: bearer(`${key.text}x`) });
    const requests = log.filter(({ msg }) => msg === 'request').map(({ path, caller }) => [path, caller]);
    expect(requests).toEqual([
      ['/settle', `key:${key.id}`],
      ['/health', `key:${key.id}`],
      ['/supported', 'anonymous'],
      ['/health', 'anonymous'],
    ]);
    expect(JSON.stringify(log)).not.toContain(key.text.slice(16));
  });
});
