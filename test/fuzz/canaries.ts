/** Ways in which a server breaks the contract, each of which the fuzzer has to find. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LISTED } from './contract/declarations.ts';
import type { Answer, Exchange, FuzzRequest } from './contract/exchange.ts';

export interface Canary {
  readonly name: string;
  /** What the fuzzer says of it, in part. */
  readonly complaint: string | RegExp;
  /** What the broken server takes the request for. */
  readonly mishear?: (request: FuzzRequest) => FuzzRequest;
  /** How long it takes over it. */
  readonly delayMs?: (request: FuzzRequest) => number;
  /** What it makes of its answer. */
  readonly garble?: (answer: Answer, request: FuzzRequest) => Answer;
}

/** The server as it would be with this defect. */
export function broken(exchange: Exchange, { mishear, garble, delayMs }: Canary): Exchange {
  return async (request) => {
    const delay = delayMs?.(request) ?? 0;
    if (delay > 0) await sleep(delay);
    const made = await exchange(mishear ? mishear(request) : request);
    const answer = { ...made, ms: made.ms + delay };
    return garble ? garble(answer, request) : answer;
  };
}

export const CANARIES: readonly Canary[] = [
  {
    name: 'a field more in a verdict',
    complaint: 'must NOT have additional properties (debug)',
    garble: onBody('/verify', (body) => ({ ...body, debug: 1 })),
  },
  {
    name: 'a field more in a listing',
    complaint: 'must NOT have additional properties (score)',
    garble: onBody('/discovery/search', ({ resources, ...body }) => ({
      ...body,
      resources: resources?.map((listing: object) => ({ ...listing, score: 1.5 })),
    })),
  },
  {
    name: 'a field less on a page',
    complaint: "must have required property 'partialResults'",
    garble: onBody('/discovery/search', ({ partialResults: _, ...body }) => body),
  },
  {
    name: 'a total that is one too high',
    complaint: 'the number of items',
    garble: onBody('/discovery/resources', ({ pagination, ...body }) => ({
      ...body,
      pagination: pagination && { ...pagination, total: pagination.total + 1 },
    })),
  },
  { name: 'a status of its own', complaint: '201 is not documented here', garble: onStatus(200, 'GET', 201) },
  {
    name: 'another status for what cannot be read',
    complaint: '422 is not documented here',
    garble: onStatus(400, 'POST', 422),
  },
  {
    name: 'no request id',
    complaint: 'the header x-request-id is missing',
    garble: onHeaders(({ 'x-request-id': _, ...headers }) => headers),
  },
  {
    name: 'a new request id each time',
    complaint: 'x-request-id is that of the request before',
    garble: onHeaders((headers) => ({ ...headers, 'x-request-id': 'mine' })),
  },
  {
    name: 'a header more',
    complaint: 'the header x-powered-by is not documented here',
    garble: onHeaders((headers) => ({ ...headers, 'x-powered-by': 'Koa' })),
  },
  {
    name: 'another content type',
    complaint: 'the content type is text/html',
    garble: onHeaders((headers) => ({ ...headers, 'content-type': 'text/html' })),
  },
  {
    name: 'an outcome of the listing that is not in base64',
    complaint: 'the header extension-responses breaks its schema',
    garble: onHeaders((headers) =>
      headers['extension-responses'] === undefined
        ? headers
        : { ...headers, 'extension-responses': '{"bazaar":{"status":"success"}}' },
    ),
  },
  {
    name: 'a reason that is null',
    complaint: 'at /error/reason: must be string',
    garble: onBody('', ({ error, ...body }) => ({
      ...body,
      ...(error && { error: { ...error, reason: null } }),
    })),
  },
  {
    name: 'the code of another refusal',
    complaint: 'the code is svc_invalid_query_parameter, not svc_missing_search_query',
    garble: onBody('/discovery/search', (body) =>
      body.error?.code === 'svc_missing_search_query'
        ? { error: { ...body.error, code: 'svc_invalid_query_parameter' } }
        : body,
    ),
  },
  {
    name: 'a repeated parameter that is read',
    complaint: 'the status is 200, not 400',
    mishear: onQuery((query) => [...new Map(query)]),
  },
  {
    name: 'a filter that is not heeded',
    complaint: 'items',
    mishear: onQuery((query) => query.filter(([name]) => name !== 'scheme')),
  },
  {
    name: 'a cursor that is not heeded',
    // Whichever question comes first: the same page comes forever, or a page comes twice.
    complaint: /the cursors do not end|the ranking/,
    mishear: onQuery((query) => query.filter(([name]) => name !== 'cursor')),
  },
  {
    name: 'a failure over a text in another script',
    complaint: 'the status is 500, not 200',
    garble: (answer, { target }) => (target.includes('%F0%9F') ? failure(answer) : answer),
  },
  {
    name: 'a failure over a body that is no object',
    complaint: 'the status is 500, not 400',
    garble: (answer, { body }) => (body?.toString() === 'null' ? failure(answer) : answer),
  },
  {
    name: 'HEAD as if it were GET',
    complaint: 'the answer to HEAD has a body',
    mishear: (request) => ({ ...request, method: request.method.replace('HEAD', 'GET') }),
  },
  {
    name: 'a refused payment that is called valid',
    complaint: 'not svc_unsupported_kind',
    garble: onBody('/verify', ({ payer }) => ({ isValid: true, payer })),
  },
  {
    name: 'the payer of somebody else',
    complaint: 'a good payment is not valid',
    garble: onBody('/verify', (body) => ({
      ...body,
      ...(body.payer && { payer: body.payer.toLowerCase() }),
    })),
  },
  {
    name: 'an answer that takes too long',
    complaint: 'and 2000 at most',
    delayMs: ({ target }) => (target === '/health' ? 2_100 : 0),
  },
  {
    name: 'a listing that is told of and not written',
    complaint: '0 listings of',
    mishear: withoutExtensions,
    garble: (answer, { target, body }) =>
      target === '/settle' && body?.includes('bazaar') && answer.body.includes('"success":true')
        ? { ...answer, headers: { ...answer.headers, 'extension-responses': LISTED } }
        : answer,
  },
  {
    name: 'the hash of another transaction',
    complaint: 'the ledger has no such transaction',
    garble: onBody('/settle', (body) => (body.success ? { ...body, transaction: 'ab'.repeat(32) } : body)),
  },
];

function withoutExtensions(request: FuzzRequest): FuzzRequest {
  if (request.target !== '/settle' || !request.body?.includes('bazaar')) return request;
  try {
    const { paymentPayload, ...rest } = JSON.parse(request.body.toString());
    const body = JSON.stringify({ ...rest, paymentPayload: { ...paymentPayload, extensions: {} } });
    return { ...request, body: Buffer.from(body) };
  } catch {
    return request;
  }
}

type Garble = NonNullable<Canary['garble']>;

function onBody(path: string, change: (body: any) => object): Garble {
  return (answer, { target }) => {
    if (!target.startsWith(path) || answer.body.length === 0) return answer;
    return { ...answer, body: Buffer.from(JSON.stringify(change(JSON.parse(answer.body.toString())))) };
  };
}

function onStatus(from: number, method: string, to: number): Garble {
  return (answer, request) =>
    answer.status === from && request.method === method ? { ...answer, status: to } : answer;
}

function onHeaders(change: (headers: Answer['headers']) => Answer['headers']): Garble {
  return (answer) => ({ ...answer, headers: change(answer.headers) });
}

function onQuery(change: (query: [string, string][]) => [string, string][]): NonNullable<Canary['mishear']> {
  return (request) => {
    const [path = '', query = ''] = request.target.split('?');
    return {
      ...request,
      target: `${path}?${new URLSearchParams(change([...new URLSearchParams(query)])).toString()}`,
    };
  };
}

const failure = (answer: Answer): Answer => ({
  ...answer,
  status: 500,
  body: Buffer.from('{"error":{"code":"svc_internal_error","reason":"The service failed."}}'),
});
