/** A seller: an Express server with two paid routes that want to be listed, on the stock x402 packages. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import { bazaarResourceServerExtension, declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { ExactStellarScheme } from '@x402/stellar/exact/server';
import express from 'express';
import { TESTNET } from './buyer.ts';

export const PRICE = '$0.01';
/** The same price in base units. */
export const PRICE_BASE_UNITS = 100_000n;
export const MAX_TIMEOUT_SECONDS = 60;

/** What the catalog is to know of a resource: what it is, and how it is called. */
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

const TIDES = {
  description: 'Tide table for any harbour: high and low water, today and tomorrow',
  mimeType: 'application/json',
  serviceName: 'Salty Tables',
  tags: ['tides', 'sea'],
  extensions: declareDiscoveryExtension({
    input: { harbour: 'Faro' },
    inputSchema: {
      properties: { harbour: { type: 'string', description: 'Name of the harbour' } },
      required: ['harbour'],
    },
    output: { example: tidesAt('Faro') },
  }),
};

export interface Seller {
  /** The address of the paid resource, which takes the parameter `city`. */
  url: string;
  /** The address of the other one, which takes the parameter `harbour`. */
  tidesUrl: string;
  /** The stock server; its hooks let the story look on. */
  x402: x402ResourceServer;
  close(): Promise<void>;
}

/** `payTo` is the account (G…) that gets the money; the facilitator is asked at its public address only. */
export async function openSeller(
  facilitatorUrl: string,
  payTo: string,
  network = TESTNET.network,
): Promise<Seller> {
  const facilitator = new HTTPFacilitatorClient({ url: facilitatorUrl });
  const x402 = new x402ResourceServer(facilitator)
    .register(network, exactStellar())
    .registerExtension(bazaarResourceServerExtension);
  const accepts = {
    scheme: 'exact',
    network,
    payTo,
    price: PRICE,
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
  } as const;

  const app = express();
  const routes = { 'GET /weather': { accepts, ...WEATHER }, 'GET /tides': { accepts, ...TIDES } };
  app.use(paymentMiddleware(routes, x402));
  app.get('/weather', ({ query: { city } }, response) => {
    response.json(forecastFor(typeof city === 'string' ? city : 'nowhere'));
  });
  app.get('/tides', ({ query: { harbour } }, response) => {
    response.json(tidesAt(typeof harbour === 'string' ? harbour : 'nowhere'));
  });

  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    url: `${origin}/weather`,
    tidesUrl: `${origin}/tides`,
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

function tidesAt(harbour: string) {
  return { harbour, high: '04:12', low: '10:25' };
}

/** @x402/stellar 2.9 is older than @x402/express 2.27, which asks a scheme how its payments flow. */
export function exactStellar() {
  const flow = { supported: ['authorization'], default: 'authorization' } as const;
  return Object.assign(new ExactStellarScheme(), {
    defaultAssetTransferMethod: 'default',
    paymentFlows: { default: flow },
  } as const);
}
