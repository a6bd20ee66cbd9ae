/**
 * A seller on Fastify that settles its own payments. Needs PAY_TO, and the facilitator's settings, such as SUBMITTER_SECRET.
 * The two hooks do for Fastify what @x402/express and @x402/hono do for theirs, with the same stock server of @x402/core.
 */
import {
  type HTTPProcessResult,
  type HTTPRequestContext,
  withPrivateCacheControl,
  x402HTTPResourceServer,
  x402ResourceServer,
} from '@x402/core/server';
import { ExactStellarScheme } from '@x402/stellar/exact/server';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { createFacilitator } from 'stellar-facilitator';

const payTo = process.env['PAY_TO'];
if (!payTo) throw new Error('set PAY_TO to your address');

const facilitator = await createFacilitator(process.env);
// @x402/core asks how payments flow, and @x402/stellar 2.9.0 does not say.
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

const resources = new x402ResourceServer(facilitator).register('stellar:testnet', stellar);
const paid = new x402HTTPResourceServer(resources, routes);
await paid.initialize();

/** What is kept of a verified payment until the answer to its request is ready. */
type Verified = Extract<HTTPProcessResult, { type: 'payment-verified' }> & { context: HTTPRequestContext };
const verified = new WeakMap<FastifyRequest, Verified>();

/** The path is the route that Fastify chose: another spelling of the URL buys the same. */
function contextOf(request: FastifyRequest): HTTPRequestContext {
  const path = request.routeOptions.url ?? request.url;
  const header = (name: string) => request.headers[name.toLowerCase()]?.toString();
  const payment = header('payment-signature');
  return {
    path,
    method: request.method,
    ...(payment && { paymentHeader: payment }),
    adapter: {
      getHeader: header,
      getMethod: () => request.method,
      getPath: () => path,
      getUrl: () => `${request.protocol}://${request.host}${request.url}`,
      getAcceptHeader: () => header('accept') ?? '',
      getUserAgent: () => header('user-agent') ?? '',
      getBody: () => request.body,
    },
  };
}

/** Settles the payment of an answer that is ready. The answer goes out only when its payment has settled. */
async function settle(reply: FastifyReply, payload: unknown, payment: Verified): Promise<unknown> {
  if (reply.statusCode >= 400) {
    await payment.cancellationDispatcher.cancel({
      reason: 'handler_failed',
      responseStatus: reply.statusCode,
    });
    return payload;
  }
  const settled = await paid.processSettlement(
    payment.paymentPayload,
    payment.paymentRequirements,
    payment.declaredExtensions,
    { request: payment.context, responseBody: Buffer.from(String(payload)) },
    undefined,
    payment.beforeHandlerSettlement,
  );
  if (!settled.success) {
    const { status, headers, body } = settled.response;
    reply.code(status).headers(headers).removeHeader('content-length');
    return JSON.stringify(body ?? {});
  }
  const caching = withPrivateCacheControl(reply.getHeader('cache-control')?.toString() ?? null);
  reply.headers({ ...settled.headers, 'Cache-Control': caching });
  return payload;
}

const app = Fastify();
app.addHook('preHandler', async (request, reply) => {
  const context = contextOf(request);
  const result = await paid.processHTTPRequest(context);
  if (result.type === 'payment-verified') verified.set(request, { ...result, context });
  if (result.type === 'payment-error') {
    const { status, headers, body } = result.response;
    return reply.code(status).headers(headers).send(body);
  }
  return undefined;
});
app.addHook('onSend', async (request, reply, payload) => {
  const payment = verified.get(request);
  if (!payment) return payload;
  // Once only: if settling throws, Fastify sends the error through this hook again.
  verified.delete(request);
  return settle(reply, payload, payment);
});
app.get('/weather', () => ({ city: 'Lisbon', weather: 'sunny' }));
await app.listen({ port: Number(process.env['SELLER_PORT'] ?? 4030), host: '127.0.0.1' });
console.log('sells', app.server.address());

process.once('SIGTERM', () => void app.close().then(() => facilitator.close()));
