import { randomUUID } from 'node:crypto';
import { Keypair } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_CALLERS } from '../../src/config/callers.ts';
import type { PolicySettings } from '../../src/config/policy.ts';
import type { Catalog, SellerOutcome } from '../../src/catalog/index.ts';
import {
  envelopeCodes,
  type DiscoverySearchResponse,
  type EnvelopeCode,
  type PaymentRequirements,
} from '../../src/contract/index.ts';
import { HTTP_LIMITS, type HttpLimits } from '../../src/http/limits.ts';
import { createSharedJournal } from '../../src/journal/postgres/journal.ts';
import { openJournal } from '../../src/journal/index.ts';
import { DatabaseUnavailable } from '../../src/store/databaseErrors.ts';
import { SHARED_LIMITS } from '../../src/journal/postgres/limits.ts';
import type { Scheme } from '../../src/scheme/index.ts';
import { createDatabase } from '../../src/store/postgres.ts';
import { openFilledService, type FilledService } from '../support/filledService.ts';
import { openHttpServer } from '../agent/support/httpServer.ts';
import {
  AMOUNT,
  MAX_TIMEOUT_SECONDS,
  requestFor,
  requirementsFor,
  signTransfer,
  USDC,
} from '../support/payments.ts';
import { policyWith } from '../support/policy.ts';
import { SERVICE, signed } from '../support/sellerMessages.ts';
import { silent } from '../support/service.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import {
  ask,
  JSON_TYPE,
  payment,
  post,
  requirements,
  standInScheme,
  startService,
  type Answer,
} from './support.ts';

/** The service's own limits take hundreds of requests to reach. */
const PLACES_EACH = 3;
const places = Object.fromEntries(
  Object.keys(HTTP_LIMITS.places).map((id) => [id, { inAll: PLACES_EACH, perCaller: PLACES_EACH }]),
) as HttpLimits['places'];

// The whole service; only its own faults need parts that fail.
let service: FilledService;
beforeAll(async () => {
  service = await openFilledService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Real payments, for what only a policy of the operator refuses. */
const stage = useStage({ withFeeBump: false });
const { newPayment, sent } = settlementsOn(stage);
const payer = 'the payer';

const { paymentPayload } = payment;
const text = JSON.stringify(payment);
const failing = (): never => {
  throw new Error('disk on fire');
};
const unreadableKind = {
  ...standInScheme().kind,
  get x402Version(): 2 {
    return failing();
  },
};

interface Row {
  name: string;
  status: number;
  reach(): Promise<Answer>;
}

const get = (path: string) => ask(service.url + path);

/** The same for verify and for settle. */
function payments(name: string, status: number, body: unknown): Row[] {
  return ['/verify', '/settle'].map((path) => ({
    name: `${name}, at ${path}`,
    status,
    reach: () => post(service.url + path, JSON.stringify(body)),
  }));
}

/** What an operation answers where one of these parts fails. */
function fault(path: string, scheme: Partial<Scheme>, catalog: Partial<Catalog> = {}, body?: string): Row {
  return {
    name: `a part that fails, at ${path}`,
    status: 500,
    async reach() {
      const { url } = await startService(scheme, catalog);
      return body === undefined ? ask(url + path) : post(url + path, body);
    },
  };
}

/** Payments that only a policy of the operator refuses. */
function refusedByPolicy(
  name: string,
  policyFor: (payer: string) => Partial<PolicySettings> | Promise<Partial<PolicySettings>>,
  changes: Partial<PaymentRequirements> = {},
): Row[] {
  return ['/verify', '/settle'].map((path) => ({
    name: `a payment ${name}, at ${path}`,
    status: 200,
    async reach() {
      const asked = { ...requirementsFor(stage.sandbox.account(0n).publicKey()), ...changes };
      const terms = { key: stage.sandbox.account(), requirements: asked };
      const { url } = await stage.open({ policy: await policyFor(terms.key.publicKey()) });
      // To itself: whoever that is.
      if (changes.payTo === payer) asked.payTo = terms.key.publicKey();
      const { transaction } = newPayment(terms);
      return post(url + path, JSON.stringify(requestFor(asked, transaction)));
    },
  }));
}

/** What an operation answers that works on as many requests as it may. */
function overload(path: string, body?: string): Row {
  return {
    name: `as many requests as are worked on at a time, at ${path}`,
    status: 503,
    async reach() {
      const { promise: released, reject: release } = Promise.withResolvers<never>();
      const work = vi.fn(() => released);
      const { url } = await startService(
        { verify: work, settle: work },
        { list: work, search: work },
        { places },
      );
      const send = () => (body === undefined ? ask(url + path) : post(url + path, body));
      const worked = Array.from({ length: PLACES_EACH }, send);
      onTestFinished(async () => {
        release(new Error('over'));
        await Promise.all(worked);
      });
      await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(PLACES_EACH), { timeout: 20_000 });
      const answer = await send();
      expect(work).toHaveBeenCalledTimes(PLACES_EACH);
      expect((await ask(`${url}/health`)).status).toBe(200);
      expect((await ask(`${url}/supported`)).status).toBe(200);
      return answer;
    },
  };
}

/** Sends two settlements under one key, the second while the first is under way. */
async function twoUnderOneKey(first: object, second: object): Promise<[Answer, Answer]> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const {
    paymentRequirements: { network },
  } = payment;
  const refusal = { success: false, transaction: '', network, errorReason: 'verification_failed' } as const;
  const settle = vi.fn(() => released.then(() => refusal));
  const { url } = await startService({ settle });
  const send = (body: object) =>
    post(`${url}/settle`, JSON.stringify(body), { ...JSON_TYPE, 'idempotency-key': 'one' });
  const answering = send(first);
  await vi.waitFor(() => expect(settle).toHaveBeenCalledOnce(), { timeout: 20_000 });
  const answer = await send(second);
  release();
  return [await answering, answer];
}

/** A recipient's order to hide or to show a listing. */
function ordered(
  what: string,
  status: number,
  place: { service?: string },
  fields: Record<string, string> = {},
  outcome: SellerOutcome = 'shown',
): Row[] {
  const listing = { resource: 'https://api.example.com/weather', type: 'http', ...fields };
  return ['hide', 'restore', 'describe', 'confirm'].map((action) => ({
    name: `an order ${what}, at /discovery/listings/${action}`,
    status,
    async reach() {
      const sellers = { setHidden: async () => outcome, describe: async () => outcome };
      const { url } = await startService({}, { sellers }, {}, {}, { listingOperations: SERVICE });
      const order = signed(Keypair.random(), { action, ...place }, listing);
      return post(`${url}/discovery/listings/${action}`, JSON.stringify(order));
    },
  }));
}

/** What a service that needs keys answers without one. */
function unauthorized(path: string, body?: string): Row[] {
  return [
    {
      name: `no key where one is needed, at ${path}`,
      status: 401,
      async reach() {
        const { url } = await stage.open({ callers: { needKey: true, discoveryNeedsKey: true } });
        return body === undefined ? ask(url + path) : post(url + path, body);
      },
    },
    {
      name: `a key that is not known, at ${path}`,
      status: 401,
      async reach() {
        const headers = { ...JSON_TYPE, authorization: `Bearer sf_${'0'.repeat(12)}_${'A'.repeat(43)}` };
        return ask(service.url + path, { headers, ...(body !== undefined && { method: 'POST', body }) });
      },
    },
  ];
}

/** Every code of the service itself (specification 7.4, and what goes beyond it), at every operation that can answer with it. */
const rows: Record<EnvelopeCode, readonly Row[]> = {
  svc_malformed_request_body: [
    ...payments('an array', 400, [payment]),
    ...payments('more than the service reads', 413, 'x'.repeat(HTTP_LIMITS.maxBodyBytes)),
    {
      name: 'neither a payment nor a hash, at /settlements/status',
      status: 400,
      reach: () => post(`${service.url}/settlements/status`, '{}'),
    },
  ],
  svc_missing_payment_payload: payments('no paymentPayload', 400, {}),
  svc_missing_payment_requirements: payments('no paymentRequirements', 400, { paymentPayload }),
  svc_unsupported_x402_version: payments('version 1', 400, {
    ...payment,
    paymentPayload: { ...paymentPayload, x402Version: 1 },
  }),
  svc_unsupported_kind: payments('a network that is not advertised', 200, {
    ...payment,
    paymentRequirements: { ...requirements, network: 'stellar:pubnet' },
  }),
  svc_unknown_route: [
    { name: 'a path that is not served', status: 404, reach: () => get('/nowhere') },
    { name: 'a method that is not served', status: 404, reach: () => get('/verify') },
  ],
  svc_invalid_query_parameter: [
    {
      name: 'a limit in words, of the list',
      status: 400,
      reach: () => get('/discovery/resources?limit=ten'),
    },
    {
      name: 'a filter given twice, of the search',
      status: 400,
      reach: () => get('/discovery/search?query=weather&type=http&type=mcp'),
    },
  ],
  svc_missing_search_query: [
    { name: 'no query', status: 400, reach: () => get('/discovery/search') },
    { name: 'a blank query', status: 400, reach: () => get('/discovery/search?query=%20') },
  ],
  svc_invalid_search_cursor: [
    {
      name: 'the cursor of another query',
      status: 400,
      async reach() {
        const { body } = await get('/discovery/search?query=report&limit=1');
        const { cursor } = (body as DiscoverySearchResponse).pagination;
        return get(`/discovery/search?query=weather&cursor=${cursor}`);
      },
    },
    { name: 'a forged cursor', status: 400, reach: () => get('/discovery/search?query=weather&cursor=x') },
  ],
  svc_policy_zero_amount: refusedByPolicy('of zero', () => ({ refusesZero: true }), { amount: '0' }),
  svc_policy_self_payment: refusedByPolicy('to the payer itself', () => ({ refusesSelf: true }), {
    payTo: payer,
  }),
  svc_policy_failing_payer: ['/verify', '/settle'].map((path) => ({
    name: `a payer whose settlement has just failed, at ${path}`,
    status: 200,
    async reach() {
      const policy = { serialAfterFailures: 1, refusedAfterFailures: 1 };
      const { url, settle } = await stage.open({ policy });
      stage.sandbox.stopLedgers();
      const key = stage.sandbox.account(AMOUNT);
      const failing = settle(newPayment({ key }).request);
      await sent(1);
      stage.sandbox.network.burn(key.publicKey(), AMOUNT);
      stage.sandbox.network.closeLedger();
      expect(await failing).toMatchObject({ success: false });
      return post(url + path, JSON.stringify(newPayment({ key }).request));
    },
  })),
  svc_policy_asset: refusedByPolicy('in an asset that is denied', () =>
    policyWith(`assets: { deny: [${USDC}] }`),
  ),
  svc_policy_recipient: refusedByPolicy('to a recipient that is not allowed', (payer) =>
    policyWith(`recipients: { allow: [${payer}] }`),
  ),
  svc_policy_payer: refusedByPolicy('of a payer that is denied', (payer) =>
    policyWith(`payers: { deny: [${payer}] }`),
  ),
  svc_policy_amount_too_small: refusedByPolicy('of less than the least amount', () =>
    policyWith(`amounts: { ${USDC}: { least: '${AMOUNT + 1n}' } }`),
  ),
  svc_policy_amount_too_large: refusedByPolicy('of more than the greatest amount', () =>
    policyWith(`amounts: { ${USDC}: { greatest: '${AMOUNT - 1n}' } }`),
  ),
  svc_policy_amount_below_fee: refusedByPolicy('of an amount worth less than the fee', () =>
    policyWith(`{ amounts: { ${USDC}: { stroopsPerBaseUnit: '0.4' } }, leastTimesFee: 1 }`),
  ),
  svc_policy_check_refused: refusedByPolicy('that the check of the operator refuses', async () => {
    const url = await openHttpServer((_request, response) => response.end('{"accept":false}'));
    return policyWith(`check: { url: '${url}', ifSilent: accept }`);
  }),
  svc_policy_check_unavailable: refusedByPolicy('that the check of the operator does not answer', () =>
    policyWith(`check: { url: 'http://127.0.0.1:1', ifSilent: refuse }`),
  ),
  svc_unauthorized: [
    ...unauthorized('/verify', text),
    ...unauthorized('/settle', text),
    ...unauthorized('/settlements/status', text),
    ...unauthorized('/'),
    ...unauthorized('/supported'),
    ...unauthorized('/health'),
    ...unauthorized('/discovery/resources'),
    ...unauthorized('/discovery/search?query=weather'),
  ],
  svc_invalid_signature: ordered('signed for another service', 403, { service: 'https://other.example' }),
  svc_expired_signature: ordered('signed long ago', 403, {}, { signedAt: '2026-01-01T00:00:00Z' }),
  svc_used_signature: ordered('signed before', 409, {}, {}, 'outdated'),
  svc_unknown_listing: ordered('about a listing that there is not', 404, {}, {}, 'unknown'),
  svc_rate_limited: ['/verify', '/settle', '/settlements/status'].map((path) => ({
    name: `one request more than a caller may send, at ${path}`,
    status: 429,
    async reach() {
      const limits = { ...DEFAULT_CALLERS.limits, verifiesPerMinute: 1, settlesPerMinute: 1 };
      const { url } = await startService({}, {}, {}, { limits });
      expect((await post(url + path, text)).status).toBe(200);
      return post(url + path, text);
    },
  })),
  svc_fee_budget_exhausted: [
    {
      name: 'a payment that the fee budget does not afford, at /settle',
      status: 429,
      async reach() {
        const { url } = await stage.open({ callers: { serviceFeeBudgetStroops: 1 } });
        return post(`${url}/settle`, JSON.stringify(newPayment().request));
      },
    },
  ],
  svc_fee_account_low: [
    {
      name: 'a payment while the fee account is below its floor, at /settle',
      status: 503,
      async reach() {
        const feeBalances = { warningStroops: undefined, floorStroops: Number.MAX_SAFE_INTEGER };
        const { url } = await stage.open({ feeBalances });
        return post(`${url}/settle`, JSON.stringify(newPayment().request));
      },
    },
  ],
  svc_database_unavailable: [
    {
      name: 'a payment when the database that instances share is down, at /settle',
      status: 200,
      async reach() {
        const db = createDatabase({ url: 'postgres://127.0.0.1:1/none', log: silent });
        const limits = { ...SHARED_LIMITS, openWithinMs: 500 };
        const journal = createSharedJournal({ db, instance: randomUUID(), log: silent, limits });
        const { url } = await stage.open({ parts: { journal } });
        return post(`${url}/settle`, JSON.stringify(newPayment().request));
      },
    },
    {
      name: 'a question for a status when that database is down, at /settlements/status',
      status: 503,
      async reach() {
        const down = () => Promise.reject(new DatabaseUnavailable('it is down'));
        const journal = openJournal({ path: ':memory:', log: silent });
        const records = { ...journal.records, ofPayment: down };
        const { url } = await stage.open({ journal: { ...journal, records } });
        return post(`${url}/settlements/status`, JSON.stringify(newPayment().request));
      },
    },
  ],
  svc_overloaded: [
    overload('/verify', text),
    overload('/settle', text),
    overload('/discovery/resources'),
    overload('/discovery/search?query=weather'),
  ],
  svc_invalid_idempotency_key: [
    {
      name: 'an Idempotency-Key with a space, at /settle',
      status: 400,
      reach: () => post(`${service.url}/settle`, text, { ...JSON_TYPE, 'idempotency-key': 'a b' }),
    },
  ],
  svc_settlement_pending: [
    {
      name: 'a settlement whose key is in use, at /settle',
      status: 409,
      reach: async () => (await twoUnderOneKey(payment, payment))[1],
    },
  ],
  svc_idempotency_key_reused: [
    {
      name: 'a key that is in use for another body, at /settle',
      status: 422,
      reach: async () => (await twoUnderOneKey(payment, { ...payment, more: true }))[1],
    },
  ],
  svc_payment_identifier_conflict: [
    {
      name: 'a second payment under one payment-identifier, at /settle',
      status: 409,
      async reach() {
        const { facilitator, sandbox } = stage;
        const terms = {
          requirements: requirementsFor(sandbox.account(0n).publicKey()),
          expiration: sandbox.expirationIn(MAX_TIMEOUT_SECONDS),
        };
        const answers = [];
        for (const nonce of [sandbox.nonce(), sandbox.nonce()]) {
          const request = requestFor(
            terms.requirements,
            signTransfer({ ...terms, key: sandbox.account(), nonce }),
          );
          const extensions = {
            'payment-identifier': { info: { required: false, id: 'pay_7d5d747be160e280' } },
          };
          const named = { ...request, paymentPayload: { ...request.paymentPayload, extensions } };
          answers.push(await post(`${facilitator.url}/settle`, JSON.stringify(named)));
        }
        return answers[1]!;
      },
    },
  ],
  svc_internal_error: [
    fault('/verify', { verify: failing }, {}, text),
    fault('/settle', { settle: failing }, {}, text),
    fault('/supported', { kind: unreadableKind }),
    fault('/health', { kind: unreadableKind }),
    fault('/discovery/resources', {}, { list: failing }),
    fault('/discovery/search?query=weather', {}, { search: failing }),
  ],
};

describe.each(Object.entries(rows))('%s', (code, cases) => {
  test.each(cases)('$name', async ({ status, reach }) => {
    const answer = await reach();
    const { invalidReason, errorReason, error } = answer.body as any;
    expect(answer.status).toBe(status);
    expect(invalidReason ?? errorReason ?? error.code).toBe(code);
  });
});

test('the table of codes reaches every code of the service itself, and no other', () => {
  expect(Object.keys(rows).sort()).toEqual([...envelopeCodes].sort());
});
