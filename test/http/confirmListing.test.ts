import { Keypair } from '@stellar/stellar-sdk';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { openCatalog, type Catalog } from '../../src/catalog/index.ts';
import { CONFIRMED_FOR_MS } from '../../src/catalog/limits.ts';
import type { DiscoveryResource } from '../../src/contract/index.ts';
import { SELLER_LIMITS } from '../../src/handlers/sellers/limits.ts';
import { encodeMuxedContract } from '../../src/stellar/muxedContractText.ts';
import { contractOf, HOME, muxed, sold } from '../catalog/sellers.ts';
import { SERVICE, signed, type Place } from '../support/sellerMessages.ts';
import { silent } from '../support/service.ts';
import { ask, openTestService, post, type Answer, type TestService } from './support.ts';

let catalog: Catalog;
let service: TestService;
beforeAll(async () => {
  catalog = await openCatalog({ dbPath: ':memory:', log: silent, limits: { submitBudgetMs: 20_000 } });
  service = await openTestService({}, catalog, {}, {}, { listingOperations: SERVICE });
  return () => service.close();
});

let names = 0;
/** A recipient, and a listing of its own. */
async function withListing(payTo = (key: Keypair): string => key.publicKey()): Promise<[Keypair, string]> {
  const [key, name] = [Keypair.random(), `thing-${(names += 1)}`];
  await catalog.submit(sold(name, { payTo: payTo(key) }));
  return [key, name];
}

const order = (key: Keypair, name: string, fields = {}, place: Partial<Place> = {}) =>
  signed(key, { action: 'confirm', ...place }, { resource: `${HOME}/${name}`, type: 'http', ...fields });
const send = (body: object): Promise<Answer> =>
  post(`${service.url}/discovery/listings/confirm`, JSON.stringify(body));
const refusal = (status: number, code: string) => ({ status, body: { error: { code } } });

async function listingOf(name: string): Promise<DiscoveryResource> {
  const { body } = await ask(`${service.url}/discovery/resources?resource=${HOME}/${name}`);
  return (body as { items: DiscoveryResource[] }).items[0]!;
}

test('a recipient confirms its listing, which then shows when it was signed and until when that counts', async () => {
  const [seller, name] = await withListing();
  expect(await listingOf(name)).not.toHaveProperty('confirmed');
  const body = order(seller, name);
  expect(await send(body)).toMatchObject({ status: 200, body: { status: 'shown' } });
  const at = body['signedAt'] as string;
  const until = new Date(Date.parse(at) + CONFIRMED_FOR_MS).toISOString();
  expect((await listingOf(name)).confirmed).toEqual({ at, until });
  expect(await listingOf(name)).not.toHaveProperty('verified');
});

test('a muxed account confirms by the key of the account behind it', async () => {
  const [seller, name] = await withListing((key) => muxed(key.publicKey(), 7n));
  expect(await send(order(seller, name))).toMatchObject(refusal(404, 'svc_unknown_listing'));
  const recipient = muxed(seller.publicKey(), 7n);
  expect(await send(order(seller, name, { recipient }))).toMatchObject({ status: 200 });
});

test.each<[string, number, string, (key: Keypair, name: string) => object]>([
  [
    'of another key',
    403,
    'svc_invalid_signature',
    (key, name) => order(Keypair.random(), name, { recipient: key.publicKey() }),
  ],
  ['of another recipient', 404, 'svc_unknown_listing', (_, name) => order(Keypair.random(), name)],
  [
    'for another service',
    403,
    'svc_invalid_signature',
    (key, name) => order(key, name, {}, { service: 'https://other.example.com' }),
  ],
  [
    'for another network',
    403,
    'svc_invalid_signature',
    (key, name) => order(key, name, {}, { network: 'stellar:pubnet' }),
  ],
  [
    'for another action',
    403,
    'svc_invalid_signature',
    (key, name) => order(key, name, {}, { action: 'restore' }),
  ],
  [
    'for another URL',
    403,
    'svc_invalid_signature',
    (key, name) => ({ ...order(key, 'other'), resource: `${HOME}/${name}` }),
  ],
  [
    'with another time',
    403,
    'svc_invalid_signature',
    (key, name) => ({ ...order(key, name), signedAt: new Date(Date.now() - 1_000).toISOString() }),
  ],
  [
    'of long ago',
    403,
    'svc_expired_signature',
    (key, name) =>
      order(key, name, { signedAt: new Date(Date.now() - SELLER_LIMITS.validMs - 1_000).toISOString() }),
  ],
])('a signature %s confirms nothing', async (_what, status, code, forged) => {
  const [seller, name] = await withListing();
  expect(await send(forged(seller, name))).toMatchObject(refusal(status, code));
  expect(await listingOf(name)).not.toHaveProperty('confirmed');
});

test('a signature confirms once: sent again, it is refused, and moves no time', async () => {
  const [seller, name] = await withListing();
  const body = order(seller, name, { signedAt: new Date(Date.now() - 60_000).toISOString() });
  expect(await send(body)).toMatchObject({ status: 200 });
  const before = await listingOf(name);
  expect(await send(body)).toMatchObject(refusal(409, 'svc_used_signature'));
  expect(await listingOf(name)).toEqual(before);
  const again = order(seller, name);
  expect(await send(again)).toMatchObject({ status: 200 });
  expect((await listingOf(name)).confirmed).toMatchObject({ at: again['signedAt'] });
});

test('a listing is confirmed no more often than it is changed', async () => {
  const [seller, name] = await withListing();
  const { actsPerListingPerHour: most } = SELLER_LIMITS;
  const signedAt = (nth: number) => ({ signedAt: new Date(Date.now() - 60_000 + nth).toISOString() });
  for (let nth = 0; nth < most; nth += 1)
    expect(await send(order(seller, name, signedAt(nth * 100)))).toMatchObject({ status: 200 });
  expect(await send(order(seller, name))).toMatchObject(refusal(429, 'svc_rate_limited'));
});

test('a recipient that has confirmed too often waits an hour at most, also if the clock is set back', async () => {
  const [seller, name] = await withListing();
  const { actsPerListingPerHour: most } = SELLER_LIMITS;
  const signedAt = (nth: number) => ({ signedAt: new Date(Date.now() - 60_000 + nth).toISOString() });
  for (let nth = 0; nth < most; nth += 1)
    expect(await send(order(seller, name, signedAt(nth * 100)))).toMatchObject({ status: 200 });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 24 * 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  const answer = await send(order(seller, name));
  expect(answer).toMatchObject(refusal(429, 'svc_rate_limited'));
  expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(3_600);
});

test.each([
  ['a contract', contractOf('shop')],
  ['a muxed contract', encodeMuxedContract({ contract: contractOf('shop'), id: 1n })],
])('%s is told that it cannot sign, and that its origin can name it', async (_what, recipient) => {
  const answer = await send(order(Keypair.random(), 'thing', { recipient }));
  expect(answer).toMatchObject(refusal(403, 'svc_invalid_signature'));
  expect(JSON.stringify(answer.body)).toContain('if its origin names it, for example in the 402 of the URL');
});
