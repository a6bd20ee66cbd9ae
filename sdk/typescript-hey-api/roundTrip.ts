import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import {
  getSupported,
  listResources,
  searchResources,
  settlePayment,
  verifyPayment,
} from './facilitator/index.js';
import type { FacilitatorRequest } from './facilitator/index.js';
import { client } from './facilitator/client.gen.js';

client.setConfig({ baseUrl: process.env['FACILITATOR_URL']! });
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

const settled = await settlePayment({ body: payment });
assert.equal(settled.data?.success, true);
assert.match(settled.data.transaction, /^[0-9a-f]{64}$/);

const list = await listResources({ query: { type: 'http', limit: 5 } });
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

// What is no payment is refused with an error: its code is in the envelope.
const foreign = await searchResources({ query: { ...query, cursor: 'of another query' } });
assert.equal(foreign.response?.status, 400);
assert.equal(foreign.error?.error.code, 'svc_invalid_search_cursor');
