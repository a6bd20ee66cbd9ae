// A round trip with the client that @hey-api/openapi-ts makes. `npm run sdk` generates the client, puts a signed
// payment into payment.json and starts the service, with listings in its catalog.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import {
  getSupported,
  listResources,
  searchResources,
  settlePayment,
  verifyPayment,
  type ExtensionResponses,
  type FacilitatorRequest,
} from './facilitator/index.js';
import { client } from './facilitator/client.gen.js';

/** The contract's for settle: on a busy network the answer takes up to 80 s. */
const SETTLE_TIMEOUT_MS = 90_000;
const DAY_MS = 24 * 60 * 60 * 1000;

// The key that the operator gave. A facilitator that is open to all needs none.
client.setConfig({ baseUrl: process.env['FACILITATOR_URL']!, auth: process.env['FACILITATOR_KEY']! });
const payment = JSON.parse(await readFile('payment.json', 'utf8')) as FacilitatorRequest;

const supported = await getSupported();
assert.equal(supported.data?.kinds[0]?.network, 'stellar:testnet');

// The seller's terms and the buyer's payment: is it good?
const valid = await verifyPayment({ body: payment });
assert.equal(valid.data?.isValid, true);

// A refused payment is an answer too: 200, with the reason.
const paymentRequirements = { ...payment.paymentRequirements, amount: '200000' };
const refused = await verifyPayment({ body: { ...payment, paymentRequirements } });
assert.equal(refused.data?.isValid, false);
assert.equal(refused.data.invalidReason, 'invalid_exact_stellar_payload_wrong_amount');

// What cannot be read as a payment is answered with 400. This client has it in `error`, where a 404 has another shape.
const old = { ...payment, paymentPayload: { ...payment.paymentPayload, x402Version: 1 } };
const unread = await verifyPayment({ body: old });
assert.equal(unread.response?.status, 400);
assert.ok(unread.error && 'isValid' in unread.error);
assert.equal(unread.error.invalidReason, 'svc_unsupported_x402_version');

const settle = () => settlePayment({ body: payment, signal: AbortSignal.timeout(SETTLE_TIMEOUT_MS) });
const settled = await settle();
assert.equal(settled.data?.success, true);
assert.match(settled.data.transaction, /^[0-9a-f]{64}$/);

// Whether the resource was listed. A catalog that is too busy leaves the header out.
const header = settled.response?.headers.get('EXTENSION-RESPONSES');
if (header) {
  const { bazaar } = JSON.parse(Buffer.from(header, 'base64').toString()) as ExtensionResponses;
  assert.equal(bazaar?.status, 'success');
}

// The same payment again does not settle, with status 200: only `success` tells. `extra.transaction` is the hash of the
// transaction that paid: the buyer must not pay again.
const again = await settle();
assert.equal(again.data?.success, false);
assert.equal(again.data.errorReason, 'invalid_exact_stellar_payload_simulation_failed');
assert.equal(again.data.extra?.['transaction'], settled.data.transaction);

// These filters find what costs at most this in the asset of these terms, and was paid for lately.
const filters = {
  asset: payment.paymentRequirements.asset,
  maxAmount: '1000000',
  updatedSince: new Date(Date.now() - DAY_MS).toISOString(),
};
const list = await listResources({ query: { type: 'http', ...filters, limit: 5 } });
assert.equal(list.data?.items.length, 5);

// Two pages of a search: the cursor of the first asks for the second.
const query = { query: 'weather report', limit: 2 };
const first = await searchResources({ query });
const cursor = first.data?.pagination.cursor;
assert.ok(cursor);
const second = await searchResources({ query: { ...query, cursor } });
const found = [...first.data!.resources, ...(second.data?.resources ?? [])].map(
  ({ resource, type }) => `${type} ${resource}`,
);
assert.equal(new Set(found).size, 4);

// A query that cannot be read is answered with 400, and its code is in `error.code`.
const foreign = await searchResources({ query: { ...query, cursor: 'of another query' } });
assert.equal(foreign.response?.status, 400);
assert.equal(foreign.error?.error.code, 'svc_invalid_search_cursor');
