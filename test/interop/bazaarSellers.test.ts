import { HTTPFacilitatorClient } from '@x402/core/server';
import { declareDiscoveryExtension, withBazaar } from '@x402/extensions/bazaar';
import { test } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { openSandbox } from '../support/sandbox.ts';
import { openFacilitator, silent } from '../support/service.ts';
import { openShop } from './bazaarShop.ts';

test('probe', async () => {
  const sandbox = await openSandbox();
  const catalog = await openCatalog({ dbPath: ':memory:', log: silent });
  const facilitator = await openFacilitator({ rpcUrl: sandbox.url, submitters: [sandbox.submitter()], catalog });
  const shop = await openShop({ sandbox, facilitatorUrl: facilitator.url }, {
    'GET /weather': { description: 'w', extensions: declareDiscoveryExtension({input: {city: 'Lisbon'}, inputSchema: {properties: {city: {type: 'string', description: 'Town'}}, required: ['city']}, output: {example: {celsius: 21}}}) },
    'POST /translate': { extensions: declareDiscoveryExtension({bodyType: 'json', input: {text: 'hello'}, inputSchema: {type: 'object', properties: {text: {type: 'string', description: 'Town'}}, required: ['text']}, output: {example: {celsius: 21}}}) },
    'GET /tides/:port': { extensions: declareDiscoveryExtension({pathParamsSchema: {properties: {port: {type: 'string'}}}}) },
    'GET /b/[port]': { extensions: declareDiscoveryExtension({}) },
    'POST /mcp': { extensions: declareDiscoveryExtension({toolName: 'convert', inputSchema: {type: 'object', properties: {}}}) },
  });
  console.log(await shop.buy('/weather?city=Porto'));
  console.log(await shop.buy('/translate', {method: 'POST'}));
  console.log(await shop.buy('/tides/Faro'));
  console.log(await shop.buy('/b/Faro'));
  console.log(await shop.buy('/mcp', {method: 'POST'}));
  const client = withBazaar(new HTTPFacilitatorClient({ url: facilitator.url }));
  console.log(JSON.stringify(await client.extensions.bazaar.listResources(), null, 1));
  console.log(shop.sales.map(s => JSON.stringify(s.result)));
  await shop.close();
  await facilitator.close();
  await sandbox.close();
});
