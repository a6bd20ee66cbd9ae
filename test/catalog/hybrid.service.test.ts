import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DiscoverySearchResponse } from '../../src/contract/index.ts';
import { ask } from '../http/support.ts';
import { ENV, expectRefused } from '../support/refusedStart.ts';
import { startChild } from './child.ts';
import { urlOf } from './drafts.ts';
import { modelFolder } from './meaning/modelFolder.ts';
import { useServiceProcess } from './serviceProcess.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const service = useServiceProcess();

async function searched(url: string, query: string): Promise<[ranking: string | undefined, urls: string[]]> {
  const { status, body } = await ask(`${url}/discovery/search?${query}`);
  expect(status).toBe(200);
  const { ranking, resources } = body as DiscoverySearchResponse;
  return [ranking, resources.map(({ resource }) => resource)];
}

test.each([
  ['the model that comes with the service', {}],
  ["the operator's own model", { SEARCH_MODEL: modelFolder() }],
  ['a catalog in memory', { DB_PATH: ':memory:' }],
])('the service ranks by words and meaning, with %s', async (_, settings) => {
  const path = join(temporaryFolder(), 'catalog.db');
  const child = await service.start(path, { settings: { SEARCH_RANKING: 'hybrid', ...settings } });
  expect(await service.pay(child.url, 'weather')).toEqual({ listed: true });
  await expect.poll(() => searched(child.url, 'query=wether')).toEqual(['hybrid', [urlOf('weather')]]);
  expect(await searched(child.url, 'query=wether&ranking=lexical')).toEqual(['lexical', []]);
  await service.stop(child);
});

test('a service that ranks by words does not say so, whatever is asked for', async () => {
  const child = await service.start(':memory:');
  for (const query of ['query=a', 'query=a&ranking=lexical', 'query=a&ranking=hybrid'])
    expect(await searched(child.url, query)).toEqual([undefined, []]);
  await service.stop(child);
});

test('a model that cannot be used stops the start', async () => {
  const folder = modelFolder();
  writeFileSync(join(folder, 'model.safetensors'), 'no model');
  const settings = { SEARCH_RANKING: 'hybrid', SEARCH_MODEL: folder };
  const env = { ...ENV, DB_PATH: join(temporaryFolder(), 'catalog.db'), ...settings };
  const child = startChild(process.execPath, ['dist/stellar-facilitator.js'], { env });
  await expectRefused(child, /^SEARCH_MODEL model\.safetensors /);
});
