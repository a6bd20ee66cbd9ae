import { Keypair } from '@stellar/stellar-sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { createActs } from '../../src/handlers/sellers/acts.ts';
import { SELLER_LIMITS } from '../../src/handlers/sellers/limits.ts';
import { createReads } from '../../src/handlers/sellers/reads.ts';
import { muxed } from '../catalog/sellers.ts';
import { withListing } from '../operator/observed.ts';
import { AMOUNT, USDC } from '../support/payments.ts';
import { encodeAttempt } from '../support/paymentsAttempt.ts';
import { SERVICE, signed, type Place } from '../support/sellerMessages.ts';
import { openFacilitator, silent, type Facilitator } from '../support/service.ts';
import { useStage } from '../support/serviceStage.ts';
import { ask, post, type Answer } from './support.ts';

const stage = useStage({ withFeeBump: false });
let facilitator: Facilitator;
beforeAll(async () => {
  const { options } = stage;
  const catalog = await openCatalog({ dbPath: ':memory:', log: silent, limits: { submitBudgetMs: 20_000 } });
  facilitator = await openFacilitator({
    ...options,
    submitters: [stage.sandbox.submitter()],
    catalog,
    listingOperations: SERVICE,
  });
  return () => facilitator.close();
});

/** Pays for a resource by its name, and expects that it is listed or refreshed. Returns the transaction. */
async function sell(seller: Keypair, name: string, payTo = seller.publicKey()): Promise<string> {
  const request = encodeAttempt(stage.payment({ payTo }));
  const answer = await facilitator.settle(withListing(request, name));
  expect(answer).toMatchObject({ success: true });
  return answer.transaction;
}

async function listed(payTo: string): Promise<string[]> {
  const { body } = await ask(`${facilitator.url}/discovery/resources?payTo=${payTo}`);
  return (body as { items: { resource: string }[] }).items.map(({ resource }) => resource);
}

const urlOf = (name: string) => `https://api.example.com/${name}`;
const send = (path: string, body: unknown, { url } = facilitator): Promise<Answer> =>
  post(`${url}/discovery/listings/${path}`, JSON.stringify(body));
const order = (key: Keypair, action: string, name: string, fields = {}, place: Partial<Place> = {}) =>
  signed(key, { action, ...place }, { resource: urlOf(name), type: 'http', ...fields });
const ago = (ms: number) => ({ signedAt: new Date(Date.now() - ms).toISOString() });
const refusal = (status: number, code: string) => ({ status, body: { error: { code } } });

let names = 0;
/** A seller that can be paid, and a listing of its own. */
async function sellerWithListing(): Promise<{ seller: Keypair; name: string; transaction: string }> {
  const seller = stage.sandbox.account(0n);
  const name = `thing-${(names += 1)}`;
  return { seller, name, transaction: await sell(seller, name) };
}

describe('a recipient', () => {
  test('hides its listing from lists, through later payments, and shows it again', async () => {
    const { seller, name } = await sellerWithListing();
    const payTo = seller.publicKey();
    expect(await listed(payTo)).toEqual([urlOf(name)]);
    expect(await send('hide', order(seller, 'hide', name))).toMatchObject({
      status: 200,
      body: { status: 'hidden' },
    });
    expect(await listed(payTo)).toEqual([]);
    await sell(seller, name);
    expect(await listed(payTo)).toEqual([]);
    expect(await send('restore', order(seller, 'restore', name))).toMatchObject({
      status: 200,
      body: { status: 'shown' },
    });
    expect(await listed(payTo)).toEqual([urlOf(name)]);
  });

  test('that is a muxed account signs by the account behind it', async () => {
    const seller = stage.sandbox.account(0n);
    const recipient = muxed(seller.publicKey(), 7n);
    await sell(seller, 'muxed', recipient);
    expect(await send('hide', order(seller, 'hide', 'muxed'))).toMatchObject(
      refusal(404, 'svc_unknown_listing'),
    );
    expect(await send('hide', order(seller, 'hide', 'muxed', { recipient }))).toMatchObject({ status: 200 });
    expect(await listed(recipient)).toEqual([]);
  });

  test('does nothing by a request that is sent again', async () => {
    const { seller, name } = await sellerWithListing();
    const hide = order(seller, 'hide', name, ago(2_000));
    expect(await send('hide', hide)).toMatchObject({ status: 200 });
    expect(await send('restore', order(seller, 'restore', name))).toMatchObject({ status: 200 });
    expect(await send('hide', hide)).toMatchObject(refusal(409, 'svc_used_signature'));
    expect(await listed(seller.publicKey())).toEqual([urlOf(name)]);
  });

  test('changes one listing only so often within an hour, and others still', async () => {
    const { seller, name } = await sellerWithListing();
    const other = `${name}-other`;
    await sell(seller, other);
    const { actsPerListingPerHour: most } = SELLER_LIMITS;
    const describe = (nth: number, of = name) =>
      send('describe', order(seller, 'describe', of, { description: `text ${nth}`, ...ago(60_000 - nth) }));
    for (let nth = 0; nth < most; nth += 1) expect(await describe(nth)).toMatchObject({ status: 200 });
    const answer = await describe(most);
    expect(answer).toMatchObject(refusal(429, 'svc_rate_limited'));
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(3_000);
    expect(await send('hide', order(seller, 'hide', name))).toMatchObject(refusal(429, 'svc_rate_limited'));
    expect(await describe(0, other)).toMatchObject({ status: 200 });
  });

  test('uses up nothing by requests that change nothing', async () => {
    const { seller, name } = await sellerWithListing();
    const hide = order(seller, 'hide', name);
    expect(await send('hide', hide)).toMatchObject({ status: 200 });
    for (let nth = 0; nth < SELLER_LIMITS.actsPerListingPerHour; nth += 1)
      expect(await send('hide', hide)).toMatchObject(refusal(409, 'svc_used_signature'));
    expect(await send('restore', order(seller, 'restore', name))).toMatchObject({ status: 200 });
  });

  test('has no say about the listings of others', async () => {
    const { seller, name } = await sellerWithListing();
    const other = Keypair.random();
    expect(await send('hide', order(other, 'hide', name))).toMatchObject(refusal(404, 'svc_unknown_listing'));
    const forged = order(other, 'hide', name, { recipient: seller.publicKey() });
    expect(await send('hide', forged)).toMatchObject(refusal(403, 'svc_invalid_signature'));
    expect(await listed(seller.publicKey())).toEqual([urlOf(name)]);
  });

  test.each([
    ['for another service', { service: 'https://other.example.com' }],
    ['for another network', { network: 'stellar:pubnet' }],
    ['for another action', { action: 'restore' }],
  ])('does nothing by what it signed %s', async (_what, place) => {
    const { seller, name } = await sellerWithListing();
    const answer = await send('hide', order(seller, 'hide', name, {}, place));
    expect(answer).toMatchObject(refusal(403, 'svc_invalid_signature'));
    expect(JSON.stringify(answer.body)).toContain(`service: ${SERVICE}`);
    expect(await listed(seller.publicKey())).toEqual([urlOf(name)]);
  });

  test.each(['resource', 'type', 'toolName', 'recipient', 'signedAt'])(
    'has signed for its %s and for no other',
    async (field) => {
      const { seller, name } = await sellerWithListing();
      const others: Record<string, string> = {
        resource: urlOf('other'),
        type: 'mcp',
        toolName: 'other',
        recipient: muxed(seller.publicKey(), 1n),
        ...ago(1_000),
      };
      const body = { ...order(seller, 'hide', name), [field]: others[field] };
      expect(await send('hide', body)).toMatchObject(refusal(403, 'svc_invalid_signature'));
    },
  );

  test.each([
    ['long ago', () => ago(SELLER_LIMITS.validMs + 1_000)],
    ['in the future', () => ago(-SELLER_LIMITS.aheadMs - 30_000)],
    ['at a time that is none', () => ({ signedAt: '2026-13-45T99:99:99Z' })],
  ])('does nothing by what it signed %s', async (_what, signedAt) => {
    const { seller, name } = await sellerWithListing();
    expect(await send('hide', order(seller, 'hide', name, signedAt()))).toMatchObject(
      refusal(403, 'svc_expired_signature'),
    );
    expect(await listed(seller.publicKey())).toEqual([urlOf(name)]);
  });

  test('describes its listing', async () => {
    const { seller, name } = await sellerWithListing();
    const said = { serviceName: 'Sunny', description: 'zebrafish, daily', tags: ['a, b', 'c'] };
    const described = order(seller, 'describe', name, said);
    expect(await send('describe', described)).toMatchObject({ status: 200, body: { status: 'shown' } });
    const { body } = await ask(`${facilitator.url}/discovery/search?query=zebrafish`);
    expect(body).toMatchObject({ resources: [{ resource: urlOf(name), ...said }] });
    expect(await send('describe', described)).toMatchObject(refusal(409, 'svc_used_signature'));
  });

  test.each([
    ['tags', ['a', 'b, c']],
    ['serviceName', 'Other'],
    ['description', 'other'],
    ['iconUrl', 'https://other.example.com/icon.png'],
  ])('has signed for its %s as they are', async (field, value) => {
    const said = {
      serviceName: 'S',
      description: 'd',
      tags: ['a, b', 'c'],
      iconUrl: 'https://a.example.com/i',
    };
    const body = { ...order(Keypair.random(), 'describe', 'x', said), [field]: value };
    expect(await send('describe', body)).toMatchObject(refusal(403, 'svc_invalid_signature'));
  });

  test.each([
    ['a name that is too long', { serviceName: 'x'.repeat(33) }],
    ['a description of two lines', { description: 'a\ntags: b' }],
    ['no tags', { tags: [] }],
    ['a tag that comes twice', { tags: ['Sun', 'sun'] }],
    ['an icon at a private host', { iconUrl: 'http://10.0.0.1/icon.png' }],
    ['an icon that is no URL', { iconUrl: 'icon.png' }],
  ])('cannot describe its listing with %s', async (_what, said) => {
    const { seller, name } = await sellerWithListing();
    expect(await send('describe', order(seller, 'describe', name, said))).toMatchObject(
      refusal(400, 'svc_malformed_request_body'),
    );
  });

  test('reads what was settled for it, newest first, once per signature', async () => {
    const { seller, name, transaction } = await sellerWithListing();
    stage.sandbox.faults.add({ kind: 'sendStatus', status: 'ERROR', result: 'txSorobanInvalid' });
    const unsettled = encodeAttempt(stage.payment({ payTo: seller.publicKey() }));
    expect(await facilitator.settle(unsettled)).toMatchObject({ success: false });
    stage.sandbox.faults.clear();
    const second = await sell(seller, name);
    const read = signed(seller, { action: 'settlements' }, {});
    const { status, body } = await send('settlements', read);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        settlements: [second, transaction].map((hash) => ({
          transaction: hash,
          ledger: expect.any(Number),
          closedAt: expect.any(String),
          amount: String(AMOUNT),
          asset: USDC,
          payer: expect.stringMatching(/^G/),
          resource: urlOf(name),
        })),
        cursor: null,
      },
    });
    expect(await send('settlements', read)).toMatchObject(refusal(409, 'svc_used_signature'));
  });

  test('reads nothing of others', async () => {
    await sellerWithListing();
    const stranger = Keypair.random();
    const none = await send('settlements', signed(stranger, { action: 'settlements' }, {}));
    expect(none).toMatchObject({ status: 200, body: { settlements: [], cursor: null } });
  });

  test('is told that a cursor is not one of the service', async () => {
    const read = signed(Keypair.random(), { action: 'settlements' }, { cursor: 'abc' });
    expect(await send('settlements', read)).toMatchObject(refusal(400, 'svc_malformed_request_body'));
  });

  test.each([
    ['no object', '[]'],
    ['no recipient', { recipient: undefined }],
    ['no address as its recipient', { recipient: 'alice' }],
    ['a resource of two lines', { resource: 'https://a.example\ntype: http' }],
    ['another type', { type: 'ftp' }],
    ['a tool of two lines', { toolName: 'a\nsignedAt: 2026-01-01T00:00:00Z' }],
    ['a tool with a line separator', { toolName: 'a\u2028b' }],
    ['a time without a zone', { signedAt: '2026-01-01T00:00:00' }],
    ['a signature in hex', { signature: '0'.repeat(128) }],
  ])('is told that a request with %s is not one', async (_what, change) => {
    const good = order(Keypair.random(), 'hide', 'x');
    const body = typeof change === 'string' ? change : JSON.stringify({ ...good, ...change });
    expect(await post(`${facilitator.url}/discovery/listings/hide`, body)).toMatchObject(
      refusal(400, 'svc_malformed_request_body'),
    );
  });
});

test.each(['hide', 'restore', 'describe', 'confirm', 'settlements'])(
  'where the operator has not turned it on, %s is a route like any other that there is not',
  async (path) => {
    const answer = await send(path, order(Keypair.random(), path, 'x'), stage.facilitator);
    expect(answer).toMatchObject(refusal(404, 'svc_unknown_route'));
    expect(JSON.stringify(answer.body)).not.toContain('/discovery/listings/hide,');
  },
);

describe('the reads that are remembered', () => {
  const limits = { ...SELLER_LIMITS, maxReaders: 2 };

  test('are forgotten once no signature of theirs counts', () => {
    let now = 0;
    const reads = createReads(limits, () => now);
    expect(['a', 'b', 'c'].map((recipient) => reads.note(recipient, 1))).toEqual(['new', 'new', 'full']);
    now = limits.validMs + limits.aheadMs - 1;
    expect(reads.note('a', 1)).toBe('used');
    now += 1;
    expect(['c', 'a', 'b'].map((recipient) => reads.note(recipient, 1))).toEqual(['new', 'new', 'full']);
  });

  test('are forgotten in the order of the latest of each recipient', () => {
    let now = 0;
    const reads = createReads(limits, () => now);
    reads.note('a', 1);
    reads.note('b', 1);
    now = 1;
    expect(reads.note('a', 2)).toBe('new');
    now = limits.validMs + limits.aheadMs;
    expect(reads.note('c', 1)).toBe('new');
    expect(reads.note('a', 2)).toBe('used');
  });
});

describe('the acts of recipients that are counted', () => {
  const limits = { ...SELLER_LIMITS, actsPerListingPerHour: 2, actsPerRecipientPerHour: 3 };
  const HOUR_MS = 3_600_000;
  const [one, other] = [Keypair.random().publicKey(), Keypair.random().publicKey()];
  const act = (name: string, recipient = one) => ({
    recipient,
    resource: urlOf(name),
    type: 'http' as const,
  });

  test('are limited for each listing and for each recipient, until the hour is over', () => {
    let now = 0;
    const { count } = createActs(limits, () => now);
    const mayCount = (...of: Parameters<typeof act>) => typeof count(act(...of)) === 'function';
    expect(['a', 'a', 'a', 'b', 'b'].map((name) => mayCount(name))).toEqual([true, true, false, true, false]);
    expect(mayCount('a', other)).toBe(true);
    now = HOUR_MS - 1_500;
    expect(count(act('c'))).toEqual({ seconds: 2 });
    now = HOUR_MS;
    expect(['a', 'a', 'a'].map((name) => mayCount(name))).toEqual([true, true, false]);
  });

  test('are those of an account together with its muxed forms', () => {
    const { count } = createActs(limits, () => 0);
    for (const id of [1n, 2n, 3n]) expect(count(act(`${id}`, muxed(one, id)))).toBeTypeOf('function');
    expect(count(act('b'))).toHaveProperty('seconds');
  });

  test('are of so many recipients and listings only: others wait', () => {
    let now = 0;
    const { count } = createActs({ ...limits, maxActWindows: 2 }, () => now);
    count(act('a'));
    expect(count(act('a', other))).toEqual({ seconds: 3_600 });
    expect(count(act('a'))).toBeTypeOf('function');
    now = HOUR_MS;
    expect(count(act('a', other))).toBeTypeOf('function');
  });

  test('count no more once they are taken back', () => {
    const { count } = createActs(limits, () => 0);
    for (let nth = 0; nth < 5; nth += 1) (count(act('a')) as () => void)();
    expect(count(act('a'))).toBeTypeOf('function');
  });
});
