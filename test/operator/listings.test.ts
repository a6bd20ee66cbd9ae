import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ExtensionResponses } from '../../src/contract/index.ts';
import type { Facilitator } from '../support/service.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { markAll } from '../catalog/markAll.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { ask, type OperatorAnswer } from './asking.ts';
import { withListing } from './observed.ts';

const stage = useStage();
const { newPayment } = settlementsOn(stage);
const ORIGIN = 'https://api.example.com';

/** Pays for a resource of ORIGIN. Returns what the seller is told of its listing. */
async function sell({ url }: Facilitator, name: string): Promise<ExtensionResponses['bazaar']> {
  const answer = await fetch(`${url}/settle`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(withListing(newPayment().request, name)),
  });
  expect(await answer.json()).toMatchObject({ success: true });
  const header = answer.headers.get('extension-responses')!;
  return (JSON.parse(Buffer.from(header, 'base64').toString()) as ExtensionResponses).bazaar;
}

async function listed({ url }: Facilitator): Promise<string[]> {
  const answer = await fetch(`${url}/discovery/resources`);
  const { items } = (await answer.json()) as { items: { resource: string }[] };
  return items.map(({ resource }) => resource);
}

const post = (facilitator: Facilitator, path: string, body: object): Promise<OperatorAnswer> =>
  ask(facilitator.operatorUrl, path, { method: 'POST', body });

test('a listing is found, hidden, shown again and removed, each with its reason', async () => {
  const facilitator = await stage.open({ operator: {} });
  const { operatorUrl } = facilitator;
  expect(await sell(facilitator, 'weather')).toEqual({ status: 'success' });
  await expect
    .poll(async () => (await ask(operatorUrl, '/overview')).body.catalog.listings, { interval: 300 })
    .toBe(1);
  const found = await ask(operatorUrl, '/listings?text=weather&hidden=false');
  const [{ id }] = found.body.listings;
  const act = (action: string) =>
    post(facilitator, `/listings/${id}/acts`, { action, reason: `to ${action} it`, actor: 'ada' });

  expect((await act('hide')).status).toBe(204);
  expect(await listed(facilitator)).toEqual([]);
  expect((await ask(operatorUrl, '/listings?hidden=true')).body.listings).toMatchObject([
    { id, isHidden: true },
  ]);
  expect(await act('hide')).toMatchObject({ status: 409, body: { error: { code: 'op_conflict' } } });
  expect((await act('unhide')).status).toBe(204);
  expect(await listed(facilitator)).toEqual([`${ORIGIN}/weather`]);
  const { body } = await ask(operatorUrl, `/listings/${id}`);
  expect(body.item).toMatchObject({ resource: `${ORIGIN}/weather` });
  expect(body.acts).toMatchObject([
    { action: 'unhide', reason: 'to unhide it', actor: 'ada', source: 'console', listing: id },
    { action: 'hide' },
  ]);
  expect((await act('remove')).status).toBe(204);
  expect((await ask(operatorUrl, '/acts?limit=1')).body.acts).toMatchObject([{ action: 'remove' }]);
  expect((await post(facilitator, '/listings/999/acts', { action: 'hide', reason: 'x' })).status).toBe(404);
});

test('a stale listing says why and since when, and stays where it is', async () => {
  const dbPath = join(temporaryFolder(), 'catalog.db');
  const facilitator = await stage.open({ operator: {}, dbPath });
  const { operatorUrl } = facilitator;
  const kept = async (): Promise<any[]> => [
    (await ask(operatorUrl, '/listings')).body.listings[0],
    (await ask(operatorUrl, '/listings/1')).body.listing,
  ];
  await sell(facilitator, 'weather');
  for (const listing of await kept()) expect(listing).not.toHaveProperty('stale');
  const stale = { reason: 'no_answer', since: '2026-11-23T08:00:00.000Z' } as const;
  await markAll({ options: { dbPath } }, stale);
  expect(await kept()).toMatchObject([{ stale }, { stale }]);
  expect(await listed(facilitator)).toEqual([`${ORIGIN}/weather`]);
});

test('a blocked origin vanishes, and its sellers are told', async () => {
  const facilitator = await stage.open({ operator: {} });
  const { operatorUrl } = facilitator;
  await sell(facilitator, 'weather');
  const block = (action: string, value = ORIGIN) =>
    post(facilitator, '/blocks', { action, kind: 'origin', value, reason: 'delivers nothing' });
  expect((await block('block')).body).toMatchObject({ target: { value: ORIGIN }, listings: 1 });
  expect(await listed(facilitator)).toEqual([]);
  expect((await ask(operatorUrl, '/blocks')).body.blocks).toMatchObject([{ kind: 'origin', value: ORIGIN }]);
  expect(await sell(facilitator, 'forecast')).toMatchObject({
    status: 'rejected',
    code: 'bazaar_listing_blocked',
    rejectedReason: expect.not.stringContaining('delivers nothing'),
  });
  expect((await block('unblock')).status).toBe(200);
  expect(await listed(facilitator)).toEqual([`${ORIGIN}/weather`]);
  expect((await block('unblock')).status).toBe(409);
  expect((await block('block', 'no origin')).status).toBe(400);
});

test('an act without a reason is refused', async () => {
  const facilitator = await stage.open({ operator: {} });
  for (const reason of [undefined, '', ' ', 'two\nlines', 'x'.repeat(501)])
    expect((await post(facilitator, '/listings/1/acts', { action: 'hide', reason })).status).toBe(400);
});
