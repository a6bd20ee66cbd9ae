/** A seller on Hono that settles its own payments. Needs PAY_TO, and the facilitator's settings, such as SUBMITTER_SECRET. */
import { serve } from '@hono/node-server';
import { paymentMiddleware, x402ResourceServer } from '@x402/hono';
import { ExactStellarScheme } from '@x402/stellar/exact/server';
import { Hono } from 'hono';
import { createFacilitator } from 'stellar-facilitator';

const payTo = process.env['PAY_TO'];
if (!payTo) throw new Error('set PAY_TO to your address');

const facilitator = await createFacilitator(process.env);
// @x402/hono asks how payments flow, and @x402/stellar 2.9.0 does not say.
const stellar = Object.assign(new ExactStellarScheme(), {
  defaultAssetTransferMethod: 'default',
  paymentFlows: { default: { supported: ['authorization'], default: 'authorization' } },
} as const);
const accepts = {
  scheme: 'exact',
  network: 'stellar:testnet',
  payTo,
  price: '$0.01',
  maxTimeoutSeconds: 60,
} as const;
const routes = { 'GET /weather': { accepts, description: 'The weather today' } };

const app = new Hono();
app.use(paymentMiddleware(routes, new x402ResourceServer(facilitator).register('stellar:testnet', stellar)));
app.get('/weather', (context) => context.json({ city: 'Lisbon', weather: 'sunny' }));
const port = Number(process.env['SELLER_PORT'] ?? 4030);
const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (address) =>
  console.log('sells', address),
);

process.once('SIGTERM', () => {
  server.close();
  void facilitator.close();
});
