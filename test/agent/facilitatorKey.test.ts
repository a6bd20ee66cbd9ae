import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { openAgent, spawnAgent } from './support/agent.ts';
import { openHttpServer } from './support/httpServer.ts';
import { openSeller } from './support/seller.ts';
import { useAgentStage } from './support/stage.ts';

const stage = useAgentStage();
const KEY = `sf_${'0'.repeat(12)}_${'k'.repeat(43)}`;

/** The facilitator, for those who have the key. */
function openClosedFacilitator(): Promise<string> {
  return openHttpServer(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.headers.authorization !== `Bearer ${KEY}`) {
      const error = { code: 'svc_unauthorized', reason: 'This service needs a key.' };
      return void response.writeHead(401).end(JSON.stringify({ error }));
    }
    const answer = await fetch(stage.facilitator.url + request.url);
    response.writeHead(answer.status).end(await answer.text());
  });
}

test('the key goes to the facilitator with every question, and never to a resource', async () => {
  const seller = await openSeller(stage);
  const input = { type: 'http', method: 'GET' };
  await stage.list({ url: seller.url, description: 'Paid weather' }, { info: { input }, schema: {} });
  const FACILITATOR_URL = await openClosedFacilitator();
  const buyer = await stage.buyer({ FACILITATOR_URL, FACILITATOR_KEY: KEY });
  const { structured } = await buyer.search('weather');
  const answer = await buyer.pay({ resourceId: structured.resources[0].id });
  expect(answer).toMatchObject({ isError: false });
  expect(seller.paid()).toHaveLength(1);
  for (const { request } of seller.visits) expect(request.headers).not.toHaveProperty('authorization');
  expect(JSON.stringify([structured, answer, buyer.log])).not.toContain(KEY);
});

test('without a key where one is needed, a search says what the facilitator said', async () => {
  const FACILITATOR_URL = await openClosedFacilitator();
  const { structured } = await (await openAgent({ FACILITATOR_URL })).search('weather');
  expect(structured).toMatchObject({
    errorCode: 'svc_unauthorized',
    reason: expect.stringMatching(/401.*needs a key/),
  });
});

test('the key may be in a file', async () => {
  const file = join(temporaryFolder(), 'key');
  writeFileSync(file, `${KEY}\n`, { mode: 0o600 });
  const FACILITATOR_URL = await openClosedFacilitator();
  const environment = { FACILITATOR_URL, FACILITATOR_KEY_FILE: file };
  expect(await (await spawnAgent(environment)).search('weather')).toMatchObject({ isError: false });
});
