/** A seller: an Express server with one paid route that wants to be listed, on the stock x402 packages. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import { bazaarResourceServerExtension, declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { ExactStellarScheme } from '@x402/stellar/exact/server';
import express from 'express';

export const PRICE = '$0.01';
export const MAX_TIMEOUT_SECONDS = 60;

/** What the catalog is to know of the weather: what it is, and how it is called. */
const WEATHER = {
  description: 'Weather forecast for any city: temperature, wind and rain, today and tomorrow',
  mimeType: 'application/json',
  serviceName: 'Sunny Side Forecasts',
  tags: ['weather', 'forecast'],
  extensions: declareDiscoveryExtension({
    input: { city: 'Lisbon' },
    inputSchema: {
      properties: { city: { type: 'string', description: 'Name of the city' } },
      required: ['city'],
    },
    output: { example: forecastFor('Lisbon') },
  }),
};

export interface Seller {
  /** The address of the paid resource, which takes the parameter `city`. */
  url: string;
  /** The stock server; its hooks let the story look on. */
  x402: x402ResourceServer;
  close(): Promise<void>;
}

/** `payTo` is the account (G…) that gets the money; the facilitator is asked at its public address only. */
export async function openSeller(facilitatorUrl: string, payTo: string): Promise<Seller> {
  const facilitator = new HTTPFacilitatorClient({ url: facilitatorUrl });
  const x402 = new x402ResourceServer(facilitator)
    .register('stellar:testnet', exactStellar())
    .registerExtension(bazaarResourceServerExtension);
  const accepts = {
    scheme: 'exact',
    network: 'stellar:testnet',
    payTo,
    price: PRICE,
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
  } as const;

  const app = express();
  app.use(paymentMiddleware({ 'GET /weather': { accepts, ...WEATHER } }, x402));
  app.get('/weather', ({ query: { city } }, response) => {
    response.json(forecastFor(typeof city === 'string' ? city : 'nowhere'));
  });

  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/weather`,
    x402,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function forecastFor(city: string) {
  return { city, weather: 'sunny', celsius: 21 };
}

/** @x402/stellar 2.9 is older than @x402/express 2.27, which asks a scheme how its payments flow. */
export function exactStellar() {
  const flow = { supported: ['authorization'], default: 'authorization' } as const;
  return Object.assign(new ExactStellarScheme(), {
    defaultAssetTransferMethod: 'default',
    paymentFlows: { default: flow },
  } as const);
}
