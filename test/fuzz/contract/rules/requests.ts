/** Requests as the contract has them, and each broken in one way. */
import fc from 'fast-check';
import { CODES_AT, createExpectedOfBody, RAW_BODIES, type Served } from '../bodies.ts';
import type { Context } from '../context.ts';
import type { Operation } from '../document.ts';
import { getRequest, jsonRequest, type FuzzRequest } from '../exchange.ts';
import {
  queryMutations,
  requiredQuery,
  validQuery,
  type KnownValues,
  type Query,
  type QueryMutation,
} from '../queries.ts';
import { mutationsOf, valueOf } from '../values.ts';
import { rule, ruleForEach, type Rule } from '../rule.ts';
import { plainBodyRules } from './plainBodies.ts';
import { isOfSellers, sampleExpectation, sellerRules, sellerSample } from './sellers.ts';

/** A cursor is not just a valid text: it was issued. */
const notCursor = ({ parameters }: Operation): string[] =>
  parameters.map(({ name }) => name).filter((name) => name !== 'cursor');

/** Of a short run: some of them settle, which takes a ledger. */
const SETTLED_MUTATIONS = 300;
const UNKNOWN_ROUTE = { statuses: [404], codes: ['svc_unknown_route'] };
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'QUERY'];
const POST_QUERIES = ['?', '?note=1', '?x402Version=1', '?limit=x&limit=y', '?%zz'];
const MOST_AT_ONCE = 40;
const REQUEST_IDS = [
  'a',
  'A-Za.z0_9:-',
  '0'.repeat(128),
  '0'.repeat(129),
  '',
  'with space',
  'ümlaut',
  '{"a":1}',
  '\t',
];

const HEADERS: readonly Readonly<Record<string, string>>[] = [
  ...REQUEST_IDS.map((id) => ({ 'x-request-id': Buffer.from(id).toString('latin1') })),
  ...['text/html', 'application/xml', '*/*', ''].map((accept) => ({ accept })),
  { 'accept-encoding': 'br, gzip' },
  { 'accept-language': 'de' },
  { authorization: 'Bearer x' },
  { cookie: 'a=b' },
  { origin: 'https://a.example' },
  { 'x-http-method-override': 'DELETE' },
  { 'if-none-match': '*' },
  { range: 'bytes=0-1' },
];

export function requestRules(context: Context, known: KnownValues, served: Served): Rule[] {
  const { service } = context;
  const { operations } = context.document;
  return [
    ...operations.flatMap(contentRules),
    ...operations.flatMap((operation) => [methodRule(operation), pathRule(operation), headerRule(operation)]),
    ...operations.filter(({ method }) => method === 'GET').map(headRule),
    togetherRule(),
  ];

  function contentRules(operation: Operation): Rule[] {
    if (isOfSellers(operation)) return sellerRules(context, operation);
    // Nothing that is asked for here was settled.
    if (operation.operationId === 'getSettlementStatus')
      return plainBodyRules(context, operation, {
        sample: context.goodPayment,
        accepted: { statuses: [200] },
      });
    return operation.body ? bodyRules(operation) : queryRules(operation);
  }

  function queryRules(operation: Operation): Rule[] {
    const { operationId, path } = operation;
    const valid = validQuery(operation, known, notCursor(operation));
    const required = requiredQuery(operation);
    const mutations = queryMutations(operation);
    return [
      rule(`${operationId}: every valid query is answered 200`, 60, valid, async (query) => {
        await context.send(operation, getRequest(path, query));
      }),
      ruleForEach(
        `${operationId}: a query that is changed in one way is answered as the contract says`,
        mutations,
        (mutation) => sendMutated(operation, required, mutation),
      ),
      rule(
        `${operationId}: so is one with further parameters`,
        mutations.length,
        fc.tuple(valid, fc.constantFrom(...mutations)),
        ([query, mutation]) => sendMutated(operation, query, mutation),
      ),
      ...firstFaultRules(operation, valid, mutations),
      rule(
        `${operationId}: a query that is no proper query string is read as far as it is one`,
        20,
        fc.tuple(
          valid,
          fc.constantFrom('%', '%zz', '&&', '=', '=1', '?', '%00=1', '%ff', 'a=%c3%28', ';', '#'),
        ),
        async ([query, odd]) => {
          const { target, ...request } = getRequest(path, [...query, ['note', '1']] as Query);
          await context.send(
            operation,
            { ...request, target: `${target}&${odd}` },
            undefined,
            `${odd} at the end`,
          );
        },
      ),
    ];
  }

  /** Where there is more than one code, the table of codes says which is told. */
  function firstFaultRules(
    operation: Operation,
    valid: fc.Arbitrary<Query>,
    mutations: readonly QueryMutation[],
  ): Rule[] {
    const order = context.document.errorRows.map(({ code }) => code);
    const placeOf = ({ expected, isLate }: QueryMutation): number =>
      isLate ? order.indexOf('svc_missing_search_query') + 0.5 : order.indexOf(expected.codes![0]!);
    const faults = mutations.filter(({ expected }) => expected.codes !== undefined);
    if (new Set(faults.map(placeOf)).size < 2) return [];
    return [
      rule(
        `${operation.operationId}: of two faults of a query the first in the table is told`,
        60,
        fc
          .tuple(valid, fc.constantFrom(...faults), fc.constantFrom(...faults))
          .filter(([, one, two]) => one.name !== two.name && placeOf(one) < placeOf(two)),
        async ([query, one, two]) => {
          const request = getRequest(operation.path, two.apply(one.apply(query)));
          await context.send(operation, request, one.expected, `${one.rule}, and ${two.rule}`);
        },
      ),
    ];
  }

  async function sendMutated(operation: Operation, query: Query, mutation: QueryMutation): Promise<void> {
    const request = getRequest(operation.path, mutation.apply(query));
    await context.send(operation, request, mutation.expected, mutation.rule);
  }

  function bodyRules(operation: Operation): Rule[] {
    const { operationId, path, body: schema } = operation;
    const expectedOf = createExpectedOfBody(operation, served);
    const mutations = mutationsOf(schema!);
    // A good payment that is settled is gone; it takes a ledger, too.
    const isSettle = operationId === 'settlePayment';
    const payment = isSettle ? context.spendablePayment : context.goodPayment;
    const telling = fc
      .constantFrom(...Object.keys(CODES_AT), 'x402Version', 'paymentRequirements.amount')
      .chain((place) => fc.constantFrom(...mutations.filter((mutation) => mutation.place === place)));
    return [
      rule(`${operationId}: every valid body gets a verdict`, 60, valueOf(schema!), async (body) => {
        await context.send(operation, jsonRequest(path, body), expectedOf(asSent(body)));
      }),
      ruleForEach(
        `${operationId}: a payment that is changed in one place is answered as the contract says`,
        mutations,
        async (mutation) => {
          const body = mutation.apply(await payment());
          await context.send(operation, jsonRequest(path, body), expectedOf(asSent(body)), mutation.rule);
        },
        isSettle ? SETTLED_MUTATIONS : undefined,
      ),
      rule(
        `${operationId}: of two faults of a body the first in the contract's order is told`,
        60,
        fc.tuple(valueOf(schema!), telling, telling),
        async ([body, one, two]) => {
          const faulty = asSent(two.apply(one.apply(body)));
          const rule = `${one.rule}, and ${two.rule}`;
          await context.send(operation, jsonRequest(path, faulty), expectedOf(faulty), rule);
        },
      ),
      ruleForEach(
        `${operationId}: a body is read, or refused as unreadable`,
        RAW_BODIES,
        async ({ rule, bodyOf, headers, expected }) => {
          const body = bodyOf(JSON.stringify(await payment()));
          const request = { method: 'POST', target: path, headers, ...(body !== undefined && { body }) };
          await context.send(operation, request, { ...expected, network: served.ownNetwork }, rule);
        },
      ),
      ruleForEach(`${operationId}: a query is no part of it`, POST_QUERIES, async (query) => {
        const { target, ...request } = await sample(operation);
        await context.send(operation, { ...request, target: `${target}${query}` }, undefined, query);
      }),
    ];
  }

  function methodRule({ operationId, method, path }: Operation): Rule {
    const others = METHODS.filter((other) => other !== method && !(other === 'HEAD' && method === 'GET'));
    return ruleForEach(`${operationId}: another method is no route`, others, async (other) => {
      await context.send(undefined, { method: other, target: path, headers: {} }, UNKNOWN_ROUTE);
    });
  }

  function headRule(operation: Operation): Rule {
    return ruleForEach(
      `${operation.operationId}: HEAD has the status and the headers of GET, and no body`,
      ['', '?query=', '?limit=ten'],
      async (query) => {
        const get = query === '' ? await sample(operation) : getRequest(`${operation.path}${query}`, []);
        const { status, headers } = await context.send(operation, get, { statuses: [200, 400] });
        const head = { ...get, method: 'HEAD' };
        const answer = await context.send(operation, head, { statuses: [status] });
        if (answer.headers['content-length'] !== headers['content-length'])
          context.complain(head, answer, ['its content-length is not that of GET']);
      },
    );
  }

  function pathRule({ operationId, method, path }: Operation): Rule {
    const others = [
      `${path}/`,
      `/${path}`,
      path.toUpperCase(),
      `${path}.json`,
      `${path}/x`,
      `/v1${path}`,
      `${path}%20`,
      `${path};a`,
      path.replace(/[^/]$/, (last) => `%${last.charCodeAt(0).toString(16)}`),
      '/',
      '/%',
      '/%7f',
      `/..${path}`,
      // What a reason shows of them is cut.
      `${path}/${'x'.repeat(6_000)}`,
      `${path}/${'%C3%BC'.repeat(300)}`,
    ];
    const unserved = others.filter(
      (other) => !operations.some((served) => served.method === method && served.path === other),
    );
    return ruleForEach(`${operationId}: another path is no route`, unserved, async (other) => {
      await context.send(undefined, { method, target: other, headers: {} }, UNKNOWN_ROUTE);
    });
  }

  function headerRule(operation: Operation): Rule {
    return ruleForEach(
      `${operation.operationId}: headers change nothing but the request id`,
      HEADERS,
      async (extra) => {
        const request = await sample(operation);
        const sent = { ...request, headers: { ...request.headers, ...extra } };
        await context.send(operation, sent, sampleExpectation(operation));
      },
    );
  }

  /** The answers to requests that are under way at the same time are those that each gets alone. */
  function togetherRule(): Rule {
    const [list, search, verify] = ['listResources', 'searchResources', 'verifyPayment'].map(
      context.operation,
    );
    async function samples(): Promise<[Operation | undefined, FuzzRequest][]> {
      const [one, another] = [await context.goodPayment(), await service.payment()];
      const asked = operations.map(async (operation): Promise<[Operation, FuzzRequest]> => [
        operation,
        await sample(operation),
      ]);
      return [
        ...(await Promise.all(asked)),
        [verify, jsonRequest(verify!.path, one)],
        [verify, jsonRequest(verify!.path, another)],
        [list, getRequest(list!.path, [['limit', '3']])],
        [search, getRequest(search!.path, [['query', 'tides']])],
        [undefined, { method: 'GET', target: '/nowhere', headers: {} }],
      ];
    }
    return rule(
      'requests at the same time are answered as each is alone',
      4,
      fc.array(fc.nat(), { minLength: MOST_AT_ONCE / 2, maxLength: MOST_AT_ONCE }),
      async (chosen) => {
        const alone: [Operation | undefined, FuzzRequest, string][] = [];
        const ask = (operation: Operation | undefined, request: FuzzRequest) =>
          context.send(
            operation,
            request,
            operation ? sampleExpectation(operation) : UNKNOWN_ROUTE,
            'among others',
          );
        for (const [operation, request] of await samples())
          alone.push([operation, request, (await ask(operation, request)).body.toString()]);
        const together = chosen.map(async (nth) => {
          const [operation, request, expected] = alone[nth % alone.length]!;
          const answer = await ask(operation, request);
          if (answer.body.toString() !== expected)
            context.complain(request, answer, [`alone the answer is ${expected}`], 'among others');
        });
        await Promise.all(together);
      },
    );
  }

  /** A request without effects: one that is answered 200, but for what recipients sign. */
  async function sample(operation: Operation): Promise<FuzzRequest> {
    if (isOfSellers(operation)) return sellerSample(operation);
    const { operationId, path, body } = operation;
    if (!body) return getRequest(path, operationId === 'searchResources' ? [['query', 'weather']] : []);
    const payment = await context.goodPayment();
    const { paymentRequirements } = payment;
    return jsonRequest(path, { ...payment, paymentRequirements: { ...paymentRequirements, amount: '1' } });
  }
}

/** What JSON makes of a value: no lone surrogates' loss, no negative zero. */
const asSent = (value: unknown): any => JSON.parse(JSON.stringify(value));
